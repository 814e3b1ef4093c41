import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PayoutBatch } from '../../src/api/payout.ts';
import { findUnsoundBooks } from '../support/audit.ts';
import { type FiledOrder, fileComplaints, misfiled } from './file-complaints.ts';
import { horizonFaults } from './horizon-faults.ts';
import { KilledService } from './killed-service.ts';
import { amountOf, endOf, isEnd, isToBank, payoutRows } from './payout-rows.ts';
import { breakRails, healRails } from './rail-faults.ts';
import { report, roundSeconds, seed, seeded } from './round.ts';

/** Number of payouts in the request, and number of kills until all have ended. */
const { payouts, kills } = roundSeconds === null ? { payouts: 10_000, kills: 20 } : { payouts: 300, kills: 3 };
const patienceMs = roundSeconds === null ? 1_800_000 : 180_000;
const longestBetweenKillsMs = roundSeconds === null ? 15_000 : 4_000;
const random = seeded(seed);
/** The merchant's balance before, in cents. */
const funds = 100_000_000_00;
const payees: string[] = [];
const service = new KilledService({ ledgerMs: 500, patienceMs });

let batch: PayoutBatch & { readonly id: string };
/** How many payouts had ended before the last kill. */
let endedBefore = 0;

beforeAll(async () => {
  await service.start();
  for (let i = 0; i < 4; i++) payees.push(await service.openAccount());
  await succeed('POST /v1/test_helpers/fund', { currency: 'USD', amount: funds }, 'fund');
  await service.putFaults(horizonFaults);
  await breakRails(await service.pool());
  const accepted = succeed('POST /v1/payouts/bulk', { payouts: payoutRows(payouts, payees) }, 'payroll');
  // The first kill may meet the acceptance itself; the others meet all that follows.
  while (service.kills < kills) {
    endedBefore = await untilEnded((payouts * service.kills) / kills);
    await sleep(500 + random() * 2_500);
    await service.kill();
  }
  batch = (await accepted).body;
  await service.putFaults([]);
  const met = await healRails(await service.pool());
  await service.until('all payouts have ended', async () => {
    // The lease of a file ends by the real clock.
    if (roundSeconds !== null) await service.query('update bank_files set due_at = now() where due_at > now()');
    // Slow operators answer after a minute, banks within days, and leases of killed servers end.
    await service.call('POST /v1/test_helpers/clock', { advance: 'PT6H' });
    batch = (await service.call(`GET /v1/payout-batches/${batch.id}`)).body;
    return batch.completed_at !== null;
  });
  await service.until('all transfers are booked', async () => {
    const [row] = await service.query('select count(*)::int as open from outbound_transfers where not booked');
    return row?.['open'] === 0;
  });
  await service.until('all returns are booked', async () => {
    await service.call('POST /v1/test_helpers/clock', { advance: 'PT6H' });
    const rows = await service.query("select position from payouts where status = 'completed'");
    return rows.every(({ position }) => endOf(position) === 'completed');
  });
  batch = (await service.call(`GET /v1/payout-batches/${batch.id}`)).body;
  report(
    `${batch.counts.completed} of ${payouts} payouts completed, ${service.kills} kills (${endedBefore} had ended before the last), ${met} faults of banks and operators`,
  );
}, patienceMs);

afterAll(() => service.close());

/** Repeats the call until it succeeds, across kills of the service. */
async function succeed(route: string, body: object, key: string) {
  const reply = await service.insist(route, body, key);
  if (reply.status >= 300) throw new Error(`${route}: ${reply.status} ${reply.text}`);
  return reply;
}

/** Waits until so many payouts have ended, but not for long, because a kill delays them. Returns how many have. */
async function untilEnded(count: number): Promise<number> {
  let ended = 0;
  for (const giveUp = performance.now() + longestBetweenKillsMs; performance.now() < giveUp; await sleep(200)) {
    const [row] = await service.query(
      "select count(*)::int as ended from payouts where status in ('completed', 'failed', 'returned')",
    );
    ended = row?.['ended'];
    if (ended >= count) break;
  }
  return ended;
}

