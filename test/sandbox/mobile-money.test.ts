import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSeconds } from '../../src/core/clock.ts';
import { newId } from '../../src/core/id.ts';
import { createSandboxMobileMoney, sandboxMobileProviders } from '../../src/sandbox/mobile-money.ts';
import type { SendOrder } from '../../src/server/outbound/sender.ts';
import type { PayoutRail } from '../../src/server/rails/rail.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const now = new Date('2026-11-20T12:00:00Z');
let database: TestDatabase;
let rail: PayoutRail;
beforeAll(async () => {
  database = await createTestDatabase();
  rail = createSandboxMobileMoney({ db: database.db, rail: 'mtn' });
});
afterAll(() => database.drop());

function orderTo(number: string, changes: Partial<SendOrder> = {}): SendOrder {
  return {
    id: newId('outboundTransfer'),
    merchantId: newId('account'),
    original: null,
    amount: 1_000n,
    now,
    currency: 'GHS',
    destination: { type: 'mobile_money', provider: 'mtn', number },
    ...changes,
  };
}

const statusAfter = async ({ id }: SendOrder, seconds: number) =>
  (await rail.status([id], addSeconds(now, seconds)))[0];

async function allReturns() {
  const found: { orderId: string; amount: bigint }[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<PayoutRail['findReturns']>> = await rail.findReturns(cursor, 2);
    found.push(...page.returns);
    cursor = page.cursor;
    if (page.returns.length === 0) return found;
  }
}

describe('the number of a transfer decides its outcome', () => {
  test.each([
    ['+233241234789', 1, { state: 'completed' }],
    ['+233 24 123 4567', 1, { state: 'completed' }],
    ['+233241234089', 1, { state: 'failed', code: 'recipient_not_found' }],
    ['+233241234119', 1, { state: 'failed', code: 'provider_error' }],
    ['+233241234129', 59, { state: 'pending' }],
    ['+233241234129', 60, { state: 'completed' }],
    ['+233241234139', 1, { state: 'completed' }],
  ])('%s after %i s', async (number, seconds, outcome) => {
    const order = orderTo(number);
    const [sent] = await rail.send([order]);
    expect(sent).toEqual({ state: 'pending', railReference: expect.stringMatching(/^sbx_mm_/) });
    expect(await statusAfter(order, 0.9)).toEqual(sent);
    expect(await statusAfter(order, seconds)).toMatchObject(outcome);
  });
});

test('an order is carried out once, however often and wherever it is repeated', async () => {
  const order = orderTo('+233241234139');
  const other = createSandboxMobileMoney({ db: database.db, rail: 'mtn' });
  const before = (await allReturns()).length;
  const answers = await Promise.all(Array.from({ length: 10 }, () => other.send([order, order])));
  expect(new Set(answers.flat().map(answer => JSON.stringify(answer))).size).toBe(1);
  await Promise.all(Array.from({ length: 10 }, () => statusAfter(order, 5)));
  expect((await allReturns()).slice(before)).toMatchObject([{ orderId: order.id, amount: 1_000n }]);
});

test('answers come in the order of the orders, and null for an order that was never received', async () => {
  const orders = [orderTo('+233241234089'), orderTo('+233241234789'), orderTo('+233241234119')];
  await rail.send(orders);
  const ids = [orders[2]?.id ?? '', newId('outboundTransfer'), orders[0]?.id ?? '', orders[1]?.id ?? ''];
  expect(await rail.status(ids, addSeconds(now, 2))).toMatchObject([
    { code: 'provider_error' },
    null,
    { code: 'recipient_not_found' },
    { state: 'completed' },
  ] as object[]);
  expect(await rail.send([])).toEqual([]);
  expect(await rail.status([], now)).toEqual([]);
});

test('money comes back only after it was paid, and pages miss and repeat nothing', async () => {
  const start = await allReturns();
  const orders = Array.from({ length: 5 }, () => orderTo('+233241234139'));
  await rail.send(orders);
  expect(await allReturns()).toHaveLength(start.length);
  await rail.status(
    orders.map(({ id }) => id),
    addSeconds(now, 1),
  );
  const came = (await allReturns()).slice(start.length).map(({ orderId }) => orderId);
  expect(came.toSorted()).toEqual(orders.map(({ id }) => id).toSorted());
});

test.each([
  ['without a destination', { destination: null }],
  ['of nothing', { amount: 0n }],
])('an order %s fails with a reason', async (_, changes) => {
  const [outcome] = await rail.send([orderTo('+233241234789', changes)]);
  expect(outcome).toMatchObject({ state: 'failed', code: expect.stringMatching(/^[a-z_]+$/) });
});

test('an operator pays its own numbers, in every currency', () => {
  for (const provider of sandboxMobileProviders) {
    const destination = { type: 'mobile_money', provider, number: '+233241234789' };
    expect(rail.currencyFor(destination, 'XOF')).toBe(provider === 'mtn' ? 'XOF' : null);
  }
  expect(rail.currencyFor({ type: 'bank_account', provider: 'mtn' }, 'EUR')).toBeNull();
});
