import { type Keypair, Operation } from '@stellar/stellar-sdk';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../../src/api/payment.ts';
import { createApp } from '../../../../src/server/app.ts';
import { saveDeposits } from '../../../../src/server/payments/crypto/deposit.store.ts';
import { createDatabase } from '../../../../src/server/platform/db/database.ts';
import { createLog } from '../../../../src/server/platform/logging.ts';
import { loadRootSecret } from '../../../../src/server/platform/root-secret.store.ts';
import { readConfig } from '../../../../src/server/settings/config.ts';
import { costOf, logStatements, type StatementLog } from '../../../support/statements.ts';
import { askedOf, assetOf, type CryptoLab, startCryptoLab } from './crypto-lab.ts';

let lab: CryptoLab;
let wallet: Keypair;
let log: StatementLog;
beforeAll(async () => {
  log = logStatements();
  lab = await startCryptoLab();
  wallet = await lab.openWallet('USDC');
  await lab.send({ address: wallet.publicKey(), amount: '900000' });
  return async () => {
    await lab.expectSoundBooks();
    await lab.close();
    log.stop();
  };
}, 60_000);
afterEach(() => faults());

type Fault = Readonly<Record<string, string | number | boolean>>;
const faults = (...on: Fault[]) => lab.request('PUT /sandbox/stellar/faults' as 'GET /', { body: { faults: on } });
const whole = '139.9560000';

/** Creates payments with instructions for the payer. */
async function many(count: number): Promise<Payment[]> {
  const made: Payment[] = [];
  const makers = Array.from({ length: 10 }, async () => {
    while (made.length < count) made.push(await lab.createForCrypto());
  });
  await Promise.all(makers);
  return made.slice(0, count);
}

/** Pays all on the ledger, a hundred in a transaction, while no server reads the ledger. */
async function payAll(payments: readonly Payment[]): Promise<void> {
  for (let first = 0; first < payments.length; first += 100) {
    const batch = payments.slice(first, first + 100);
    const payment = { asset: assetOf('USDC'), amount: whole };
    await lab.transact(
      wallet,
      batch.map(one => Operation.payment({ ...payment, destination: askedOf(one).address })),
    );
  }
}

const statusesOf = async (payments: readonly Payment[]): Promise<string[]> => {
  const { rows } = await lab.database.pool.query('select distinct status from audit_payments where id = any($1)', [
    payments.map(({ id }) => id),
  ]);
  return rows.map(({ status }) => status);
};
const allPaid = (payments: readonly Payment[]) =>
  lab.until(async () => (await statusesOf(payments)).join() === 'completed');
const look = async () => {
  lab.clock.advance(5);
  await lab.sweep('payments.deposits');
};

describe('a stopped deposit reader', { timeout: 60_000 }, () => {
  const remarks = async (): Promise<string[]> => (await lab.request('GET /readyz', { key: null })).body.remarks ?? [];
  const unread = async () => {
    const { text } = await lab.request('GET /metrics', { key: null });
    return Number(/pay_deposits_unread_seconds\{chain="stellar"\} (\S+)/.exec(text)?.[1]);
  };

  it.each<[string, Fault]>([
    ['the network is unavailable', { fault: 'unavailable', path: '/accounts' }],
    ['the history at its cursor was deleted', { fault: 'history_gone' }],
  ])('is reported on /readyz and /metrics while %s, and no longer afterwards', async (_, fault) => {
    // While no payment is open, accounts are read less often.
    await many(1);
    await look();
    expect([await remarks(), await unread()]).toEqual([[], 0]);
    await faults(fault);
    await look();
    lab.clock.advance(40);
    await look();
    expect([await remarks(), await unread()]).toEqual([[], 50]);
    lab.clock.advance(20);
    expect(await remarks()).toEqual([expect.stringMatching(/^deposits: .* on stellar have not been read for \d+ s/)]);
    expect(await unread()).toBeGreaterThanOrEqual(70);
    await faults();
    await look();
    expect([await remarks(), await unread()]).toEqual([[], 0]);
  });
});

