import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import type { TestAnswer, TestMerchant } from '../../support/app.ts';
import { propertyRuns } from '../../torture/property-runs.ts';
import { order, type PaymentLab, startPaymentLab } from './payment-lab.ts';
import * as oracle from './payment-oracle.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const amounts = fc.integer({ min: 1, max: 100_000 });
/** Index of an earlier payment. */
const at = fc.nat(3);
const action = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('create' as const), amount: amounts, isManual: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('card' as const), at, isGood: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('capture' as const), at, percent: fc.constantFrom(1, 60, 100, 101) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('bank' as const), at }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('credit' as const),
      at,
      // The smallest percentage is one unit: dust.
      percent: fc.constantFrom(0.001, 1, 30, 70, 99.6, 100, 150),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('refund' as const), at, percent: fc.constantFrom(1, 40, 100, 101) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      at,
      action: fc.constantFrom('accept' as const, 'refund' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('quote' as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(900, 86_400, 604_800) }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

interface Known {
  readonly id: string;
  readonly oracle: oracle.Oracle;
  reference: string;
}

/** One merchant, and its payments with their expected states. */
interface World {
  readonly merchant: TestMerchant;
  readonly payments: Known[];
}

const seconds = () => lab.clock.now().getTime() / 1000;
const send = (world: World, call: string, body: object = {}): Promise<TestAnswer> =>
  lab.request(call as 'GET /', { key: world.merchant.secretKey, ...(call.startsWith('POST') && { body }) });

async function create(world: World, amount: number, isManual = false): Promise<void> {
  const capture_method = isManual ? 'manual' : 'automatic';
  const { body } = await send(world, 'POST /v1/payments', { ...order, amount, capture_method });
  world.payments.push({ id: body.id, oracle: oracle.newOracle(amount, seconds(), isManual), reference: '' });
}

/** Runs the action. Returns the service's answer and the expected outcome. */
async function act(world: World, known: Known, step: Action): Promise<[TestAnswer, oracle.Outcome] | null> {
  const post = (path: string, body: object = {}) => send(world, `POST /v1/payments/${known.id}/${path}`, body);
  const { oracle: must } = known;
  switch (step.do) {
    case 'card': {
      const token = step.isGood ? 'tok_visa' : 'tok_declined';
      return [await post('confirm', { method: 'card', token }), oracle.payByCard(must, step.isGood, seconds())];
    }
    case 'capture': {
      const most = must.amount - must.received;
      const amount = step.percent === 100 ? null : Math.max(1, Math.ceil((most * step.percent) / 100));
      return [await post('capture', amount === null ? {} : { amount }), oracle.capture(must, amount, seconds())];
    }
    case 'bank': {
      const answer = await post('confirm', { method: 'bank_transfer', rail: 'sepa' });
      known.reference = answer.body.next_action?.reference ?? known.reference;
      return [answer, oracle.askForTransfer(must, seconds())];
    }
    case 'credit': {
      if (!must.isToldToTransfer) return null;
      const amount = Math.ceil((must.amount * step.percent) / 100);
      const body = { reference: known.reference, amount, currency: 'EUR' };
      const answer = await send(world, 'POST /v1/test_helpers/bank_transfers', body);
      oracle.receiveByBank(must, amount, seconds());
      return [answer, [201]];
    }
    case 'refund': {
      const most = must.received - must.refunded;
      const amount = step.percent === 100 ? null : Math.max(1, Math.ceil((most * step.percent) / 100));
      return [await post('refunds', amount === null ? {} : { amount }), oracle.refund(must, amount)];
    }
    case 'resolve':
      return [await post('resolve', { action: step.action }), oracle.resolve(must, step.action)];
    case 'cancel':
      return [await post('cancel'), oracle.cancel(must)];
    case 'quote':
      return [await post('quotes'), oracle.requote(must, seconds())];
    default:
      return null;
  }
}

async function run(world: World, step: Action): Promise<void> {
  if (step.do === 'create') return await create(world, step.amount, step.isManual);
  if (step.do === 'wait') lab.clock.advance(step.seconds);
  for (const payment of world.payments) oracle.passTime(payment.oracle, seconds());
  const known = 'at' in step ? world.payments[step.at % world.payments.length] : undefined;
  if (!known) return;
  const compared = await act(world, known, step);
  if (compared === null) return;
  const [{ status, body }, expected] = compared;
  expect([status, ...(status < 300 ? [] : [body.error.code])]).toEqual(expected);
  if (step.do === 'refund' || step.do === 'resolve') await lab.sweep('outbound.send');
  await compare(world, known);
}

async function compare(world: World, { id, oracle: must }: Known): Promise<void> {
  const payment: Payment = (await send(world, `GET /v1/payments/${id}`)).body;
  expect({
    status: payment.status,
    phase: payment.phase,
    exception: payment.exception,
    received: payment.amount_received,
    refunded: payment.amount_refunded,
    waits: payment.requires_decision,
  }).toEqual({
    status: oracle.statusOf(must),
    phase: must.phase,
    exception: must.exception,
    received: must.received,
    refunded: must.refunded,
    waits: oracle.requiresDecision(must),
  });
}

/** The list's filter finds the same payments as the field of each payment. */
async function compareDecisions(world: World): Promise<void> {
  const listed = async (waits: boolean) => {
    const { data } = (await send(world, `GET /v1/payments?limit=100&requires_decision=${waits}`)).body;
    return data.map(({ id }: Payment) => id).sort();
  };
  const expected = Object.groupBy(world.payments, ({ oracle: must }) => `${oracle.requiresDecision(must)}`);
  for (const waits of [true, false]) {
    expect(await listed(waits)).toEqual((expected[`${waits}`] ?? []).map(({ id }) => id).sort());
  }
}

async function compareBalance(world: World): Promise<void> {
  const sum = (of: (must: oracle.Oracle) => number) =>
    world.payments.reduce((total, { oracle: must }) => total + of(must), 0);
  const { pending, suspense, reserved } = (await send(world, 'GET /v1/balance')).body;
  expect({ pending: pending[0]?.amount ?? 0, suspense: suspense[0]?.amount ?? 0, reserved }).toEqual({
    pending: sum(must => must.received - must.refunded - must.suspense),
    suspense: sum(must => must.suspense),
    reserved: [],
  });
}

it('any order of calls leaves payments and balance equal to an independent calculation', async () => {
  await fc.assert(
    fc.asyncProperty(amounts, fc.boolean(), fc.array(action, { minLength: 8, maxLength: 14 }), async (...drawn) => {
      const [first, isManual, steps] = drawn;
      const world: World = { merchant: await lab.addMerchant(), payments: [] };
      await create(world, first, isManual);
      for (const step of steps) await run(world, step);
      for (const known of world.payments) await compare(world, known);
      await compareBalance(world);
      await compareDecisions(world);
    }),
    propertyRuns(30, 500, 0.12),
  );
}, 120_000);
