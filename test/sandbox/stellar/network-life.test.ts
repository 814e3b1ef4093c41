import { Asset, Keypair, Networks, Operation, TransactionBuilder } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp } from '../../support/app.ts';
import { envelopeOf, type StellarLab, type StellarServer, startStellarLab } from './stellar-lab.ts';

let lab: StellarLab;
let alice: Keypair;
let bob: Keypair;

beforeAll(async () => {
  lab = await startStellarLab();
  [alice, bob] = await Promise.all([lab.newAccount(), lab.newAccount()]);
}, 60_000);
afterAll(() => lab.close());

const pay = (to: Keypair, amount: string) =>
  Operation.payment({ destination: to.publicKey(), asset: Asset.native(), amount });

async function xlmOf(server: StellarServer, key: Keypair): Promise<string | undefined> {
  return (await server.sdk.loadAccount(key.publicKey())).balances.at(-1)?.balance;
}

describe('the sandbox network', () => {
  it('is the same for every server of a database, whichever closes a ledger', async () => {
    const other = await lab.anotherServer();
    const { hash } = await lab.send(alice, [pay(bob, '5')]);
    expect((await other.sdk.transactions().transaction(hash).call()).successful).toBe(true);
    expect(await xlmOf(other, bob)).toBe(await xlmOf(lab, bob));
    const back = await other.send(bob, [pay(alice, '5')]);
    expect((await lab.sdk.loadAccount(bob.publicKey())).sequence).toBe(
      (await other.sdk.loadAccount(bob.publicKey())).sequence,
    );
    expect((await lab.get(`/transactions/${back.hash}`)).status).toBe(200);
    await other.stop();
  });

  it('accepts transactions through two servers at once, each into one ledger', async () => {
    const other = await lab.anotherServer();
    const accounts = await Promise.all(Array.from({ length: 12 }, () => lab.newAccount()));
    const answers = await Promise.all(
      accounts.map((account, index) => (index % 2 === 0 ? lab : other).send(account, [pay(bob, '1')])),
    );
    for (const { hash, ledger } of answers) {
      expect((await other.get(`/transactions/${hash}`)).body.ledger).toBe(ledger);
      expect((await lab.get(`/transactions/${hash}`)).body.ledger).toBe(ledger);
    }
    const { records } = await other.sdk.ledgers().limit(200).call();
    const sequences = records.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)]);
    for (const [index, ledger] of records.entries()) {
      if (index > 0) expect(ledger.prev_hash).toBe(records[index - 1]?.hash);
    }
    await other.stop();
  });

  it('keeps a pending transaction when the server stops', async () => {
    const slow = await startStellarLab({ PAY_SANDBOX_LEDGER_MS: '60000' });
    try {
      // The slow network’s friendbot would wait for a ledger that never closes.
      const first = await slow.anotherServer({ PAY_SANDBOX_LEDGER_MS: '40' });
      const payer = await first.newAccount();
      await first.stop();
      const server = await slow.anotherServer();
      const account = await server.sdk.loadAccount(payer.publicKey());
      const made = Keypair.random();
      const transaction = new TransactionBuilder(account, { fee: '100', networkPassphrase: Networks.TESTNET })
        .addOperation(Operation.createAccount({ destination: made.publicKey(), startingBalance: '7' }))
        .setTimeout(0)
        .build();
      transaction.sign(payer);
      expect((await server.post('/transactions_async', envelopeOf(transaction))).status).toBe(201);
      expect((await server.get(`/accounts/${made.publicKey()}`)).status).toBe(404);
      await server.stop();
      expect((await slow.post('/transactions_async', envelopeOf(transaction))).status).toBe(409);
      const quick = await slow.anotherServer({ PAY_SANDBOX_LEDGER_MS: '40' });
      await expect.poll(() => xlmOf(quick, made).catch(() => 'nothing'), { timeout: 10_000 }).toBe('7.0000000');
      expect((await slow.get(`/transactions/${Buffer.from(transaction.hash()).toString('hex')}`)).status).toBe(200);
      await quick.stop();
    } finally {
      await slow.close();
    }
  }, 60_000);

  it('closes an empty ledger when it is read after an idle time', async () => {
    const latest = async () => (await lab.sdk.ledgers().order('desc').limit(1).call()).records[0];
    const before = await latest();
    const soon = await latest();
    expect(soon?.sequence).toBe(before?.sequence);
    await expect
      .poll(async () => (await latest())?.sequence, { timeout: 10_000, interval: 500 })
      .toBeGreaterThan(before?.sequence ?? 0);
    const after = await latest();
    expect(after?.operation_count).toBe(0);
    expect(Date.parse(after?.closed_at ?? '') - Date.parse(before?.closed_at ?? '')).toBeGreaterThanOrEqual(5_000);
  }, 20_000);

  it('deletes old empty ledgers, and none with transactions', async () => {
    const idle = await startTestApp();
    const list = async (query: string) => {
      const { text } = await idle.request(`GET /sandbox/horizon/ledgers?${query}`, { key: null });
      const { _embedded } = JSON.parse(text);
      return _embedded.records as readonly { readonly sequence: number; readonly tx_set_operation_count: number }[];
    };
    const filled = (await list('limit=200')).filter(ledger => ledger.tx_set_operation_count > 0);
    for (let look = 0; look < 150; look++) {
      idle.clock.advance(5);
      await list('limit=1');
    }
    const left = await list('order=desc&limit=200');
    expect(left.filter(ledger => ledger.tx_set_operation_count > 0)).toEqual(filled.toReversed());
    expect(left.length - filled.length).toBe(120);
    expect(left[0]?.sequence).toBe(150 + 5);
    await idle.close();
  }, 30_000);
});
