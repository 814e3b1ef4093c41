import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payout, PayoutBatch } from '../../../src/api/payout.ts';
import { newId } from '../../../src/core/id.ts';
import { createApp } from '../../../src/server/app.ts';
import { createDatabase } from '../../../src/server/platform/db/database.ts';
import { createLog } from '../../../src/server/platform/logging.ts';
import { loadRootSecret } from '../../../src/server/platform/root-secret.store.ts';
import { readConfig } from '../../../src/server/settings/config.ts';
import { refusal } from '../payments/payment-lab.ts';
import { allOf, type BulkLab, phone, startBulkLab } from './bulk-lab.ts';

let lab: BulkLab;
beforeAll(async () => {
  lab = await startBulkLab({ now: new Date('2026-11-02T09:00:00Z'), merchant: { timezone: 'Europe/Berlin' } });
});
afterAll(async () => {
  // The operator reports a second later that it has paid.
  await lab.sweep('payouts.batches', 'payouts.send', 'outbound.send');
  await lab.expectSoundBooks();
  await lab.close();
});

const monthly = {
  type: 'recurring',
  rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1',
  starts_at: '2026-11-30T09:00:00Z',
  timezone: 'Etc/UTC',
};
const daily = { ...monthly, rrule: 'FREQ=DAILY;COUNT=3' };
const recur = (schedule: object, options: object = {}, rows: readonly object[] = [phone]) =>
  lab.accept(rows, { schedule, ...options });
const read = async (id: string): Promise<PayoutBatch> => (await lab.request(`GET /v1/payout-batches/${id}`)).body;
/** The batches that a recurring batch has created, oldest first. */
const runsOf = async (id: string): Promise<(PayoutBatch & { id: string })[]> =>
  (await lab.request(`GET /v1/payout-batches?limit=100&recurring_batch=${id}`)).body.data.toSorted(
    (a: PayoutBatch, b: PayoutBatch) => (a.occurrence_at ?? '').localeCompare(b.occurrence_at ?? ''),
  );
const payoutsOf = (id: string) => allOf<Payout>(lab, `/v1/payout-batches/${id}/payouts`);
const patch = (id: string, body: object, key = lab.merchant.secretKey) =>
  lab.request(`PATCH /v1/payout-batches/${id}`, { body, key });
/** Moves the merchant's clock to a moment without running sweeps. */
async function clockTo(moment: string): Promise<void> {
  const { now } = (await lab.request('GET /v1/test_helpers/clock')).body;
  lab.clock.advance((Date.parse(moment) - Date.parse(now)) / 1000);
}
const sweep = () => lab.sweep('payouts.batches');

/** Another server on the database of the lab, with its clock. */
async function startReplica() {
  const { database, clock } = lab;
  const config = { ...readConfig({ PAY_LOG_LEVEL: 'error' }), role: 'api' as const };
  const own = createDatabase({ connection: database.connection });
  const app = await createApp({
    config,
    database: own,
    connection: database.connection,
    clock,
    browserDir: null,
    rootSecret: await loadRootSecret(own.db),
    log: createLog(config, () => undefined),
    publicUrl: () => 'http://localhost:4242',
    testKeys: async () => ({ ...lab.merchant, merchantId: lab.merchant.id, given: [] }),
  });
  await app.start();
  return {
    sweep: () => app.sweeper.runAll(['payouts.batches']),
    stop: async () => {
      await app.stop();
      await own.close();
    },
  };
}

