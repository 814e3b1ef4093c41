import { randomUUID } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import type { OutboundRow } from '../../../../src/server/outbound/outbound.ts';
import type { IncomingPayment } from '../../../../src/server/stellar/network.ts';
import { memoRequiredEntry, type StellarOperation } from '../../../../src/server/stellar/transaction/operation.ts';
import { validLedgers } from '../../../../src/server/stellar/treasury/envelope.ts';
import { type LabFault, type SettlementLab, startSettlementLab } from '../../settlement/settlement-lab.ts';
import { isSubmitted, queueTransfer, readTransfer, type TestTransfer } from './outbound-lab.ts';

const { USDC } = sandboxAssets;
const unit = 10_000_000n;
let lab: SettlementLab;
let payee: Keypair;
beforeAll(async () => {
  lab = await startSettlementLab();
  payee = await lab.openAccount(USDC);
}, 60_000);
afterEach(async () => {
  await lab.faults();
  expect(await findTwice()).toEqual([]);
});
afterAll(() => lab.close());

const queue = (changes: Partial<TestTransfer> = {}): Promise<OutboundRow> =>
  queueTransfer(lab, { destination: payee.publicKey(), asset: USDC, amount: unit, ...changes });
const find = (row: OutboundRow) => readTransfer(lab, row);

async function ended(row: OutboundRow): Promise<OutboundRow> {
  await lab.until(`${row.id} has ended`, async () => ['completed', 'failed'].includes((await find(row)).state));
  return await find(row);
}

/** Transfers that were sent by more than one applied transaction. */
async function findTwice() {
  const { rows } = await lab.database.pool.query(
    `select c.transfer_id, count(*) from carrier_transfers c
     join carriers e on e.id = c.carrier_id
     join sandbox.stellar_transactions t on t.inner_hash = e.detail ->> 'inner_hash' and t.successful
     group by 1 having count(*) > 1`,
  );
  return rows;
}

const received = async () => BigInt((await lab.holds(payee.publicKey(), USDC)).replace('.', ''));

describe('a transfer', { timeout: 40_000 }, () => {
  it.each<[string, LabFault]>([
    ['504, though it was applied', { fault: 'timeout_after_apply', count: 1 }],
    ['504, and it is applied nine ledgers later', { fault: 'timeout_before_apply', ledgers: 9, count: 1 }],
    ['a connection that breaks before the submission', { fault: 'connection_reset', count: 1 }],
    ['a connection that breaks after the submission', { fault: 'connection_reset', applied: true, count: 1 }],
    ['429', { fault: 'rate_limited', count: 2 }],
    ['503', { fault: 'unavailable', count: 2 }],
    ['an HTML page', { fault: 'html', count: 1 }],
    ['half of a response', { fault: 'truncated', applied: true, count: 1 }],
    ['a duplicate', { fault: 'duplicate', count: 1 }],
    ['tx_bad_seq', { fault: 'bad_sequence', count: 1 }],
    ['an older ledger', { fault: 'stale', ledgers: 3, count: 20, path: '' }],
  ])('is applied once when the network answers with %s', async (_, fault) => {
    await lab.faults({ path: '/transactions', ...fault });
    const before = await received();
    const row = await ended(await queue());
    expect(row).toMatchObject({ state: 'completed', sent_amount: unit, rebuilds: 0 });
    expect((await received()) - before).toBe(unit);
  });

  it('is sent once for a resource, however often it is requested', async () => {
    const before = await received();
    const resourceId = randomUUID();
    const rows = await Promise.all(Array.from({ length: 20 }, () => queue({ resourceId })));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1);
    await ended(rows[0] as OutboundRow);
    expect((await received()) - before).toBe(unit);
  });
});

describe('a transaction that expires', { timeout: 60_000 }, () => {
  /** Closes ledgers without the service: each gift closes one. */
  async function passLedgers(count: number): Promise<void> {
    const other = (await lab.openAccount()).publicKey();
    for (let i = 0; i < count; i++) await lab.give(other, 'XLM');
  }
  const envelopesOf = async (row: OutboundRow) => {
    const { rows } = await lab.database.pool.query(
      `select e.state, e.ended_block >= e.expires_block as proven from carriers e
       join carrier_transfers c on c.carrier_id = e.id where c.transfer_id = $1 order by e.created_at`,
      [row.id],
    );
    return rows;
  };

  it('is replaced once a ledger after its time bound has closed, and never before', async () => {
    await lab.faults({ fault: 'unavailable', path: '/transactions_async' });
    const row = await queue();
    await lab.until('it is on its way', () => isSubmitted(lab, row, { answered: true }));
    await passLedgers(validLedgers - 4);
    expect(await envelopesOf(row)).toMatchObject([{ state: 'submitted' }]);
    await passLedgers(10);
    await lab.until('it is given up', async () => (await find(row)).rebuilds === 1);
    await lab.faults();
    expect(await ended(row)).toMatchObject({ state: 'completed', rebuilds: 1 });
    expect(await envelopesOf(row)).toMatchObject([{ state: 'expired', proven: true }, { state: 'applied' }]);
  });

  it('is not abandoned while it is pending for a ledger within its time bound', async () => {
    await lab.faults({
      fault: 'timeout_before_apply',
      ledgers: validLedgers / 2,
      count: 1,
      path: '/transactions_async',
    });
    const before = await received();
    const row = await queue();
    // Other ledgers close meanwhile, so it may be applied before the answer is seen.
    const isDone = async () => (await find(row)).state === 'completed';
    await lab.until('it is on its way', async () => (await isSubmitted(lab, row, { answered: true })) || isDone());
    await passLedgers(validLedgers);
    expect(await ended(row)).toMatchObject({ state: 'completed', rebuilds: 0 });
    expect((await received()) - before).toBe(unit);
  });

  it('is replaced when the network delayed it beyond its time bound', async () => {
    await lab.faults({ fault: 'timeout_before_apply', ledgers: validLedgers + 4, path: '/transactions_async' });
    const before = await received();
    const row = await queue();
    await lab.until('it is on its way', () => isSubmitted(lab, row, { answered: true }));
    await passLedgers(validLedgers + 8);
    await lab.until('it is given up', async () => (await find(row)).rebuilds > 0);
    await lab.faults();
    expect(await ended(row)).toMatchObject({ state: 'completed' });
    expect((await received()) - before).toBe(unit);
  });
});

