import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLive } from '../../../src/server/platform/events/live.ts';
import { costOf, logStatements, roundTripsByText, type StatementLog } from '../../support/statements.ts';
import { type InvoiceLab, order as invoiceOrder, startInvoiceLab } from '../invoices/invoice-lab.ts';
import { instructionsOf, order } from './payment-lab.ts';

let log: StatementLog;
let lab: InvoiceLab;
beforeAll(async () => {
  log = logStatements();
  lab = await startInvoiceLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
  log.stop();
});

const post = async (path: string, body: object = {}) => {
  const {
    status,
    body: object,
    text,
  } = await lab.request(`POST ${path as `/${string}`}`, {
    headers: { 'idempotency-key': randomUUID() },
    body,
  });
  expect(status, text).toBeLessThan(300);
  return object;
};
const create = () => post('/v1/payments', order);
const payByCard = ({ id }: { readonly id: string }) =>
  post(`/v1/payments/${id}/confirm`, { method: 'card', token: 'tok_visa' });
const awaitBank = ({ id }: { readonly id: string }) =>
  post(`/v1/payments/${id}/confirm`, { method: 'bank_transfer', rail: 'sepa' });

async function spend(work: () => Promise<unknown>) {
  log.clear();
  await work();
  return costOf(log.statements);
}

describe('each takes at most so many round trips and commits', () => {
  const flows: readonly [string, number, number, number, () => Promise<() => Promise<unknown>>][] = [
    ['a whole card payment, from creation to completed', 7, 3, 1, async () => async () => payByCard(await create())],
    ['the creation of a payment', 1, 1, 0, async () => create],
    [
      ...(['the creation of a payment by `customer.id`', 2, 1, 0] as const),
      async () => {
        const { id } = await post('/v1/customers', { email: 'ada@example.com' });
        return () => post('/v1/payments', { ...order, customer: { id } });
      },
    ],
    [
      ...(['a bank credit', 5, 2, 2] as const),
      async () => {
        const { reference, amount } = instructionsOf(await awaitBank(await create()));
        return () => post('/v1/test_helpers/bank_transfers', { reference, amount, currency: 'EUR' });
      },
    ],
    [
      ...(['a refund', 6, 1, 0] as const),
      async () => {
        const { id } = await payByCard(await create());
        return () => post(`/v1/payments/${id}/refunds`);
      },
    ],
    [
      ...(['an invoice sent', 6, 1, 0] as const),
      async () => {
        const { id } = await post('/v1/invoices', invoiceOrder);
        return () => post(`/v1/invoices/${id}/send`);
      },
    ],
  ];
  it.each(flows)('%s: %i and %i, and %i of the simulated rail', async (_name, roundTrips, commits, rail, prepare) => {
    // The first run reads the columns of tables.
    await (await prepare())();
    const cost = await spend(await prepare());
    const texts = log.statements.map(({ text }) => text.trim().slice(0, 120)).join('\n');
    expect(cost.roundTrips, texts).toBeLessThanOrEqual(roundTrips);
    expect(cost.commits, texts).toBeLessThanOrEqual(commits);
    expect(cost.rail.roundTrips, texts).toBeLessThanOrEqual(rail);
  });
});

it('the history of a payment takes as many queries for one refund as for four', async () => {
  const { id } = await payByCard(await create());
  const refund = () => post(`/v1/payments/${id}/refunds`, { amount: 100 });
  const queries = async () =>
    await spend(async () => {
      const { body } = await lab.request(`GET /v1/payments/${id}/history`);
      expect(body.object).toBe('payment_history');
    });
  await refund();
  await queries();
  const { roundTrips } = await queries();
  for (let more = 0; more < 3; more++) await refund();
  expect((await queries()).roundTrips).toBe(roundTrips);
  // The payment; attempts, transfers, refunds, disputes, events and entries; endpoints and deliveries.
  expect(roundTrips).toBeLessThanOrEqual(9);
});

describe('32 concurrent calls share their round trips and commits', () => {
  const calls = 32;
  /** How many groups the calls form depends on the machine. A group that waits for the database takes all of them. */
  const mostGroups = calls / 4;
  const transfer = () => create().then(awaitBank).then(instructionsOf);
  const flows: readonly [string, number, number, () => Promise<() => Promise<{ readonly status: string }>>, string][] =
    [
      ['card confirmations', 4, 0, async () => create().then(made => () => payByCard(made)), 'completed'],
      [
        // The bank's cursor is read and moved. A transaction has three. The answers are read and kept.
        ...(['bank credits', 7, 1] as const),
        async () => {
          const { reference, amount } = await transfer();
          return () => post('/v1/test_helpers/bank_transfers', { reference, amount, currency: 'EUR' });
        },
        'matched',
      ],
    ];
  it.each(flows)('%s: %i statements for a group, and %i for a call', async (_name, group, own, prepare, status) => {
    const ready = await Promise.all(Array.from({ length: calls }, prepare));
    const done: { readonly status: string }[] = [];
    await spend(async () => {
      done.push(...(await Promise.all(ready.map(call => call()))));
    });
    expect(done.map(each => each.status)).toEqual(ready.map(() => status));
    const counts = [...roundTripsByText(log.statements)].map(([text, count]) => ({ count, text: text.slice(0, 120) }));
    const [forCalls, forGroups] = [
      counts.filter(each => each.count > mostGroups),
      counts.filter(each => each.count <= mostGroups),
    ];
    expect(
      forCalls.map(({ count }) => count),
      JSON.stringify(forCalls),
    ).toEqual(Array(own).fill(calls));
    expect(forGroups.length, JSON.stringify(forGroups)).toBeLessThanOrEqual(group);
  });
});

it('a change wakes the dispatch of events only for merchants with a webhook endpoint', async () => {
  const [dispatched, heard] = [() => lab.sweep('events.dispatch'), [] as (boolean | undefined)[]];
  const live = createLive({ connection: lab.database.connection, log: console });
  const end = live.subscribeToAll(notice => heard.push(notice?.dispatches));
  await live.start();
  await dispatched();
  heard.length = 0;
  await payByCard(await create());
  expect(await dispatched()).toBe(0);
  await post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:49151/hook', events: ['*'] });
  await payByCard(await create());
  expect(await dispatched()).toBe(2);
  await vi.waitFor(() => expect(heard).toEqual([false, false, false, true]));
  end();
  await live.stop();
});