describe('payouts of one request with faults, while the service is killed repeatedly', () => {
  it('were accepted once', async () => {
    expect(await service.query('select count(*)::int as batches from payout_batches')).toEqual([{ batches: 1 }]);
    const { total, accepted, pending } = batch.counts;
    expect({ total, accepted, pending }).toEqual({ total: payouts, accepted: payouts, pending: 0 });
  });

  it('end each as its payee decides, whatever happened on the way', async () => {
    const rows = await service.query('select position, status, failure_code from payouts');
    expect(rows.filter(({ position, status }) => !isEnd(status, endOf(position), isToBank(position)))).toEqual([]);
  });

  it('on Stellar are each applied on the ledger once when completed, exact to the stroop, and else never', async () => {
    const arrived = await service.arrivals(payees);
    const rows = await service.query(
      `select position, status, paid_amount from payouts where rail = 'stellar' and destination ->> 'address' like 'M%'`,
    );
    expect(rows.length).toBeGreaterThan(payouts / 2);
    const wrong = rows.filter(({ position, status, paid_amount: amount }) => {
      const payments = arrived.get(String(position)) ?? [];
      return payments.length !== (status === 'completed' ? 1 : 0) || payments.some(one => one.amount !== amount);
    });
    expect(wrong).toEqual([]);
    expect([...arrived.keys()].filter(id => !rows.some(({ position }) => String(position) === id))).toEqual([]);
  });

  it('to banks are each in one valid file that the bank has', async () => {
    const files = await service.query(
      'select f.name, content from bank_files f join sandbox.bank_files b on b.name = f.name',
    );
    const contents = new Map(files.map(({ name, content }) => [String(name), String(content)]));
    const orders = await service.query(
      `select replace(o.rail, 'payout:', '') as rail, o.id, o.amount from payouts p
       join outbound_transfers o on o.merchant_id = p.merchant_id and o.resource_id = p.id
       where p.destination ->> 'type' = 'bank_account'`,
    );
    expect(orders).toHaveLength((payouts / 10) * 3);
    expect(misfiled([...contents.values()], orders as FiledOrder[])).toEqual([]);
    expect(await fileComplaints(contents)).toEqual([]);
  }, 120_000);

  it('to mobile money are each paid by the operator once, and fail where it refuses', async () => {
    const wrong = await service.query(
      `select p.position, p.status, count(m.id)::int as paid from payouts p
       left join outbound_transfers o on o.merchant_id = p.merchant_id and o.resource_id = p.id
       left join sandbox.mobile_transfers m on m.order_id = o.id and m.outcome = 'completed'
       where p.destination ->> 'type' = 'mobile_money' group by p.position, p.status
       having count(m.id) <> case when p.status in ('completed', 'returned') then 1 else 0 end`,
    );
    expect(wrong).toEqual([]);
  });

  it('have each one event for every step, in order', async () => {
    const wrong = await service.query(
      `select resource_id, array_agg(type order by sequence) from events where resource_id in (select id from payouts)
       group by resource_id having min(sequence) <> 1 or max(sequence) <> count(*) or count(distinct type) <> count(*)`,
    );
    expect(wrong).toEqual([]);
  });

  it('leave no transaction that is still open', async () => {
    expect(
      await service.query("select id, state from outbound_transfers where state not in ('completed', 'failed')"),
    ).toEqual([]);
    expect(await service.query("select id, state from carriers where state in ('built', 'submitted')")).toEqual([]);
  });

  it('never had two transactions at a time that could both be applied', async () => {
    expect(await service.overlapping()).toEqual([]);
  });

  it('leave balances that are right to the cent, and consistent books', async () => {
    const paid = Array.from({ length: payouts }, (_, position) =>
      endOf(position) === 'completed' ? amountOf(position) : 0,
    );
    const { body } = await service.call('GET /v1/balance');
    expect(body.reserved).toEqual([]);
    expect(body.available).toMatchObject([{ currency: 'USD', amount: funds - paid.reduce((sum, one) => sum + one) }]);
    expect(await findUnsoundBooks(await service.pool())).toEqual({});
  });
});