describe('a recurring batch', () => {
  it('shows its next runs, and holds neither payouts nor money', async () => {
    await lab.fund(1_000);
    const before = await lab.balance();
    const batch = await recur(monthly, { description: 'Salaries' });
    expect(batch).toMatchObject({
      status: 'scheduled',
      description: 'Salaries',
      recurring_batch: null,
      counts: { total: 1, accepted: 1, pending: 0 },
      next_runs: ['2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28', '2027-03-31'].map(d => `${d}T09:00:00.000Z`),
    });
    const { data } = (await lab.request('GET /v1/payout-batches?limit=100')).body;
    expect(data).toContainEqual(await read(batch.id));
    expect(await payoutsOf(batch.id)).toEqual([]);
    expect(await lab.balance()).toEqual(before);
    const stopped = await lab.request(`POST /v1/payout-batches/${batch.id}/cancel`);
    expect(stopped.body).toMatchObject({ status: 'canceled', next_runs: [] });
    await clockTo('2026-11-30T09:00:00Z');
    await sweep();
    expect(await runsOf(batch.id)).toEqual([]);
    expect(await lab.eventsOf(batch.id)).toEqual(['payout_batch.created', 'payout_batch.canceled']);
  });

  it('runs in the zone of the account unless it names one', async () => {
    const { schedule, next_runs: runs, id } = await recur({ ...monthly, timezone: undefined, rrule: 'FREQ=MONTHLY' });
    expect(schedule).toMatchObject({ timezone: 'Europe/Berlin' });
    expect(runs.slice(0, 2)).toEqual(['2026-12-30T09:00:00.000Z', '2027-01-30T09:00:00.000Z']);
    await lab.request(`POST /v1/payout-batches/${id}/cancel`);
  });

  it.each([
    ['rrule', { rrule: 'FREQ=HOURLY' }],
    ['rrule', { rrule: 'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30' }],
    ['rrule', { rrule: 'FREQ=DAILY;UNTIL=20269999' }],
    ['rrule', { rrule: 'FREQ=DAILY;COUNT=2;UNTIL=20271231' }],
    ['rrule', { rrule: 'FREQ=DAILY;UNTIL=20261101' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['starts_at', { starts_at: '2070-01-01T00:00:00Z' }],
    ['starts_at', { starts_at: '1999-01-01T00:00:00Z' }],
    ['ends_at', { ends_at: '2026-11-29T09:00:00Z' }],
    ['ends_at', { starts_at: '2026-01-01T09:00:00Z', ends_at: '2026-02-01T09:00:00Z' }],
    ['ends_at', { rrule: 'FREQ=DAILY;UNTIL=20271231', ends_at: '2027-11-29T09:00:00Z' }],
  ])('is refused for its %s: %o', async (field, changes) => {
    const answer = await lab.bulk([phone], { schedule: { ...monthly, ...changes } });
    expect(refusal(answer)).toEqual([400, 'invalid_schedule', `schedule.${field}`]);
  });

  it('makes each run once: with three servers, a restart, and a clock that jumps ahead and back', async () => {
    await lab.fund(1_000);
    await clockTo('2026-12-01T00:00:00Z');
    const startsAt = '2026-12-31T09:00:00Z';
    const batch = await recur({ ...monthly, starts_at: startsAt, rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=24' }, {}, [
      { ...phone, amount: 10, reference: 'salary-7' },
    ]);
    const replicas = [await startReplica(), await startReplica()];
    const all = () => Promise.all([sweep(), ...replicas.map(replica => replica.sweep())]);
    const days = 86_400;
    for (let month = 0; month < 12; month++) {
      lab.clock.advance(31 * days);
      await all();
    }
    lab.clock.advance(-40 * days);
    await all();
    await replicas.pop()?.stop();
    replicas.push(await startReplica());
    // More than a year without a server.
    lab.clock.advance(480 * days);
    await all();
    await Promise.all(replicas.map(replica => replica.stop()));
    const runs = await runsOf(batch.id);
    expect(runs).toHaveLength(24);
    expect(runs.map(run => run.status)).toEqual(Array(24).fill('processing'));
    const references = (await Promise.all(runs.map(run => payoutsOf(run.id)))).map(([payout]) => payout?.reference);
    const first = new Date(startsAt);
    const ends = Array.from({ length: 24 }, (_, month) =>
      new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month + 1, 0)).toISOString().slice(0, 10),
    );
    expect(references).toEqual(ends.map(day => `salary-7/${day}`));
    expect(await read(batch.id)).toMatchObject({
      status: 'completed',
      next_runs: [],
      completed_at: expect.any(String),
    });
    expect(await lab.eventsOf(batch.id)).toEqual(['payout_batch.created', 'payout_batch.completed']);
  }, 120_000);
});

