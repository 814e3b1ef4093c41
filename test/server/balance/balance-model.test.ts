import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestAnswer, TestMerchant } from '../../support/app.ts';
import { propertyRuns } from '../../torture/property-runs.ts';
import { order, type PaymentLab, startPaymentLab } from '../payments/payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const amount = fc.integer({ min: 1, max: 100_000 });
/** Index of an earlier payment. */
const at = fc.nat(3);
const percent = fc.constantFrom(1, 30, 70, 100);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pay' as const), amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('topUp' as const), amount }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refund' as const), at, percent }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('dispute' as const), at, percent }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('convert' as const), percent }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('keep' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A payment. Cents: neither refunded nor disputed, pending, and moved to the balance. */
interface Known {
  readonly id: string;
  left: number;
  pending: number;
  kept: number;
  isDisputed: boolean;
}

/** One merchant, with the expected balance. */
interface World {
  readonly merchant: TestMerchant;
  readonly payments: Known[];
  reference: string;
  available: number;
  debt: number;
  /** Cents of the other currency. */
  converted: number;
}

const send = async (world: World, call: string, body?: object): Promise<TestAnswer> =>
  await lab.request(call as 'GET /', { key: world.merchant.secretKey, ...(body !== undefined && { body }) });

async function post(world: World, path: string, body: object) {
  const answer = await send(world, `POST /v1/${path}`, body);
  expect([200, 201], answer.text).toContain(answer.status);
  return answer.body;
}

async function pay(world: World, sum: number): Promise<void> {
  const { id } = await post(world, 'payments', { ...order, amount: sum });
  await post(world, `payments/${id}/confirm`, { method: 'card', token: 'tok_visa' });
  world.payments.push({ id, left: sum, pending: sum, kept: 0, isDisputed: false });
}

/** Takes pending money first, then the payment's available part of the balance; the rest becomes debt. */
function take(world: World, known: Known, sum: number): void {
  const pending = Math.min(sum, known.pending);
  const kept = Math.min(sum - pending, known.kept, world.available);
  known.left -= sum;
  known.pending -= pending;
  known.kept -= kept;
  world.available -= kept;
  world.debt += sum - pending - kept;
}

async function takeBack(world: World, known: Known, made: Extract<Step, { do: 'refund' | 'dispute' }>): Promise<void> {
  const sum = Math.floor((known.left * made.percent) / 100);
  if (sum === 0 || (made.do === 'dispute' && known.isDisputed)) return;
  if (made.do === 'dispute') {
    await post(world, 'test_helpers/cards/disputes', { payment: known.id, amount: sum });
    known.isDisputed = true;
  } else {
    await post(world, `payments/${known.id}/refunds`, { amount: sum });
    await lab.sweep('outbound.send');
  }
  take(world, known, sum);
}

async function convert(world: World, part: number): Promise<void> {
  const sum = Math.floor((world.available * part) / 100);
  if (sum === 0) return;
  const { to } = await post(world, 'balance/conversions', {
    from: { currency: 'EUR', amount: sum },
    to: { currency: 'USD' },
  });
  world.available -= sum;
  world.converted += to.amount;
}

async function run(world: World, made: Step): Promise<void> {
  if (made.do === 'pay') return await pay(world, made.amount);
  if (made.do === 'convert') return await convert(world, made.percent);
  if (made.do === 'topUp') {
    await post(world, 'test_helpers/bank_transfers', {
      reference: world.reference,
      amount: made.amount,
      currency: 'EUR',
    });
    world.available += made.amount;
  } else if (made.do === 'keep') {
    await lab.sweep('payments.make_available');
    for (const known of world.payments) {
      world.available += known.pending;
      known.kept += known.pending;
      known.pending = 0;
    }
  } else {
    const known = world.payments[made.at % Math.max(1, world.payments.length)];
    if (known !== undefined) await takeBack(world, known, made);
  }
}

const sums = (list: { currency: string; amount: number }[]) =>
  Object.fromEntries(list.map(({ currency, amount: sum }) => [currency, sum]));
const nonZero = (all: Record<string, number>) => Object.fromEntries(Object.entries(all).filter(([, sum]) => sum !== 0));

async function compare(world: World): Promise<void> {
  const { available, pending, reserved, suspense, receivable } = (await send(world, 'GET /v1/balance')).body;
  const waiting = world.payments.reduce((sum, known) => sum + known.pending, 0);
  expect({
    available: sums(available),
    pending: sums(pending),
    receivable: sums(receivable),
    reserved,
    suspense,
  }).toEqual({
    available: nonZero({ EUR: world.available, USD: world.converted }),
    pending: nonZero({ EUR: waiting }),
    receivable: nonZero({ EUR: world.debt }),
    reserved: [],
    suspense: [],
  });
}

it('the balance is all received money less all sent money, to the cent, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async steps => {
      const merchant = await lab.addMerchant({ settlementSchedule: 'manual' });
      const world: World = { merchant, payments: [], reference: '', available: 0, debt: 0, converted: 0 };
      world.reference = (await post(world, 'balance/top-ups', { currency: 'EUR' })).instructions.reference;
      for (const made of steps) {
        await run(world, made);
        await compare(world);
      }
    }),
    propertyRuns(15, 300, 0.05),
  );
}, 120_000);
