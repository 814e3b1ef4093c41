import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandboxBank, type SandboxBank } from '../../../src/sandbox/bank.ts';
import { railSenders } from '../../../src/server/compose/adapters.ts';
import { createBookSweep, createOutbound } from '../../../src/server/outbound/outbound.service.ts';
import {
  claimOutbound,
  endOutbound,
  findOutbound,
  findOverdueOutbound,
  insertOutbound,
} from '../../../src/server/outbound/outbound.store.ts';
import type { NewOutbound, OutboundPurpose, OutboundRow } from '../../../src/server/outbound/outbound.ts';
import { createPlanning } from '../../../src/server/outbound/plan.service.ts';
import { createSendSweep } from '../../../src/server/outbound/send.service.ts';
import {
  createSingleSender,
  type Lane,
  type Order,
  type Sender,
  type SendOrder,
} from '../../../src/server/outbound/sender.ts';
import { createReturnSweep } from '../../../src/server/payouts/sending/payout-return.service.ts';
import type { Log } from '../../../src/server/platform/jobs/sweeper.ts';
import type { BankRail, PayoutRail } from '../../../src/server/rails/rail.ts';
import type { Rails } from '../../../src/server/rails/rails.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let lab: TestApp;
let bank: SandboxBank;
beforeAll(async () => {
  lab = await startTestApp();
  bank = createSandboxBank({ db: lab.database.db, rail: 'sepa' });
}, 60_000);
afterAll(() => lab.close());

/** A payment to an account at the sandbox bank. Each test uses its own purpose. */
function payment(purpose: string, changes: Partial<NewOutbound> = {}): NewOutbound {
  return {
    merchantId: lab.merchant.id,
    livemode: false,
    purpose,
    resourceId: randomUUID(),
    attempt: 1,
    rail: 'sepa',
    destination: { name: 'Ada Lovelace', iban: 'LT647044001231465456' },
    originalReference: null,
    asset: 'EUR',
    amount: 1_000n,
    source: null,
    value: 1_000n,
    valueCurrency: 'EUR',
    now: lab.clock.now(),
    ...changes,
  };
}

const queue = (...transfers: NewOutbound[]) => insertOutbound(lab.database.db, transfers);

async function read({ purpose, resourceId }: NewOutbound): Promise<OutboundRow> {
  const [row] = await findOutbound(lab.database.db, lab.merchant.id, purpose, [resourceId]);
  if (row === undefined) throw new Error(`${resourceId} was not queued`);
  return row;
}

/** A module that records its bookings, and refuses some resources. `alone`: transfers that were booked one by one. */
function createModule(name: string, refused: readonly string[] = []) {
  const booked: string[] = [];
  const alone: string[] = [];
  const purpose: OutboundPurpose = {
    name,
    book: async (_, ended) => {
      if (ended.length === 1) alone.push(...ended.map(row => row.resource_id));
      if (ended.some(row => refused.includes(row.resource_id))) throw new Error('this cannot be booked');
      booked.push(...ended.map(row => `${row.resource_id} ${row.state}`));
    },
  };
  return { purpose, booked, alone };
}

/** A server that sends by these rails or senders, books, and records its errors. */
function createServer(purposes: readonly OutboundPurpose[], by: BankRail | Rails | readonly Sender[] = bank) {
  const logged: object[] = [];
  const log: Log = { info: () => undefined, warn: () => undefined, error: details => void logged.push(details) };
  const deps = { db: lab.database.db, clock: lab.clock };
  const queued = { ...deps, log, purposes, wake: () => undefined, senders: [] };
  const { bookEnded, tellProgress } = createOutbound(queued);
  const rails = 'banks' in by ? by : { cards: [], banks: 'id' in by ? [by] : [], phones: [], payouts: [] };
  const senders = 'length' in by ? by : railSenders(rails);
  const sender = createSendSweep({ ...deps, log, bookEnded, tellProgress, senders, wake: () => undefined });
  const settled = async () => void (await sender.settled?.());
  const send = async () => {
    const count = await sender.run();
    await settled();
    return count;
  };
  const book = () => createBookSweep(bookEnded).run();
  return {
    send,
    start: () => sender.run(),
    settled,
    failing: () => sender.failing?.() ?? new Map(),
    book,
    logged,
  };
}

