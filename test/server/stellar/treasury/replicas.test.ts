import type { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addSeconds } from '../../../../src/core/clock.ts';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import { claimCarriers, endCarrier, postponeCarrier } from '../../../../src/server/outbound/carrier.store.ts';
import type { OutboundRow } from '../../../../src/server/outbound/outbound.ts';
import type { SubmitOutcome } from '../../../../src/server/stellar/network.ts';
import { inspectEnvelope } from '../../../../src/server/stellar/transaction/transaction.ts';
import { type SettlementLab, startSettlementLab } from '../../settlement/settlement-lab.ts';
import { type EngineOptions, startEngine } from './engine.ts';
import { isSubmitted, queueTransfer, readTransfer, type TestTransfer } from './outbound-lab.ts';

const { USDC } = sandboxAssets;
const unit = 10_000_000n;
let lab: SettlementLab;
let payee: Keypair;
const engines: ReturnType<typeof startEngine>[] = [];
beforeAll(async () => {
  lab = await startSettlementLab();
  payee = await lab.openAccount(USDC);
  // Only the servers of the tests send.
  await lab.app.sweeper.stop();
}, 60_000);
afterEach(async () => {
  await Promise.all(engines.splice(0).map(engine => engine.stop()));
});
afterAll(() => lab.close());

function start(options: EngineOptions = {}) {
  const engine = startEngine(lab, options);
  engines.push(engine);
  return engine;
}

const queue = (changes: Partial<TestTransfer> = {}): Promise<OutboundRow> =>
  queueTransfer(lab, { destination: payee.publicKey(), asset: USDC, amount: unit, ...changes });
const find = (row: OutboundRow) => readTransfer(lab, row);
const untilSubmitted = async (row: OutboundRow) => {
  await lab.until(`${row.id} is submitted`, () => isSubmitted(lab, row));
  return row;
};
const untilState = async (row: OutboundRow, state: OutboundRow['state']) => {
  await lab.until(`${row.id} is ${state}`, async () => (await find(row)).state === state);
  return await find(row);
};
const received = async () => BigInt((await lab.holds(payee.publicKey(), USDC)).replace('.', ''));

describe('several servers', () => {
  it('send each amount once, from any of them', async () => {
    const before = await received();
    for (let server = 0; server < 3; server++) start();
    const rows = await Promise.all(Array.from({ length: 150 }, () => queue()));
    for (const row of rows) await untilState(row, 'completed');
    expect((await received()) - before).toBe(150n * unit);
    const { rows: busy } = await lab.database.pool.query(
      `select detail ->> 'channel', detail ->> 'sequence', count(*) from carriers where state <> 'expired'
       group by 1, 2 having count(*) > 1`,
    );
    expect(busy).toEqual([]);
  }, 60_000);

  it('refuse writes of a server whose lease another has taken over', async () => {
    const row = await queue();
    // The first server submits the transaction and gets no answer.
    const silence = Promise.withResolvers<SubmitOutcome>();
    start({ network: { submit: () => silence.promise } });
    await untilSubmitted(row);
    const { db, pool } = lab.database;
    const state = async (id: string) => {
      const { rows } = await pool.query('select state, due_at, result_code, attempts from carriers where id = $1', [
        id,
      ]);
      return rows[0];
    };
    // The second server claims with a clock that is ahead, so that the lease has ended. The first must find nothing
    // due.
    const [taken] = await claimCarriers(db, 'stellar', {
      limit: 10,
      leaseSeconds: 60,
      now: addSeconds(new Date(), 20),
    });
    if (taken === undefined) throw new Error('nothing was due');
    const held = { state: 'submitted', due_at: taken.due_at, result_code: null, attempts: 2 };
    expect(await state(taken.id)).toEqual(held);
    const stale = { ...taken, attempts: 1 };
    expect(await postponeCarrier(db, stale, { dueAt: new Date() })).toBe(false);
    const end = { state: 'failed', code: 'x', block: { number: 1, closedAt: null }, feeCharged: null } as const;
    expect(await db.transaction().execute(tx => endCarrier(tx, stale, end))).toBe(false);
    expect(await state(taken.id)).toEqual(held);
    // The late answer changes nothing: the second server's attempt stands.
    silence.resolve({ state: 'refused', hash: taken.hash, codes: { transaction: 'tx_bad_auth', operations: [] } });
    await Promise.all(engines.splice(0).map(engine => engine.stop()));
    expect(await state(taken.id)).toEqual(held);
    await pool.query('update carriers set due_at = created_at where id = $1', [taken.id]);
    start();
    await untilState(row, 'completed');
  }, 40_000);
});

