import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk/base';
import { sandboxAssets } from '../../src/sandbox/stellar/assets.ts';
import { createHttpExchange } from '../../src/server/http-exchange.ts';
import { createHorizonNetwork } from '../../src/server/stellar/horizon-network.ts';
import type { StellarNetwork } from '../../src/server/stellar/network.ts';
import { attachSignature, buildEnvelope, hashEnvelope } from '../../src/server/stellar/transaction.ts';
import { servedCommand, startServerProcess } from '../support/server-process.ts';
import type { Measure } from './table.ts';

const passphrase = 'Test SDF Network ; September 2015';
const key = `sk_test_${'s'.repeat(32)}`;
const payments = 120;
/** Between two payments, in milliseconds: about ten a second, so that some settle alone and some together. */
const paceMs = 100;

interface Settled {
  /** Ledgers that closed from the moment the payment was confirmed to the one that settled it. */
  readonly closes: number;
  readonly ms: number;
}

/**
 * From a payment’s confirmation to its settlement on the ledger, against a network whose ledgers are a second apart:
 * counted in ledger closes, since nobody settles faster than the ledger.
 */
export async function benchSettlement(folder: string): Promise<Measure[]> {
  const settings = { PAY_DATA_DIR: folder, PAY_SECRET_KEY: key, PAY_LOG_REQUESTS: 'none', PAY_LOG_LEVEL: 'warn' };
  const server = await startServerProcess(settings, servedCommand());
  const http = createHttpExchange();
  const network = createHorizonNetwork({ http, passphrase, url: () => `${server.url}/sandbox/horizon` });
  const api = async (route: string, body?: object) => {
    const [method = 'GET', path = '/'] = route.split(' ');
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(
      `${server.url}${path}`,
      body ? { method, headers, body: JSON.stringify(body) } : { method, headers },
    );
    return (await answer.json()) as { id: string; status: string; settlement: { status: string; ledger: number } };
  };
  const address = await openMerchant(server.url, network);
  const order = {
    ...{ amount: 12_840, currency: 'EUR', settlement_asset: 'USDC', settlement_network: 'stellar' },
    ...{ payment_methods: ['card'], customer: { email: 'ada@example.com' }, settlement_address: address },
  };
  const settleOne = async (): Promise<Settled> => {
    const { id } = await api('POST /v1/payments', order);
    const { status } = await api(`POST /v1/payments/${id}/confirm`, { method: 'card', token: 'tok_visa' });
    if (status !== 'completed') throw new Error(`a payment is ${status}`);
    const [confirmedAt, { sequence }] = [performance.now(), await network.latestLedger()];
    for (;;) {
      await sleep(100);
      const { settlement } = await api(`GET /v1/payments/${id}`);
      if (settlement.status !== 'settled') continue;
      return { closes: settlement.ledger - sequence, ms: performance.now() - confirmedAt };
    }
  };
  // The first has the treasury and its channels set up.
  await settleOne();
  const running: Promise<Settled>[] = [];
  for (let made = 0; made < payments; made++) {
    running.push(settleOne());
    await sleep(paceMs);
  }
  const results = await Promise.all(running);
  http.close();
  await server.stop();
  const at95 = (of: (settled: Settled) => number) =>
    results.map(of).sort((a, b) => a - b)[Math.ceil(payments * 0.95) - 1] ?? 0;
  const closes = at95(settled => settled.closes);
  const seconds = at95(settled => settled.ms) / 1000;
  return [
    {
      name: `confirmed payment to settlement on the ledger, p95 of ${payments} (known after ${seconds.toFixed(1)} s)`,
      value: `${closes} ledger closes`,
      target: 'at most 2',
      met: closes <= 2,
    },
  ];
}

/** An account that can take dollars. */
async function openMerchant(url: string, network: StellarNetwork): Promise<string> {
  const keypair = Keypair.random();
  const address = keypair.publicKey();
  await fetch(`${url}/sandbox/horizon/friendbot?addr=${address}`);
  const account = await network.account(address);
  const unsigned = buildEnvelope({
    ...{ source: address, sequence: (account?.sequence ?? 0n) + 1n, fee: 1_000n, timeBounds: null },
    operations: [{ type: 'changeTrust', asset: sandboxAssets.USDC, limit: 2n ** 63n - 1n }],
  });
  const hash = hashEnvelope(unsigned, passphrase);
  const signature = Buffer.from(keypair.sign(Buffer.from(hash, 'hex'))).toString('base64');
  await network.submit(attachSignature(unsigned, passphrase, { address, signature }));
  while ((await network.status(hash)).state !== 'applied') await sleep(100);
  return address;
}