/** Completes queued transfers without a bank. */
async function endAll(purpose: string): Promise<void> {
  const rows = await claimOutbound(lab.database.db, {
    rails: ['sepa'],
    states: ['queued'],
    to: 'sending',
    limit: 1_000,
    leaseSeconds: 30,
    now: lab.clock.now(),
  });
  const ours = rows.filter(row => row.purpose === purpose);
  const ended = ours.map(key => ({ key, end: { state: 'completed', reference: key.id } as const }));
  await endOutbound(lab.database.db, ended, { now: lab.clock.now() });
}

async function ordersOf(rows: readonly OutboundRow[]): Promise<number> {
  const { rows: found } = await lab.database.pool.query('select 1 from sandbox.refunds where refund_id = any ($1)', [
    rows.map(({ id }) => id),
  ]);
  return found.length;
}

describe('money that is sent by bank', () => {
  it('is queued once for a resource and attempt', async () => {
    const transfer = payment('once');
    await Promise.all(Array.from({ length: 20 }, () => queue(transfer)));
    expect(await findOutbound(lab.database.db, lab.merchant.id, 'once', [transfer.resourceId])).toHaveLength(1);
    await queue({ ...transfer, attempt: 2 });
    expect(await findOutbound(lab.database.db, lab.merchant.id, 'once', [transfer.resourceId])).toHaveLength(2);
  });

  it('is sent and booked once, by any server', async () => {
    const { purpose, booked } = createModule('servers');
    const transfers = Array.from({ length: 60 }, () => payment('servers'));
    await queue(...transfers);
    const servers = [createServer([purpose]), createServer([purpose]), createServer([purpose])];
    for (let turn = 0; turn < 4; turn++) await Promise.all(servers.map(({ send }) => send()));
    expect(booked.toSorted()).toEqual(transfers.map(({ resourceId }) => `${resourceId} completed`).toSorted());
    const rows = await Promise.all(transfers.map(read));
    expect(await ordersOf(rows)).toBe(60);
    expect(rows.every(row => row.booked && row.reference !== null && row.sent_amount === 1_000n)).toBe(true);
  });

  it.each<[string, Pick<BankRail, 'send'>]>([
    [
      'is carried out and not answered',
      { send: async order => ({ state: (await bank.send(order)) && ('unknown' as const) }) },
    ],
    ['is not answered', { send: async () => ({ state: 'unknown' }) }],
    [
      'gets no response',
      { send: async order => Promise.reject(new Error(`no answer to ${(await bank.send(order)).state}`)) },
    ],
  ])('is sent once when the order %s', async (_, silent) => {
    const { purpose, booked } = createModule('silence');
    const transfer = payment('silence');
    await queue(transfer);
    await createServer([purpose], { ...bank, ...silent })
      .send()
      .catch(() => undefined);
    expect(await read(transfer)).toMatchObject({ state: 'sending', booked: false });
    lab.clock.advance(61);
    await createServer([purpose]).send();
    expect(booked).toEqual([`${transfer.resourceId} completed`]);
    expect(await ordersOf([await read(transfer)])).toBe(1);
  });

  it('ends when the bank reports success later, or refuses', async () => {
    const { purpose, booked } = createModule('later');
    const slow = payment('later', { destination: { name: 'Slow Bank', iban: 'LT647044001231465456' } });
    const closed = payment('later', { destination: { name: 'Closed Account', iban: 'LT647044001231465456' } });
    await queue(slow, closed);
    await createServer([purpose]).send();
    expect(booked).toEqual([`${closed.resourceId} failed`]);
    expect(await read(closed)).toMatchObject({ state: 'failed', failure_code: 'account_closed' });
    lab.clock.advance(61);
    await createServer([purpose]).send();
    expect(booked).toEqual([`${closed.resourceId} failed`, `${slow.resourceId} completed`]);
  });

  it('and that the rail has accepted is never sent again, even if the rail forgets it or does not answer', async () => {
    const { purpose, booked } = createModule('accepted');
    let sent = 0;
    const answers = [null, { state: 'unknown' }, { state: 'completed', railReference: 'paid once' }] as const;
    let asked = 0;
    const rail: Sender = {
      lane: 'forgetful',
      send: async orders => {
        sent += orders.length;
        return orders.map(({ id }) => ({ state: 'pending', railReference: id }));
      },
      status: async ids => ids.map(() => answers[asked++] ?? null),
    };
    const order = payment('accepted', { rail: 'forgetful' });
    await queue(order);
    for (let turn = 0; turn <= answers.length; turn++) {
      await createServer([purpose], [rail]).send();
      lab.clock.advance(61);
    }
    expect({ sent, asked, booked }).toEqual({ sent: 1, asked: 3, booked: [`${order.resourceId} completed`] });
  });

  it('and that got no answer is sent again only after the rail has said that it never received it', async () => {
    const { purpose, booked } = createModule('unanswered');
    const calls: string[] = [];
    const answers = [{ state: 'unknown' }, { state: 'unknown' }, null] as const;
    const rail: Sender = {
      lane: 'deaf',
      send: async orders => {
        calls.push('send');
        return orders.map(({ id }) =>
          calls.length === 1 ? { state: 'unknown' } : { state: 'completed', railReference: id },
        );
      },
      status: async ids => ids.map(() => answers[calls.push('ask') - 2] ?? null),
    };
    const order = payment('unanswered', { rail: 'deaf' });
    await queue(order);
    for (let turn = 0; turn <= answers.length; turn++) {
      await createServer([purpose], [rail]).send();
      lab.clock.advance(61);
    }
    expect(calls).toEqual(['send', 'ask', 'ask', 'ask', 'send']);
    expect(booked).toEqual([`${order.resourceId} completed`]);
  });

  it.each(['sepa', 'card'])('is sent by a %s rail that is an instance of a class', async id => {
    class Rail {
      readonly #bank = bank;
      readonly id = id;
      send(order: SendOrder) {
        return this.#bank.send(order);
      }
      sendStatus(orderId: string, now: Date) {
        return this.#bank.sendStatus(orderId, now);
      }
      refund(order: SendOrder) {
        return this.#bank.send(order);
      }
      refundStatus(orderId: string, now: Date) {
        return this.#bank.sendStatus(orderId, now);
      }
    }
    const rail: unknown = new Rail();
    const rails = (
      id === 'card'
        ? { cards: [rail], banks: [], phones: [], payouts: [] }
        : { cards: [], banks: [rail], phones: [], payouts: [] }
    ) as Rails;
    const { purpose, booked } = createModule('class');
    const server = createServer([purpose], rails);
    const destination = { name: 'Slow Bank', iban: 'LT647044001231465456' };
    const transfer = payment('class', { rail: id, destination });
    await queue(transfer);
    await server.send();
    expect((await read(transfer)).state).toBe('sending');
    lab.clock.advance(61);
    await server.send();
    expect(booked).toEqual([`${transfer.resourceId} completed`]);
  });
});

