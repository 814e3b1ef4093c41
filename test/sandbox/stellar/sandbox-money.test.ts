import { Account, Keypair, MuxedAccount } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { createSandboxRates } from '../../../src/sandbox/rates.ts';
import { decodeEnvelope } from '../../../src/sandbox/stellar/history/decoded-transaction.ts';
import { createSandboxNetwork, type SandboxNetwork } from '../../../src/sandbox/stellar/sandbox-network.ts';
import { sandboxAssets, sandboxKey } from '../../../src/sandbox/stellar/seeded/accounts.ts';
import { impostorAssets } from '../../../src/sandbox/stellar/seeded/first-transactions.ts';
import { operation, signedEnvelope, trust } from '../../../src/sandbox/stellar/seeded/transaction-builder.ts';
import { stellarDb } from '../../../src/sandbox/stellar/tables.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let network: SandboxNetwork;

beforeAll(async () => {
  database = await createTestDatabase();
  network = await createSandboxNetwork({
    db: stellarDb(database.db),
    clock: systemClock,
    rates: createSandboxRates(systemClock),
    log: console,
    closeEveryMs: 30,
    notice: { channel: 'test', payload: '' },
  });
}, 60_000);
afterAll(async () => {
  await network.node.stop();
  await database.drop();
});

const [imposture = ''] = impostorAssets();
const stranger = () => Keypair.random().publicKey();

async function balanceOf(address: string, asset: string): Promise<bigint | undefined> {
  const ledger = await network.node.current();
  if (asset === 'XLM') return ledger.account(address)?.balance;
  return ledger.trustlines(address).find(line => line.asset === asset)?.balance;
}

/** An account that trusts the assets. */
async function holder(...assets: readonly string[]): Promise<string> {
  const key = sandboxKey(Keypair.random().rawSecretKey());
  await network.money.open(key.address);
  const sequence = (await network.node.current()).account(key.address)?.sequence ?? 0n;
  const operations = assets.map(asset => operation(trust(asset)));
  await network.node.submit(signedEnvelope({ source: key, sequence, operations }));
  await expect.poll(() => balanceOf(key.address, assets[0] ?? ''), { timeout: 5_000 }).toBe(0n);
  return key.address;
}

describe('test money of the sandbox network', () => {
  it('creates an account, and pays an existing one', async () => {
    const address = stranger();
    const first = await network.money.open(address);
    expect(first.hash).toMatch(/^[0-9a-f]{64}$/);
    await network.money.open(address);
    expect(await balanceOf(address, 'XLM')).toBe(2n * 1_000_000n * 10_000_000n);
  });

  it('is paid in every asset, also of the wrong issuer', async () => {
    const assets = [...Object.values(sandboxAssets), imposture];
    const address = await holder(...assets);
    await Promise.all(assets.map(asset => network.money.pay({ address, asset, amount: 15n })));
    expect(await Promise.all(assets.map(asset => balanceOf(address, asset)))).toEqual(assets.map(() => 15n));
    await network.money.fill(address, sandboxAssets.USDC);
    expect(await balanceOf(address, sandboxAssets.USDC)).toBe(10_000_000_000_015n);
  });

  it.each([
    ['text', 'order 7', { type: 1 }],
    ['id', '18446744073709551615', { type: 2, id: 18_446_744_073_709_551_615n }],
    ['hash', 'ab'.repeat(32), { type: 3 }],
    ['return', 'cd'.repeat(32), { type: 4 }],
  ] as const)('has a memo: %s', async (memoType, memo, expected) => {
    const address = stranger();
    const { hash } = await network.money.pay({ address, asset: 'XLM', amount: 20_000_000n, memo, memoType });
    const row = await database.pool.query('select envelope from sandbox.stellar_transactions where hash = $1', [hash]);
    expect(decodeEnvelope(row.rows[0].envelope).transaction.memo).toMatchObject(expected);
  });

  it('reaches muxed addresses', async () => {
    const account = await holder(sandboxAssets.EURC);
    const address = new MuxedAccount(new Account(account, '0'), '77').accountId();
    const { hash } = await network.money.pay({ address, asset: sandboxAssets.EURC, amount: 3n });
    const row = await database.pool.query('select envelope from sandbox.stellar_transactions where hash = $1', [hash]);
    const [only] = decodeEnvelope(row.rows[0].envelope).transaction.operations;
    expect(only?.body).toMatchObject({ paymentOp: { destination: { type: 256, med25519: { id: 77n } } } });
  });

  it.each([
    ['no_account', { address: stranger(), asset: sandboxAssets.USDC }, /must first be opened with XLM/],
    ['malformed', { address: 'GNOBODY', asset: 'XLM' }, /is not a Stellar address/],
    ['malformed', { address: stranger(), asset: 'XLM', memo: 'x'.repeat(29) }, /28 bytes/],
    ['malformed', { address: stranger(), asset: 'XLM', memo: 'x', memoType: 'id' }, /64-bit/],
  ] as const)('is refused with a reason: %s', async (problem, payment, message) => {
    const paid = network.money.pay({ amount: 10_000_000n, ...payment });
    await expect(paid).rejects.toMatchObject({ name: 'SandboxMoneyError', problem });
    await expect(paid).rejects.toThrow(message);
  });

  it('is refused for an account without the trustline', async () => {
    const address = await holder(sandboxAssets.EURC);
    const paid = network.money.fill(address, sandboxAssets.USDC);
    await expect(paid).rejects.toMatchObject({ problem: 'no_trust' });
    await expect(paid).rejects.toThrow('has no trustline to USDC:');
  });

  it('is refused for an unknown asset', async () => {
    const issuer = stranger();
    await network.money.open(issuer);
    const asset = `USDC:${issuer}`;
    const paid = network.money.pay({ address: await holder(asset), asset, amount: 1n });
    await expect(paid).rejects.toMatchObject({ problem: 'refused' });
    await expect(paid).rejects.toThrow(`has no ${asset} to give`);
  });

  it('is paid more often at once than a ledger accepts per source', async () => {
    const address = await holder(sandboxAssets.USDC);
    const payments = Array.from({ length: 90 }, () =>
      network.money.pay({ address, asset: sandboxAssets.USDC, amount: 1n }),
    );
    const receipts = await Promise.all(payments);
    expect(new Set(receipts.map(({ hash }) => hash)).size).toBe(90);
    expect(await balanceOf(address, sandboxAssets.USDC)).toBe(90n);
  }, 20_000);

  it('is given by friendbot to an account once', async () => {
    const address = stranger();
    await network.money.fundNewAccount(address);
    expect(await balanceOf(address, 'XLM')).toBe(100_000_000_000n);
    await expect(network.money.fundNewAccount(address)).rejects.toMatchObject({ problem: 'account_exists' });
  });
});
