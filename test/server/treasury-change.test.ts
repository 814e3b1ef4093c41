import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, urlOf } from '../support/database.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { createTreasuryDatabase } from '../support/treasury-database.ts';

const secretKey = 'sk_test_0123456789abcdefTreasury';
let database: TestDatabase;
let server: ServerProcess | null = null;
beforeAll(async () => {
  database = await createTreasuryDatabase('running');
});
afterAll(async () => {
  await server?.stop();
  await database.drop();
});

const start = (settings: Record<string, string>) =>
  startServerProcess({
    DATABASE_URL: urlOf(database),
    PAY_SECRET_KEY: secretKey,
    PAY_LOG_LEVEL: 'error',
    PAY_SANDBOX_LEDGER_MS: '100',
    ...settings,
  });

async function call(line: string, body?: object) {
  const [method = '', path = ''] = line.split(' ');
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${server?.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return await answer.json();
}

async function settledPayment() {
  const { id } = await call('POST /v1/payments', {
    amount: 4200,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card'],
    customer: { email: 'ada@example.com' },
  });
  await call(`POST /v1/payments/${id}/confirm`, { method: 'card', token: 'tok_visa' });
  for (let tries = 0; tries < 300; tries++) {
    const { settlement } = await call(`GET /v1/payments/${id}`);
    if (settlement.status === 'settled') return settlement;
    await sleep(100);
  }
  throw new Error(`payment ${id} was not settled in 30 s`);
}

const treasuryOf = async (hash: string) =>
  (await call(`GET /sandbox/horizon/transactions/${hash}/operations`))._embedded.records[0].source_account;

it('a database stays with its network, and a new treasury sends further settlements', async () => {
  server = await start({});
  const merchant = Keypair.random().publicKey();
  await call(`GET /sandbox/horizon/friendbot?addr=${merchant}`);
  await call('PATCH /v1/account', { settlement: { asset: 'USDC', stellar_address: merchant } });
  const first = await treasuryOf((await settledPayment()).tx_hash);
  await server.stop();

  server = null;
  await expect(start({ PAY_NETWORK: 'testnet' })).rejects.toThrow(
    'belongs to the network sandbox, but PAY_NETWORK is testnet. Give each network its own database',
  );

  const second = Keypair.random();
  server = await start({ PAY_TREASURY_SECRET: second.secret() });
  expect(await treasuryOf((await settledPayment()).tx_hash)).toBe(second.publicKey());
  expect(first).not.toBe(second.publicKey());
}, 120_000);