describe('booking', () => {
  it('that fails for one transfer delays no other, and is tried again', async () => {
    const [good, bad] = [payment('fault'), payment('fault')];
    await queue(good, bad);
    const faulty = createModule('fault', [bad.resourceId]);
    const server = createServer([faulty.purpose]);
    expect(await server.send()).toBe(2);
    expect(faulty.booked).toEqual([`${good.resourceId} completed`]);
    const unbooked = await read(bad);
    expect(unbooked).toMatchObject({ state: 'completed', booked: false });
    expect(server.logged).toMatchObject([{ purpose: 'fault', transfers: [unbooked.id] }]);
    const mended = createModule('fault');
    expect(await createServer([mended.purpose]).book()).toBe(1);
    expect(mended.booked).toEqual([`${bad.resourceId} completed`]);
    expect(await ordersOf(await Promise.all([good, bad].map(read)))).toBe(2);
  });

  it('counts the booked transfers, and tries the rest again after half a minute', async () => {
    const [good, bad] = [payment('count'), payment('count')];
    await queue(good, bad);
    await endAll('count');
    const { purpose, alone } = createModule('count', [bad.resourceId]);
    const server = createServer([purpose]);
    expect([await server.book(), await server.book()]).toEqual([1, 0]);
    const tries = () => alone.filter(id => id === bad.resourceId).length;
    expect(tries()).toBe(1);
    lab.clock.advance(61);
    expect(await server.book()).toBe(0);
    expect(tries()).toBe(2);
  });

  it('goes on at once after an outage of the database', async () => {
    const transfer = payment('outage');
    await queue(transfer);
    await endAll('outage');
    const { purpose, booked } = createModule('outage');
    let isAway = true;
    const book: OutboundPurpose['book'] = async (...given) => {
      if (isAway) throw new Error('Connection terminated unexpectedly');
      await purpose.book(...given);
    };
    const server = createServer([{ ...purpose, book }]);
    await expect(server.book()).rejects.toThrow('Connection terminated');
    isAway = false;
    expect(await server.book()).toBe(1);
    expect(booked).toEqual([`${transfer.resourceId} completed`]);
  });

  it('reaches a transfer behind a full turn of older ones that cannot be booked', async () => {
    const older = Array.from({ length: 500 }, () => payment('crowd'));
    await queue(...older);
    await endAll('crowd');
    lab.clock.advance(1);
    const good = payment('behind');
    await queue(good);
    await endAll('behind');
    const crowd = createModule(
      'crowd',
      older.map(({ resourceId }) => resourceId),
    );
    const behind = createModule('behind');
    const server = createServer([crowd.purpose, behind.purpose]);
    expect([await server.book(), await server.book()]).toEqual([0, 1]);
    expect(behind.booked).toEqual([`${good.resourceId} completed`]);
    expect(server.logged).toHaveLength(1);
  });

  it('and reports of progress are separate for each mode, because the clocks of a merchant’s modes differ', async () => {
    const shop = await lab.addMerchant();
    const advance = { key: shop.secretKey, body: { advance: 'P1D' } };
    const { now } = (await lab.request('POST /v1/test_helpers/clock', advance)).body;
    const transfers = [true, false, true, false].map(livemode => payment('modes', { merchantId: shop.id, livemode }));
    await queue(...transfers);
    const booked: string[][] = [];
    const reported: boolean[][] = [];
    const server = createServer([
      {
        name: 'modes',
        book: async (_, ended) => void booked.push(ended.map(({ clock }) => clock.toISOString())),
        progress: async steps => void reported.push(steps.map(({ row }) => row.livemode)),
      },
    ]);
    await server.send();
    expect(reported.toSorted()).toEqual([
      [false, false],
      [true, true],
    ]);
    const real = lab.clock.now().toISOString();
    expect(booked.toSorted()).toEqual([
      [real, real],
      [now, now],
    ]);
  });

  it('is left to a server that knows the purpose', async () => {
    const transfers = [payment('newer'), payment('newer')];
    await queue(...transfers);
    const older = createServer([]);
    await older.send();
    await older.book();
    for (const transfer of transfers) expect(await read(transfer)).toMatchObject({ state: 'completed', booked: false });
    const { purpose, booked } = createModule('newer');
    const newer = createServer([purpose]);
    await Promise.all([newer.book(), newer.book(), newer.book()]);
    expect(booked.toSorted()).toEqual(transfers.map(({ resourceId }) => `${resourceId} completed`).toSorted());
  });
});