describe('a run', () => {
  const soon = async () => {
    const { now } = (await lab.request('GET /v1/test_helpers/clock')).body;
    return { ...daily, starts_at: new Date(Date.parse(now) + 3_600_000).toISOString() };
  };

  it('that the balance does not cover fails alone, and the next one pays', async () => {
    const amount = ((await lab.balance())['available EUR'] ?? 0) + 50;
    const batch = await recur(await soon(), {}, [{ ...phone, amount }]);
    lab.clock.advance(3_600);
    await sweep();
    const [short] = await runsOf(batch.id);
    expect(short).toMatchObject({ status: 'failed', counts: { accepted: 0, rejected: 1 }, totals: [] });
    expect(short?.errors).toMatchObject([{ code: 'insufficient_funds' }]);
    expect(await lab.eventsOf(short?.id ?? '')).toEqual(['payout_batch.created', 'payout_batch.completed']);
    await lab.fund(50);
    lab.clock.advance(86_400);
    await sweep();
    expect((await runsOf(batch.id)).map(({ status }) => status)).toEqual(['failed', 'processing']);
    await lab.request(`POST /v1/payout-batches/${batch.id}/cancel`);
  });

  it('waits for no approval when the recurring batch was approved; other rows ask again', async () => {
    await lab.fund(1_000);
    const other = await lab.addKey(lab.merchant.id, 'secret', { person: newId('person') });
    const batch = await recur(await soon(), { approval: {} });
    expect(batch).toMatchObject({ status: 'awaiting_approval', next_runs: expect.any(Array) });
    lab.clock.advance(3_600);
    await sweep();
    expect(await runsOf(batch.id)).toEqual([]);
    const approve = (key: string) => lab.request(`POST /v1/payout-batches/${batch.id}/approve`, { key });
    expect(refusal(await approve(lab.merchant.secretKey))).toEqual([403, 'approval_required', null]);
    expect((await approve(other)).body).toMatchObject({ status: 'scheduled' });
    await sweep();
    expect(await runsOf(batch.id)).toMatchObject([{ status: 'processing' }]);
    const changed = await patch(batch.id, { payouts: [{ ...phone, amount: 200 }] }, other);
    expect(changed.body).toMatchObject({ status: 'awaiting_approval', totals: [{ amount: 200 }] });
    // A key that changed the rows cannot approve them.
    expect(refusal(await approve(other))).toEqual([403, 'approval_required', null]);
    expect((await approve(lab.merchant.secretKey)).body).toMatchObject({ status: 'scheduled' });
    lab.clock.advance(86_400);
    await sweep();
    expect((await runsOf(batch.id)).map(({ totals }) => totals[0]?.amount)).toEqual([100, 200]);
    expect(await lab.eventsOf(batch.id)).toEqual([
      ...['payout_batch.created', 'payout_batch.approved', 'payout_batch.updated', 'payout_batch.approved'],
    ]);
    await lab.request(`POST /v1/payout-batches/${batch.id}/cancel`);
  });

  it('waits for another approval when a recipient has another destination than the approved one', async () => {
    await lab.fund(1_000);
    const other = await lab.addKey(lab.merchant.id, 'secret', { person: newId('person') });
    const { destination, ...row } = phone;
    const { body: recipient } = await lab.request('POST /v1/recipients', {
      body: { name: 'Ada', type: 'individual', destinations: [destination] },
    });
    const rows = [{ ...row, recipient_id: recipient.id }];
    const batch = await lab.accept(rows, { approval: {}, schedule: await soon() });
    await lab.request(`POST /v1/payout-batches/${batch.id}/approve`, { key: other });
    const statuses = async () => {
      lab.clock.advance(86_400);
      await sweep();
      return (await runsOf(batch.id)).map(({ status }) => status);
    };
    expect(await statuses()).toEqual(['processing']);
    const mallory = { ...destination, number: '+256772999999' };
    await lab.request(`PATCH /v1/recipients/${recipient.id}`, { body: { destinations: [mallory] } });
    expect(await statuses()).toEqual(['processing', 'awaiting_approval']);
    await lab.request(`PATCH /v1/recipients/${recipient.id}`, { body: { destinations: [destination] } });
    expect(await statuses()).toEqual(['processing', 'awaiting_approval', 'processing']);
    await lab.request(`POST /v1/payout-batches/${batch.id}/cancel`);
  });

  it('follows another rule, never twice for one moment', async () => {
    await lab.fund(1_000);
    const schedule = await soon();
    const batch = await recur(schedule);
    lab.clock.advance(3_600);
    await sweep();
    lab.clock.advance(-60);
    const { body } = await patch(batch.id, {
      schedule: { ...schedule, rrule: 'FREQ=DAILY;COUNT=2' },
      description: 'B',
    });
    expect(body).toMatchObject({ description: 'B', status: 'scheduled', next_runs: [expect.any(String)] });
    lab.clock.advance(90_000);
    await sweep();
    expect(await runsOf(batch.id)).toHaveLength(2);
    expect(await read(batch.id)).toMatchObject({ status: 'completed' });
    expect(refusal(await patch(batch.id, { schedule }))).toEqual([409, 'payout_in_flight', null]);
  });

  it('accepts long references at creation only if the date fits', async () => {
    const answer = await lab.bulk([{ ...phone, reference: 'r'.repeat(90) }], { schedule: await soon() });
    expect(refusal(answer)).toEqual([400, 'parameter_invalid', 'payouts[0].reference']);
  });
});

