import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandboxBank, type SandboxBank } from '../../../src/sandbox/bank.ts';
import { createBookSweep } from '../../../src/server/outbound/outbound.service.ts';
import { findOutbound, insertOutbound } from '../../../src/server/outbound/outbound.store.ts';
import type { NewOutbound, OutboundPurpose, OutboundRow } from '../../../src/server/outbound/outbound.ts';
import { createRailSendSweep } from '../../../src/server/outbound/rail-send.service.ts';
import type { BankRail, Rails, SendOrder } from '../../../src/server/rails/rail.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let lab: TestApp;
let bank: SandboxBank;
beforeAll(async () => {
  lab = await startTestApp();
  bank = createSandboxBank({ db: lab.database.db, rail: 'sepa' });
}, 60_000);
afterAll(() => lab.close());

/** A payment to an account at the sandbox bank. Each test has a purpose of its own. */
function payment(purpose: string, changes: Partial<NewOutbound> = {}): NewOutbound {
  return {
    ...{ merchantId: lab.merchant.id, livemode: false, purpose, resourceId: randomUUID(), attempt: 1, rail: 'sepa' },
    ...{ destination: { name: 'Ada Lovelace', iban: 'LT647044001231465456' }, originalReference: null },
    ...{ asset: 'EUR', amount: 1_000n, source: null, value: 1_000n, valueCurrency: 'EUR', now: lab.clock.now() },
    ...changes,
  };
}

const queue = (...transfers: NewOutbound[]) => insertOutbound(lab.database.db, transfers);

async function read({ purpose, resourceId }: NewOutbound): Promise<OutboundRow> {
  const [row] = await findOutbound(lab.database.db, lab.merchant.id, purpose, [resourceId]);
  if (row === undefined) throw new Error(`${resourceId} was not queued`);
  return row;
}

/** A module that remembers what it booked, and refuses some resources. */
function createModule(name: string, refused: readonly string[] = []) {
  const booked: string[] = [];
  const purpose: OutboundPurpose = {
    name,
    book: async (_, ended) => {
      if (ended.some(row => refused.includes(row.resource_id))) throw new Error('this cannot be booked');
      booked.push(...ended.map(row => `${row.resource_id} ${row.state}`));
    },
  };
  return { purpose, booked };
}

/** A server: what it sends by this bank, and what it books. */
function createServer(purposes: readonly OutboundPurpose[], rail: BankRail = bank) {
  const deps = { db: lab.database.db, clock: lab.clock, purposes };
  return {
    send: () => createRailSendSweep({ ...deps, rails: { card: null, banks: [rail] } }).run(),
    book: () => createBookSweep(deps).run(),
  };
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
    lab.clock.advance(31);
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
    lab.clock.advance(31);
    await createServer([purpose]).send();
    expect(booked).toEqual([`${closed.resourceId} failed`, `${slow.resourceId} completed`]);
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
    const rails = (id === 'card' ? { card: rail, banks: [] } : { card: null, banks: [rail] }) as Rails;
    const { purpose, booked } = createModule('class');
    const send = createRailSendSweep({ db: lab.database.db, clock: lab.clock, purposes: [purpose], rails });
    const destination = { name: 'Slow Bank', iban: 'LT647044001231465456' };
    const transfer = payment('class', { rail: id, destination });
    await queue(transfer);
    await send.run();
    expect((await read(transfer)).state).toBe('sending');
    lab.clock.advance(31);
    await send.run();
    expect(booked).toEqual([`${transfer.resourceId} completed`]);
  });
});

describe('booking', () => {
  it('that fails for one transfer delays no other, and is tried again', async () => {
    const [good, bad] = [payment('fault'), payment('fault')];
    await queue(good, bad);
    const faulty = createModule('fault', [bad.resourceId]);
    await expect(createServer([faulty.purpose]).send()).rejects.toThrow('this cannot be booked');
    expect(faulty.booked).toEqual([`${good.resourceId} completed`]);
    expect(await read(bad)).toMatchObject({ state: 'sending', booked: false });
    const mended = createModule('fault');
    lab.clock.advance(31);
    await createServer([mended.purpose]).send();
    expect(mended.booked).toEqual([`${bad.resourceId} completed`]);
    expect(await ordersOf(await Promise.all([good, bad].map(read)))).toBe(2);
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
    lab.clock.advance(31);
    await createServer([]).send();
    for (const state of ['queued', 'held', 'failed']) await refused(await read(transfer), state);
  });
});