describe('overdue money', () => {
  it('counts transfers that are not sent or not checked, but not those that a bank reports on later', async () => {
    const lateSeconds = 16 * 60;
    const overdue = async () => (await findOverdueOutbound(lab.database.db, lab.clock.now()))[0]?.count ?? 0;
    while ((await createServer([]).send()) > 0) lab.clock.advance(61);
    lab.clock.advance(lateSeconds);
    const before = await overdue();
    const days = createServer([], { ...bank, sendStatus: async () => ({ state: 'pending', railReference: 'slow' }) });
    await queue(payment('slow', { destination: { name: 'Slow Bank', iban: 'LT647044001231465456' } }));
    expect(await days.send()).toBe(1);
    lab.clock.advance(lateSeconds);
    expect(await days.send()).toBe(1);
    expect(await overdue()).toBe(before);
    lab.clock.advance(3_600 + lateSeconds);
    expect(await overdue()).toBe(before + 1);
    await queue(payment('slow', { rail: 'disconnected' }));
    lab.clock.advance(lateSeconds);
    expect(await overdue()).toBe(before + 2);
    expect(await days.send()).toBe(1);
    expect(await overdue()).toBe(before + 1);
    // A rail that never answers has not accepted the transfer.
    const silent = createServer([], {
      ...bank,
      send: async () => ({ state: 'unknown' }),
      sendStatus: async () => null,
    });
    await queue(payment('slow'));
    expect(await silent.send()).toBe(1);
    lab.clock.advance(lateSeconds);
    await silent.send();
    expect(await overdue()).toBe(before + 2);
  });
});

