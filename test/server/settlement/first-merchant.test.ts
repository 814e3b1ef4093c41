import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Keypair } from '@stellar/stellar-sdk/base';
import { expect, it, type TestContext, vi } from 'vitest';
import { createTestDatabase, type TestDatabase, urlOf } from '../../support/database.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { createTreasuryDatabase } from '../../support/treasury-database.ts';

const run = promisify(execFile);
// Tests start servers, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** Starts a server on the database. Both end with the test. */
async function start(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  database: TestDatabase,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  onTestFinished(() => database.drop());
  const server = await startServerProcess({ DATABASE_URL: urlOf(database), ...settings });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  return server;
}

const settlementLine = (text: string) => /^ *Settlement +(.*)$/m.exec(text)?.[1];
const remarksAt = async (url: string) => (await (await fetch(`${url}/readyz`)).json()).remarks ?? [];

it.concurrent('in the sandbox settles the paid example of the start-up text to the account that the text names', async test => {
  const { url, output } = await start(test, await createTreasuryDatabase('running'));
  const curl = output().match(/^curl [\s\S]+?'\{.*\}'$/m)?.[0] ?? '';
  const address = settlementLine(output())?.split(' ')[0] ?? '';
  const account = async () => await (await fetch(`${url}/sandbox/horizon/accounts/${address}`)).json();
  // The copied treasury is ready before the account is, which no first start meets.
  await test.expect.poll(async () => (await account()).balances?.length, { timeout: 20_000 }).toBe(5);
  const { id } = JSON.parse((await run('sh', ['-c', curl.replace('curl', 'curl -s')])).stdout);
  const key = /sk_test_\w+/.exec(output())?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const read = async () => await (await fetch(`${url}/v1/payments/${id}`, { headers })).json();
  const body = JSON.stringify({ method: 'card', token: 'tok_visa' });
  await fetch(`${url}/v1/payments/${id}/confirm`, { method: 'POST', headers, body });
  await test.expect.poll(async () => (await read()).settlement.status, { timeout: 20_000 }).toBe('settled');
  const held = await account();
  const balanceOf = (code?: string) =>
    held.balances.find(({ asset_code }: { asset_code?: string }) => asset_code === code)?.balance;
  expect(balanceOf('USDC')).toBe((await read()).settlement.amount);
  expect(['EURC', 'NGNC', 'BRLC'].map(balanceOf)).toEqual(Array(3).fill('0.0000000'));
  expect(await remarksAt(url)).toEqual([]);
});

it.concurrent('on other networks names the missing account and the payments that wait for it, until it is set', async test => {
  const settings = { PAY_NETWORK: 'testnet', PAY_HORIZON_URL: 'http://127.0.0.1:1', PAY_ECB_URL: 'http://127.0.0.1:1' };
  const { url, output } = await start(test, await createTestDatabase(), settings);
  expect(settlementLine(output())).toMatch(/^no account is set: .*PATCH \/v1\/account/);
  const remark = 'settlement: no Stellar account is set (settlement.stellar_address), payments wait for it';
  await test.expect.poll(() => remarksAt(url)).toContain(remark);
  const headers = {
    authorization: `Bearer ${/sk_test_\w+/.exec(output())?.[0]}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ settlement: { stellar_address: Keypair.random().publicKey() } });
  await fetch(`${url}/v1/account`, { method: 'PATCH', headers, body });
  await test.expect.poll(() => remarksAt(url), { timeout: 15_000 }).not.toContain(remark);
});
