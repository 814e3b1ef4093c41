import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payout } from '../../../src/api/payout.ts';
import type { Tx } from '../../../src/server/platform/db/database.ts';
import { refusal } from '../payments/payment-lab.ts';
import { allOf, type BulkLab, phone, startBulkLab } from './bulk-lab.ts';

let lab: BulkLab;
beforeAll(async () => {
  lab = await startBulkLab();
  await lab.fund(100_000);
});
afterAll(async () => {
  // The operator reports a second later that it has paid.
  await lab.sweep('payouts.batches', 'payouts.send', 'outbound.send');
  await lab.expectSoundBooks();
  await lab.close();
});

const to = (number: string, more = {}) => ({
  ...phone,
  ...more,
  destination: { type: 'mobile_money', provider: 'mtn', number },
});
const usual = to('+256772123456');
const refused = to('+256772123089');
const slow = to('+256772123129');
const sentBack = to('+256772123139');
const payoutsOf = (batch: string) => allOf<Payout>(lab, `/v1/payout-batches/${batch}/payouts`);
const read = async (id: string): Promise<Payout> => (await lab.request(`GET /v1/payouts/${id}`)).body;
const act = (id: string, action: string) => lab.request(`POST /v1/payouts/${id}/${action}` as 'POST /');
const actOnBatch = (id: string, action: string) => lab.request(`POST /v1/payout-batches/${id}/${action}` as 'POST /');
const handOver = () => lab.sweep('payouts.send');
/** Hands payouts over, sends them, and reads their outcome a moment later. */
async function send(): Promise<void> {
  await handOver();
  await lab.sweep('outbound.send');
  lab.clock.advance(2);
  await lab.sweep('outbound.send');
}
async function pay(row: object, options: object = {}): Promise<Payout> {
  const [payout] = await payoutsOf((await lab.accept([row], options)).id);
  if (payout === undefined) throw new Error('the batch has no payout');
  return payout;
}

/** Resolves when a transaction waits for a lock of this one. */
async function untilWaiting(tx: Tx): Promise<void> {
  for (;;) {
    const { rows } =
      await sql`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`.execute(tx);
    if (rows.length > 0) return;
  }
}

/** Functions that bring a payout into each state. */
const states = {
  scheduled: () => {
    const at = new Date(lab.clock.now().getTime() + 3_600_000).toISOString();
    return pay(usual, { schedule: { type: 'scheduled', at } });
  },
  queued: () => pay(usual),
  'handed over': async () => {
    const payout = await pay(usual);
    await handOver();
    return payout;
  },
  on_hold: async () => (await act((await pay(usual)).id, 'hold')).body,
  sent: async () => {
    const payout = await pay(slow);
    await send();
    return payout;
  },
  completed: async () => {
    const payout = await pay(usual);
    await send();
    return payout;
  },
  failed: async () => {
    const payout = await pay(refused);
    await send();
    return payout;
  },
  returned: async () => {
    const payout = await pay(sentBack);
    await send();
    await lab.sweep('payouts.returns');
    return payout;
  },
  canceled: async () => (await act((await pay(usual)).id, 'cancel')).body,
} satisfies Record<string, () => Promise<Payout>>;

type State = keyof typeof states;
/** The status after each allowed action. Other actions are refused. */
const allowed: Readonly<Record<string, Partial<Record<State, Payout['status']>>>> = {
  cancel: { scheduled: 'canceled', queued: 'canceled', 'handed over': 'canceled', on_hold: 'canceled' },
  hold: { scheduled: 'on_hold', queued: 'on_hold', 'handed over': 'on_hold' },
  resume: { on_hold: 'queued' },
  retry: { failed: 'queued' },
};
const cases = Object.keys(allowed).flatMap(action =>
  (Object.keys(states) as State[]).map(state => [action, state] as const),
);

describe('an action with a payout', () => {
  it.each(cases)('%s when it is %s', async (action, state) => {
    const { id } = await states[state]();
    const name = state === 'handed over' ? 'queued' : state;
    expect((await read(id)).status).toBe(name);
    const before = { payout: await read(id), events: await lab.eventsOf(id), balance: await lab.balance() };
    const answer = await act(id, action);
    const becomes = allowed[action]?.[state];
    if (becomes === undefined) {
      expect(refusal(answer)).toEqual([409, 'payout_in_flight', null]);
      expect({ payout: await read(id), events: await lab.eventsOf(id), balance: await lab.balance() }).toEqual(before);
      return;
    }
    expect([answer.status, answer.body.status]).toEqual([200, becomes]);
    expect(await lab.eventsOf(id)).toEqual([...before.events, `payout.${becomes}`]);
    // A repeated action is refused.
    expect(refusal(await act(id, action))).toEqual([409, 'payout_in_flight', null]);
    expect(await lab.eventsOf(id)).toHaveLength(before.events.length + 1);
    await act(id, 'cancel');
  });

  it('holds one that was handed over, and pays it once after it is resumed', async () => {
    const available = (await lab.balance())['available EUR'] ?? 0;
    const { id } = await states['handed over']();
    await act(id, 'hold');
    await send();
    expect(await read(id)).toMatchObject({ status: 'on_hold', hold: { code: 'merchant' } });
    await act(id, 'resume');
    await send();
    await send();
    expect(await read(id)).toMatchObject({ status: 'completed', hold: null });
    expect(await lab.eventsOf(id)).toEqual([
      ...['payout.created', 'payout.on_hold', 'payout.queued', 'payout.processing', 'payout.sent', 'payout.completed'],
    ]);
    expect(available - ((await lab.balance())['available EUR'] ?? 0)).toBe(100);
  });
});