describe('the database', () => {
  const refused = (row: OutboundRow, state: string) =>
    expect(
      lab.database.pool.query(
        `update outbound_transfers set state = $2, failure_code = case when $2 = 'queued' then null else 'x' end
         where id = $1`,
        [row.id, state],
      ),
    ).rejects.toMatchObject({ code: '23514' });

  it('refuses to queue money again that may have been sent, and to change an outcome', async () => {
    const transfer = payment('steps');
    await queue(transfer);
    const server = createServer([], { ...bank, send: async () => ({ state: 'unknown' }) });
    await server.send();
    await refused(await read(transfer), 'queued');
    await refused(await read(transfer), 'held');
    lab.clock.advance(61);
    await createServer([]).send();
    for (const state of ['queued', 'held', 'failed']) await refused(await read(transfer), state);
  });
});

describe('an order that a rail cannot process', () => {
  const isBad = ({ destination }: Pick<SendOrder, 'destination'>) => destination?.['name'] === 'bad';
  const bad = { destination: { name: 'bad', iban: 'LT647044001231465456' } };

  it('of a bank does not stop the others, and is reported by its id', async () => {
    const { purpose, booked } = createModule('bad bank order');
    const good = [1, 2, 3].map(() => payment('bad bank order'));
    const poison = payment('bad bank order', bad);
    await queue(poison, ...good);
    const rail: BankRail = {
      ...bank,
      send: async order => (isBad(order) ? Promise.reject(new TypeError('no BIC')) : await bank.send(order)),
    };
    const server = createServer([purpose], rail);
    await server.send();
    expect(booked.toSorted()).toEqual(good.map(({ resourceId }) => `${resourceId} completed`).toSorted());
    const row = await read(poison);
    expect(server.logged).toEqual([expect.objectContaining({ rail: 'sepa', order: row.id })]);
    expect([...server.failing().keys()]).toEqual([`sepa ${row.id}`]);
    lab.clock.advance(61);
    await createServer([purpose]).send();
  });

  it('of a payout rail does not stop the others of its batch', async () => {
    const { purpose, booked } = createModule('bad payout order');
    let calls = 0;
    const send = async (orders: readonly SendOrder[]) => {
      calls++;
      if (orders.some(isBad)) throw new TypeError('no BIC');
      return orders.map(({ id }) => ({ state: 'completed', railReference: id }) as const);
    };
    const server = createServer([purpose], [{ lane: 'picky', send, status: async ids => ids.map(() => null) }]);
    const now = lab.clock.now();
    const order = (more: Partial<NewOutbound> = {}) => payment('bad payout order', { rail: 'picky', now, ...more });
    const good = Array.from({ length: 20 }, () => order());
    const poison = [order(bad), order(bad)];
    await queue(...good.slice(0, 7), ...poison, ...good.slice(7));
    await server.send();
    expect(booked.toSorted()).toEqual(good.map(({ resourceId }) => `${resourceId} completed`).toSorted());
    const rows = await Promise.all(poison.map(read));
    expect([...server.failing().keys()].toSorted()).toEqual(rows.map(({ id }) => `picky ${id}`).toSorted());
    // A rail that answers nothing is not asked about each order.
    calls = 0;
    await queue(...Array.from({ length: 64 }, () => order(bad)));
    lab.clock.advance(61);
    await server.send();
    expect(calls).toBeLessThan(30);
  });
});