describe('a network with a higher fee', () => {
  /** Refuses bids below `least` for their fee, as a full queue does. */
  function fullQueue(least: bigint) {
    const bids: { fee: bigint; inner: string }[] = [];
    const submit = async (envelope: string): Promise<SubmitOutcome> => {
      const inspected = inspectEnvelope(envelope, lab.network.passphrase);
      if (inspected.kind !== 'fee_bump') throw new Error('not a fee bump');
      bids.push({ fee: inspected.fee / 2n, inner: inspected.inner.hash });
      if (inspected.fee / 2n >= least) return await lab.network.submit(envelope);
      return {
        state: 'refused',
        hash: inspected.hash,
        codes: { transaction: 'tx_insufficient_fee', operations: [] },
      };
    };
    // Other senders offer only the lowest fee.
    const fees = async () => ({ base: 100n, usual: 100n, capacityUsed: 1 });
    return { network: { submit, fees }, bids };
  }

  it('receives a higher bid for the same transaction, until it accepts it', async () => {
    const { network, bids } = fullQueue(5_000n);
    start({ network });
    const row = await untilState(await queue(), 'completed');
    expect(row.rebuilds).toBe(0);
    expect(new Set(bids.map(({ inner }) => inner)).size).toBe(1);
    expect([...new Set(bids.map(({ fee }) => fee))]).toEqual([100n, 1_000n, 10_000n]);
  }, 30_000);

  it('receives at most the fee cap, and the transfer waits', async () => {
    const { network, bids } = fullQueue(5_000n);
    start({ network, feeCap: 2_000n });
    const row = await untilSubmitted(await queue());
    await lab.until('the cap is offered', async () => bids.filter(({ fee }) => fee === 2_000n).length > 1);
    expect(bids.every(({ fee }) => fee <= 2_000n)).toBe(true);
    expect(new Set(bids.map(({ inner }) => inner)).size).toBe(1);
    await Promise.all(engines.splice(0).map(engine => engine.stop()));
    start();
    await untilState(row, 'completed');
  }, 30_000);
});

describe('the signer’s caps', () => {
  const caps = (amount: bigint) => new Map([[USDC, amount]]);

  it('distribute transfers over more transactions, and refuse an amount above the cap', async () => {
    start({ transactionCaps: caps(10n * unit) });
    const rows = await Promise.all(Array.from({ length: 25 }, () => queue()));
    const large = await queue({ amount: 11n * unit });
    expect(await untilState(large, 'failed')).toMatchObject({ failure_code: 'over_cap', carrier_id: null });
    for (const row of rows) await untilState(row, 'completed');
    const { rows: sums } = await lab.database.pool.query(
      `select max(total)::text as most from (select sum(amount) as total from outbound_transfers
       where state = 'completed' and id = any ($1) group by carrier_id) each`,
      [rows.map(({ id }) => id)],
    );
    expect(BigInt(sums[0].most)).toBeLessThanOrEqual(10n * unit);
  }, 40_000);

  it('delay transfers above the day’s cap, and do not count unsent ones', async () => {
    const spent = async () => {
      const { rows } = await lab.database.pool.query(`select coalesce(sum(amount), 0)::text as sum from signer_spend`);
      return BigInt(rows[0].sum);
    };
    const before = await spent();
    start({ dayCaps: caps(before + 3n * unit) });
    const first = await queue({ amount: 2n * unit });
    await untilState(first, 'completed');
    const second = await queue({ amount: 2n * unit });
    expect(await untilState(second, 'held')).toMatchObject({ failure_code: 'day_cap' });
    expect((await spent()) - before).toBe(2n * unit);
    await Promise.all(engines.splice(0).map(engine => engine.stop()));
    await lab.database.pool.query('update outbound_transfers set due_at = created_at where id = $1', [second.id]);
    start();
    await untilState(second, 'completed');
  }, 40_000);
});
