import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk/base';
import { testPassphrase } from '../../src/core/stellar/stellar-network.ts';
import { sandboxAssets } from '../../src/sandbox/stellar/index.ts';
import { createHttpExchange } from '../../src/server/platform/http-exchange.ts';
import { createHorizonNetwork } from '../../src/server/stellar/horizon/horizon-network.ts';
import type { StellarNetwork } from '../../src/server/stellar/network.ts';
import { attachSignatures, buildEnvelope, hashEnvelope } from '../../src/server/stellar/transaction/transaction.ts';
import { startServerProcess } from '../support/server-process.ts';
import { type Measure, percentile } from './table.ts';

const key = `sk_test_${'s'.repeat(32)}`;
const payments = 120;
/** Pause between two payments, in milliseconds. With this pause, some payments settle alone and some together. */
const paceMs = 100;

/** The fields of a payment that are read. */
interface Seen {
  readonly id: string;
  readonly status: string;
  readonly settlement: { readonly status: string; readonly ledger: number };
}

/**
 * Time from a payment’s confirmation to its settlement, on a network that closes a ledger each second. It is counted in
 * ledger closes, because no service settles faster than the ledger.
 */
export async function benchSettlement(folder: string): Promise<Measure[]> {
  const settings = { PAY_DATA_DIR: folder, PAY_SECRET_KEY: key, PAY_LOG_REQUESTS: 'none', PAY_LOG_LEVEL: 'warn' };
  const server = await startServerProcess(settings);
  const http = createHttpExchange();
  const network = createHorizonNetwork({
    http,
    passphrase: testPassphrase,
    url: () => `${server.url}/sandbox/horizon`,
  });
  const address = await openDollarAccount(server.url, network);
  // The first payment waits for the setup of the treasury and its channels.
  await settled(server.url, [await payOne(server.url, address)]);
  let newest = (await network.latestLedger()).sequence;
  const watch = setInterval(() => {
    network.latestLedger().then(
      ({ sequence }) => {
        newest = sequence;
      },
      () => undefined,
    );
  }, 200);
  const confirmedIn = new Map<string, number>();
  const made: Promise<unknown>[] = [];
  for (let count = 0; count < payments; count++) {
    made.push(payOne(server.url, address).then(id => confirmedIn.set(id, newest)));
    await sleep(paceMs);
  }
  await Promise.all(made);
  const ledgers = await settled(server.url, [...confirmedIn.keys()]);
  clearInterval(watch);
  http.close();
  await server.stop();
  const closes = [...ledgers].map(([id, ledger]) => ledger - (confirmedIn.get(id) ?? 0));
  const most = percentile(closes, 0.95);
  return [
    {
      name: `confirmed payment to settlement on the ledger, p95 of ${payments} (p50: ${percentile(closes, 0.5)})`,
      value: `${most} ledger closes`,
      target: 'at most 2',
      met: most <= 2,
    },
  ];
}

async function api<T>(url: string, route: string, body?: object): Promise<T> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(
    `${url}${path}`,
    body ? { method, headers, body: JSON.stringify(body) } : { method, headers },
  );
  return (await answer.json()) as T;
}

/** Pays a payment by card. Returns its id. */
async function payOne(url: string, settlementAddress: string): Promise<string> {
  const { id } = await api<Seen>(url, 'POST /v1/payments', {
    amount: 12_840,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card'],
    customer: { email: 'ada@example.com' },
    settlement_address: settlementAddress,
  });
  const { status } = await api<Seen>(url, `POST /v1/payments/${id}/confirm`, { method: 'card', token: 'tok_visa' });
  if (status !== 'completed') throw new Error(`a payment is ${status}`);
  return id;
}

/** Waits until all payments are settled. Returns the ledger of each settlement. */
async function settled(url: string, ids: readonly string[]): Promise<Map<string, number>> {
  const ledgers = new Map<string, number>();
  while (ledgers.size < ids.length) {
    await sleep(1_000);
    for (const id of ids.filter(each => !ledgers.has(each))) {
      const { settlement } = await api<Seen>(url, `GET /v1/payments/${id}`);
      if (settlement.status === 'settled') ledgers.set(id, settlement.ledger);
    }
  }
  return ledgers;
}

/** Opens an account that can hold USDC. Returns its address. */
export async function openDollarAccount(url: string, network: StellarNetwork): Promise<string> {
  const keypair = Keypair.random();
  const address = keypair.publicKey();
  await fetch(`${url}/sandbox/horizon/friendbot?addr=${address}`);
  const account = await network.account(address);
  const unsigned = buildEnvelope({
    source: address,
    sequence: (account?.sequence ?? 0n) + 1n,
    fee: 1_000n,
    timeBounds: null,
    operations: [{ type: 'changeTrust', asset: sandboxAssets.USDC, limit: 2n ** 63n - 1n }],
  });
  const hash = hashEnvelope(unsigned, testPassphrase);
  const signature = Buffer.from(keypair.sign(Buffer.from(hash, 'hex'))).toString('base64');
  await network.submit(attachSignatures(unsigned, testPassphrase, { address, signature }));
  while ((await network.status(hash)).state !== 'applied') await sleep(100);
  return address;
}