describe('many transfers', { timeout: 60_000 }, () => {
  it('are combined into few transactions, and a failing one does not fail the others', async () => {
    const before = await received();
    const frozen = await lab.openAccount(USDC);
    const good = await Promise.all(Array.from({ length: 40 }, () => queue()));
    await lab.until('the first are known', async () => (await find(good[0] as OutboundRow)).state !== 'queued');
    // This payment caches the valid account, so later only the ledger finds the closed trustline.
    const bad = await queue({ destination: frozen.publicKey() });
    await ended(bad);
    const close: StellarOperation = { type: 'payment', destination: payee.publicKey(), asset: USDC, amount: unit };
    await lab.onLedger(frozen, close, { type: 'changeTrust', asset: USDC, limit: 0n });
    const again = await Promise.all([queue(), queue({ destination: frozen.publicKey() }), queue()]);
    const ends = await Promise.all([...good, ...again].map(ended));
    expect(ends.filter(({ state }) => state === 'failed')).toMatchObject([{ failure_code: 'no_trustline' }]);
    expect(ends.filter(({ state }) => state === 'completed')).toHaveLength(42);
    expect((await received()) - before).toBe(43n * unit);
  });

  it('keep their memo on arrival', async () => {
    const memos = [
      { type: 'text', value: 'order 7' },
      { type: 'id', value: '18446744073709551615' },
      { type: 'hash', value: 'ab'.repeat(32) },
    ] as const;
    const rows = await Promise.all([...memos.map(memo => queue({ memo })), queue()].map(async row => ended(await row)));
    expect(new Set(rows.map(({ reference }) => reference)).size).toBe(4);
    const arrived = await allIncoming();
    for (const [index, row] of rows.entries()) {
      const payment = arrived.find(each => each.transactionHash === row.reference);
      expect(payment?.memo).toEqual(memos[index] ?? null);
    }
  });
});

async function allIncoming(): Promise<IncomingPayment[]> {
  const all: IncomingPayment[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await lab.network.incoming(payee.publicKey(), cursor, 200);
    all.push(...page.payments);
    if (!page.more) return all;
    cursor = page.cursor;
  }
}

describe('a destination that cannot receive', { timeout: 40_000 }, () => {
  it('fails the transfer with the reason, before anything is sent', async () => {
    const memo = await lab.openAccount(USDC);
    await lab.onLedger(memo, { type: 'manageData', ...memoRequiredEntry });
    const bare = await lab.openAccount();
    const tight = await lab.openAccount();
    await lab.onLedger(tight, { type: 'changeTrust', asset: USDC, limit: 5n });
    const cases = [
      [memo.publicKey(), 'memo_required'],
      [bare.publicKey(), 'no_trustline'],
      [tight.publicKey(), 'account_limit_reached'],
      [Keypair.random().publicKey(), 'destination_missing'],
    ] as const;
    for (const [destination, code] of cases) {
      const row = await ended(await queue({ destination }));
      expect(row).toMatchObject({ state: 'failed', failure_code: code, carrier_id: null });
    }
  });
});

describe('the treasury', { timeout: 40_000 }, () => {
  it('delays transfers that it cannot afford, and sends them when it can', async () => {
    const NGNC = sandboxAssets.NGNC;
    const rich = await lab.openAccount(NGNC);
    const row = await queue({
      destination: rich.publicKey(),
      asset: NGNC,
      amount: 2_000_000n * unit,
    });
    await lab.until('it is held', async () => (await find(row)).state === 'held');
    expect(await find(row)).toMatchObject({ failure_code: 'treasury_underfunded', carrier_id: null });
    await lab.give(lab.treasury, NGNC);
    await lab.give(lab.treasury, NGNC);
    await lab.until('it is sent', async () => {
      // Make it due again, because the treasury's balance is cached for a moment.
      await lab.database.pool.query(
        `update outbound_transfers set due_at = created_at where id = $1 and state = 'held'`,
        [row.id],
      );
      return (await find(row)).state === 'completed';
    });
    expect(await find(row)).toMatchObject({ state: 'completed' });
  });
});

describe('the database', () => {
  it.each([['queued'], ['failed'], ['held']])(
    'refuses to mark a transfer as %s while its transaction may still be applied',
    async state => {
      await lab.faults({ fault: 'unavailable', path: '/transactions' });
      const row = await queue();
      await lab.until('it is on its way', () => isSubmitted(lab, row));
      const step = lab.database.pool.query(
        `update outbound_transfers set state = $2, failure_code = case when $2 = 'queued' then null else 'x' end where id = $1`,
        [row.id, state],
      );
      await expect(step).rejects.toMatchObject({ code: '23514' });
      await lab.faults();
      await ended(row);
    },
    40_000,
  );
});