describe('a scheduled batch', () => {
  const at = async (hours: number) => {
    const { now } = (await lab.request('GET /v1/test_helpers/clock')).body;
    return { type: 'scheduled', at: new Date(Date.parse(now) + hours * 3_600_000).toISOString() };
  };

  it('can be moved, starts at its time, and cannot be changed afterwards', async () => {
    await lab.fund(1_000);
    const batch = await recur(await at(1));
    const later = await at(2);
    expect((await patch(batch.id, { schedule: later })).body).toMatchObject({ status: 'scheduled', schedule: later });
    lab.clock.advance(3_600);
    await sweep();
    expect(await payoutsOf(batch.id)).toMatchObject([{ status: 'scheduled' }]);
    lab.clock.advance(3_600);
    await Promise.all([sweep(), sweep()]);
    expect(await read(batch.id)).toMatchObject({ status: 'processing' });
    const [payout] = await payoutsOf(batch.id);
    expect(payout).toMatchObject({ status: 'queued', scheduled_at: later.at });
    expect(await lab.eventsOf(payout?.id ?? '')).toEqual(['payout.created', 'payout.queued']);
    expect(refusal(await patch(batch.id, { schedule: await at(1) }))).toEqual([409, 'payout_in_flight', null]);
  });

  it('starts at once when its schedule says so', async () => {
    await lab.fund(1_000);
    const batch = await recur(await at(1));
    const { body } = await patch(batch.id, { schedule: { type: 'immediate' } });
    expect(body).toMatchObject({ status: 'processing' });
    expect(await payoutsOf(batch.id)).toMatchObject([{ status: 'queued', scheduled_at: null }]);
  });

  it.each([
    ['payouts', 'parameter_invalid', { payouts: [phone] }],
    ['schedule.type', 'invalid_schedule', { schedule: monthly }],
    ['schedule.at', 'invalid_schedule', { schedule: { type: 'scheduled', at: '2020-01-01T00:00:00Z' } }],
  ])('refuses other %s', async (param, code, body) => {
    await lab.fund(100);
    const batch = await recur(await at(1));
    expect(refusal(await patch(batch.id, body))).toEqual([400, code, param]);
    await lab.request(`POST /v1/payout-batches/${batch.id}/cancel`);
  });
});