describe('the deposit reader', { timeout: 60_000 }, () => {
  it('credits hundreds of deposits, each once, with its events', async () => {
    // A full page and one more payment.
    const payments = await many(201);
    await payAll(payments);
    await look();
    expect(await statusesOf(payments)).toEqual(['completed']);
    const { rows } = await lab.database.pool.query(
      `select count(*)::int, count(distinct resource_id)::int as payments, max(sequence) from audit_events
       where type = 'payment.completed' and resource_id = any($1)`,
      [payments.map(({ id }) => id)],
    );
    expect(rows).toEqual([{ count: 201, payments: 201, max: 2 }]);
  });

  it('credits deposits during an outage of two days as in time, although sessions have ended', async () => {
    const payments = await many(30);
    await payAll(payments);
    await faults({ fault: 'unavailable', path: '/accounts' });
    lab.clock.advance(48 * 3_600);
    await look();
    await lab.sweep('payments.expire');
    expect(await statusesOf(payments)).toEqual(['failed']);
    await faults();
    await allPaid(payments);
    expect(await lab.read(payments[0]?.id ?? '')).toMatchObject({ phase: 'paid', exception: null, failure: null });
    expect(await lab.eventsOf(payments[0]?.id ?? '')).toEqual([
      ...['payment.created', 'payment.failed', 'payment.completed'],
    ]);
  });

  it.each<[string, Fault]>([
    ['the stream is silent', { fault: 'stream_silent' }],
    ['the stream breaks', { fault: 'stream_dropped' }],
    ['it is shown an older ledger for a while', { fault: 'stale', ledgers: 3, count: 4 }],
    ['the history at its cursor is missing for a while', { fault: 'history_gone', count: 3 }],
    ['its requests are limited', { fault: 'rate_limited', count: 3, path: 'own' }],
    ['answers are cut off', { fault: 'truncated', count: 3, path: 'own' }],
    ['answers are pages', { fault: 'html', count: 3, path: 'own' }],
    ['connections break', { fault: 'connection_reset', count: 3, path: 'own' }],
  ])('misses nothing when %s', async (_, fault) => {
    const payments = await many(3);
    await faults(fault['path'] === 'own' ? { ...fault, path: `/accounts/${lab.treasury}` } : fault);
    await payAll(payments);
    await allPaid(payments);
  });

  it('moves its cursor only together with the deposits before it', async () => {
    const payments = await many(3);
    const cursor = async () =>
      (await lab.database.pool.query('select cursor from chain_cursors where custodial')).rows[0].cursor as string;
    const before = await cursor();
    await payAll(payments);
    await faults({ fault: 'history_gone' });
    for (let turn = 0; turn < 3; turn++) await look();
    expect([await cursor(), await statusesOf(payments)]).toEqual([before, ['pending']]);
    await faults();
    await allPaid(payments);
    expect(BigInt(await cursor())).toBeGreaterThan(BigInt(before));
  });

  it('books a page of deposits in a fixed number of round trips', async () => {
    const cost = async (count: number) => {
      await payAll(await many(count));
      lab.clock.advance(5);
      log.clear();
      await lab.sweep('payments.deposits');
      return costOf(log.statements);
    };
    await cost(1);
    const { roundTrips, commits } = await cost(20);
    expect(roundTrips).toBeLessThanOrEqual(18);
    expect(commits).toBeLessThanOrEqual(4);
  });

  it('counts each deposit once when it reads from the beginning again', async () => {
    const [payment] = await many(1);
    await payAll(payment ? [payment] : []);
    await look();
    await lab.database.pool.query("update chain_cursors set cursor = '0' where custodial");
    await look();
    expect(await lab.read(payment?.id ?? '')).toMatchObject({ amount_received: 12_840, exception: null });
  });

  it('runs on one of several servers at a time, each deposit once', async () => {
    // More than one page.
    const payments = await many(201);
    await payAll(payments);
    const others = await Promise.all([anotherServer(), anotherServer()]);
    lab.clock.advance(5);
    const turns = [lab.app, ...others.map(({ app }) => app)].map(app => app.sweeper.runAll(['payments.deposits']));
    await Promise.all(turns);
    await allPaid(payments);
    for (const other of others) await other.close();
    const { rows } = await lab.database.pool.query(
      'select sum(amount_received)::int as sum from audit_payments where id = any($1)',
      [payments.map(({ id }) => id)],
    );
    expect(rows).toEqual([{ sum: 201 * 12_840 }]);
  });

  it('continues after a deposit that cannot be booked', async () => {
    const payment = await lab.createForCrypto();
    await lab.database.pool.query(`update payments set amount_received = 9007199254740990, amount_suspense = 0
      where id = '${payment.id}'`);
    const others = await many(2);
    await payAll([payment, ...others]);
    await look();
    expect(await statusesOf(others)).toEqual(['completed']);
    const stray = (await lab.transfersOf('unmatched')).filter(({ memo }) => memo === null);
    expect(stray.map(({ asset_amount: amount }) => amount)).toContain(whole);
    await lab.database.pool.query(`update payments set amount_received = 0 where id = '${payment.id}'`);
  });

  it('starts at a merchant’s account where it was when an address was first given out', async () => {
    const shop = await lab.openWallet('USDC');
    await lab.send({ address: shop.publicKey(), amount: '1' });
    const payment = await lab.createForCrypto({ settlement_mode: 'direct', settlement_address: shop.publicKey() });
    const { rows } = await lab.database.pool.query(
      'select custodial, watch_until from chain_cursors where account = $1',
      [shop.publicKey()],
    );
    expect(rows).toMatchObject([{ custodial: false }]);
    expect(rows[0].watch_until.getTime()).toBeGreaterThan(new Date(payment.session_expires_at).getTime());
    await lab.pay(payment);
    expect((await lab.read(payment.id)).status).toBe('completed');
  });

  it('starts anew at a merchant’s account whose reading has ended', async () => {
    const shop = await lab.openWallet('USDC');
    const direct = { settlement_mode: 'direct', settlement_address: shop.publicKey() };
    await lab.createForCrypto(direct);
    // The chain's server has no history at the cursor where the reading ended.
    const lost = "update chain_cursors set cursor = '9000000000000000000' where account = $1";
    await lab.database.pool.query(lost, [shop.publicKey()]);
    lab.clock.advance(20 * 86_400);
    const payment = await lab.createForCrypto(direct);
    await lab.pay(payment);
    expect((await lab.read(payment.id)).status).toBe('completed');
  });

  it('takes both deposits of one contract call that pays two accounts', async () => {
    const { db, pool } = lab.database;
    const [network, hash] = ['stellar:testnet', 'c0'.repeat(32)];
    const names = { keys: [], memo: null, memoType: null, sender: null };
    const money = { ...names, ref: `${hash}:0`, transactionHash: hash, asset: 'XLM', amount: 1n, at: lab.clock.now() };
    for (const account of ['one', 'two']) {
      const deposit = { ...money, account, block: { height: 1, hash: null }, state: 'final' } as const;
      const fresh = await db.transaction().execute(tx => saveDeposits(tx, { network, account }, [deposit]));
      expect([...fresh]).toEqual([deposit.ref]);
    }
    await pool.query('delete from deposits where tx_hash = $1', [hash]);
  });
});

/** Another server on the same database and ledger. */
async function anotherServer() {
  const database = createDatabase({ connection: lab.database.connection });
  const config = readConfig({ PAY_LOG_LEVEL: 'silent', PAY_HORIZON_URL: lab.horizonUrl });
  const app = await createApp({
    config,
    database,
    connection: lab.database.connection,
    clock: lab.clock,
    rootSecret: await loadRootSecret(database.db),
    log: createLog(config, () => {}),
    publicUrl: () => 'http://localhost:4242',
    browserDir: null,
    testKeys: async () => ({ ...lab.merchant, merchantId: lab.merchant.id, given: [] }),
  });
  await app.http.listen({ port: 0, host: '127.0.0.1' });
  return {
    app,
    close: async () => {
      await app.stop();
      await database.close();
    },
  };
}