describe('a retry of a batch', () => {
  it('pays the failed payouts alone, and reserves their money again', async () => {
    const batch = await lab.accept([usual, refused, usual]);
    await send();
    const before = await payoutsOf(batch.id);
    const available = (await lab.balance())['available EUR'] ?? 0;
    expect(before.map(({ status }) => status).toSorted()).toEqual(['completed', 'completed', 'failed']);
    const { body } = await actOnBatch(batch.id, 'retry');
    expect(body).toMatchObject({ status: 'processing', counts: { completed: 2, pending: 1 }, completed_at: null });
    expect(available - ((await lab.balance())['available EUR'] ?? 0)).toBe(100);
    const paid = before.filter(({ status }) => status === 'completed');
    const after = await payoutsOf(batch.id);
    for (const payout of paid) expect(after).toContainEqual(payout);
    await send();
    expect((await lab.request(`GET /v1/payout-batches/${batch.id}`)).body.status).toBe('partially_completed');
    expect((await lab.balance())['available EUR']).toBe(available);
    expect(refusal(await actOnBatch(batch.id, 'hold'))).toEqual([409, 'payout_in_flight', null]);
  });

  it('answers 402 when the balance is short, and changes nothing', async () => {
    const { batch } = await states.failed();
    const available = (await lab.balance())['available EUR'] ?? 0;
    const rest = await pay({ ...usual, amount: available - 50 });
    expect(refusal(await actOnBatch(batch, 'retry'))).toEqual([402, 'insufficient_funds', null]);
    expect(await payoutsOf(batch)).toMatchObject([{ status: 'failed', attempt: 1 }]);
    await act(rest.id, 'cancel');
  });

  it('of many at once happens once', async () => {
    const { id, batch } = await states.failed();
    const answers = await Promise.all([act(id, 'retry'), actOnBatch(batch, 'retry'), act(id, 'retry')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await read(id)).toMatchObject({ status: 'queued', attempt: 2 });
    await act(id, 'cancel');
  });
});

describe('a cancel while the worker sends', () => {
  it('is carried out after a deadlock with the claim of the worker', async () => {
    const batch = await lab.accept([usual, usual]);
    const [first, last] = (await payoutsOf(batch.id)).map(({ id }) => id ?? '').toSorted();
    const lock = (tx: Tx, id: string | undefined) => sql`select from payouts where id = ${id} for update`.execute(tx);
    const canceled = lab.database.db.transaction().execute(async tx => {
      await lock(tx, last);
      const answer = actOnBatch(batch.id, 'cancel');
      await untilWaiting(tx);
      // PostgreSQL ends the transaction that has waited longer.
      await sql`select pg_sleep(0.2)`.execute(tx);
      await lock(tx, first);
      return { answer };
    });
    expect((await (await canceled).answer).status).toBe(200);
  });

  it('either stops the payout and frees its money, or is refused', async () => {
    for (let turn = 0; turn < 12; turn++) {
      const before = (await lab.balance())['available EUR'] ?? 0;
      const { id } = await pay(usual);
      if (turn % 3 > 0) await handOver();
      const work = turn % 3 === 0 ? handOver() : lab.sweep('outbound.send');
      const [, answer] = await Promise.all([work, act(id, 'cancel')]);
      await send();
      const { status } = await read(id);
      expect([answer.status, status]).toEqual(answer.status === 200 ? [200, 'canceled'] : [409, 'completed']);
      expect(before - ((await lab.balance())['available EUR'] ?? 0)).toBe(status === 'canceled' ? 0 : 100);
    }
  });

  it('of a batch stops some payouts and lets others arrive, and none does both', async () => {
    const before = (await lab.balance())['available EUR'] ?? 0;
    const batch = await lab.accept(Array.from({ length: 20 }, () => usual));
    const [, ...answers] = await Promise.all([
      handOver(),
      actOnBatch(batch.id, 'cancel'),
      actOnBatch(batch.id, 'hold'),
      actOnBatch(batch.id, 'resume'),
    ]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    await actOnBatch(batch.id, 'resume');
    await send();
    await send();
    const payouts = await payoutsOf(batch.id);
    const paid = payouts.filter(({ status }) => status === 'completed').length;
    expect(payouts.filter(({ status }) => status === 'canceled')).toHaveLength(20 - paid);
    expect(before - ((await lab.balance())['available EUR'] ?? 0)).toBe(paid * 100);
  });
});