describe('an order that cannot be planned', () => {
  it('is held alone, and the others are ready in their sequence', async () => {
    const logged: object[] = [];
    const log: Log = { info: () => undefined, warn: () => undefined, error: details => void logged.push(details) };
    const planner: Lane = {
      lane: 'ledger',
      plan: async ({ amount, destination }) => {
        if (amount === 13n) throw new TypeError('no such asset');
        if (amount === 7n) return { state: 'failed', code: 'no_trustline', message: 'It cannot be held.' };
        return { state: 'ready', destination, source: { asset: 'XLM', max: amount, path: [] } };
      },
    };
    const { plan, failing } = createPlanning([planner], log);
    const orders = Array.from({ length: 40 }, (_, amount): Order => {
      const destination = { address: `G${amount}` };
      return { asset: 'EUR', amount: BigInt(amount), destination, given: null, paidIn: null, claimable: false };
    });
    const plans = await plan('ledger', orders);
    const expected = (amount: number) => (amount === 13 ? 'held' : amount === 7 ? 'failed' : BigInt(amount));
    const found = plans.map(one => (one.state === 'ready' ? one.source?.max : one.state));
    expect(found).toEqual(orders.map((_, amount) => expected(amount)));
    expect(logged).toMatchObject([{ lane: 'ledger', asset: 'EUR' }]);
    expect([...failing().keys()]).toEqual(['plan ledger EUR to G13']);
    // A lane without a planner sends every order as it is.
    const asItIs = await plan('sepa', orders);
    expect(asItIs.every(one => one.state === 'ready' && one.source === null)).toBe(true);
  });
});

describe('a rail that takes one order a call', () => {
  it('answers the others, though it never answers the oldest sixteen', async () => {
    const rail = createSingleSender('slow', {
      send: async ({ id }) => (Number(id) < 16 ? { state: 'unknown' } : { state: 'completed', railReference: id }),
      status: async () => null,
    });
    const order = { merchantId: 'acct_1', original: null, amount: 1n, currency: 'EUR', destination: null };
    const orders = Array.from({ length: 24 }, (_, id): SendOrder => ({ ...order, id: `${id}`, now: new Date(0) }));
    const answered = new Set<string>();
    for (let attempt = 0; attempt < 100; attempt++) {
      const outcomes = await rail.send(orders);
      expect(outcomes).toHaveLength(24);
      for (const [id, outcome] of outcomes.entries()) {
        if (outcome.state === 'completed') answered.add(outcome.railReference === `${id}` ? `${id}` : 'wrong');
      }
    }
    expect([...answered].toSorted()).toEqual(['16', '17', '18', '19', '20', '21', '22', '23']);
  });
});

describe('payouts by several rails', () => {
  it('that come back are booked while another rail cannot list its returns', async () => {
    const { db, pool } = lab.database;
    await pool.query(
      `insert into payout_returns (merchant_id, id, rail, order_id, amount, code, message, created_at)
       values ($1, 'pret_listed', 'mtn', 'ot_unknown', 1, 'account_closed', 'Closed.', now())`,
      [lab.merchant.id],
    );
    const away = {
      id: 'away',
      findReturns: () => Promise.reject(new Error('the list of returns is away')),
    } as unknown as PayoutRail;
    const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const nowOf = async () => lab.clock.now();
    const rails = { payouts: [away] };
    const outbound = createOutbound({ db, clock: lab.clock, log, wake: () => undefined, purposes: [], senders: [] });
    const context = { payoutOwners: [], publicUrl: () => '' };
    const sweep = createReturnSweep({ db, clock: lab.clock, log, rails, outbound, nowOf, ...context });
    await expect(sweep.run()).rejects.toThrow('the list of returns is away');
    const { rows } = await pool.query(`select booked from payout_returns where id = 'pret_listed'`);
    expect(rows).toEqual([{ booked: true }]);
  });

  it('are sent while another rail is slow to answer', async () => {
    const { purpose, booked } = createModule('slow rail');
    const answered = Promise.withResolvers<void>();
    const send = async (orders: readonly SendOrder[]) =>
      orders.map(({ id }) => ({ state: 'completed', railReference: id }) as const);
    const sender = (lane: string, by: Sender['send']): Sender => ({ lane, send: by, status: async () => [] });
    const slow = sender('slow', async orders => answered.promise.then(() => send(orders)));
    const server = createServer([purpose], [slow, sender('quick', send)]);
    const waiting = payment('slow rail', { rail: 'slow' });
    await queue(waiting);
    await server.start();
    const later = [1, 2].map(() => payment('slow rail', { rail: 'quick' }));
    await queue(...later);
    await server.start();
    await expect.poll(() => booked.toSorted()).toEqual(later.map(one => `${one.resourceId} completed`).toSorted());
    answered.resolve();
    await server.settled();
    expect(booked).toContain(`${waiting.resourceId} completed`);
  });
});
