import { expect } from 'vitest';
import type { Payment, PaymentOptions } from '../../../src/api/payment.ts';
import type { Refund } from '../../../src/api/refund.ts';
import { startTestApp, type TestAnswer, type TestApp, type TestAppOptions } from '../../support/app.ts';
import { findUnsoundBooks } from '../../support/audit.ts';

/** The usual payment of tests: 128.40 EUR, settled in USDC, by card or by bank. */
export const order = {
  amount: 12_840,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'bank_transfer'],
  customer: { email: 'ada@example.com' },
};

/** An incoming transfer at the sandbox bank. */
export interface Credit {
  readonly reference?: string;
  readonly amount: number;
  readonly currency?: string;
  readonly sender_name?: string;
  readonly bank_reference?: string;
}

/** The real app, with the actions of merchants and payers on payments, over HTTP. */
export interface PaymentLab extends TestApp {
  /** A new payment of `order` with these changes. */
  create(changes?: object): Promise<Payment>;
  /** A new payment that waits for a bank transfer. */
  createForBank(changes?: object, rail?: 'sepa' | 'ach'): Promise<Payment>;
  createPaid(changes?: object, token?: string): Promise<Payment>;
  /** `POST /v1/payments/:id/confirm` by card. */
  payByCard(id: string, token?: string, more?: object): Promise<TestAnswer>;
  /** `POST /v1/payments/:id/confirm` by bank. */
  payByBank(id: string, rail?: 'sepa' | 'ach'): Promise<TestAnswer>;
  act(id: string, action: string, body?: object): Promise<TestAnswer>;
  read(id: string): Promise<Payment>;
  options(id: string): Promise<PaymentOptions>;
  /** A transfer arrives at the sandbox bank, by default in EUR. Returns the service's transfer. */
  credit(credit: Credit): Promise<TestAnswer>;
  /** Answers the payment's 3-D Secure page. Returns the URL to which it sends the payer back. */
  answerChallenge(payment: Payment, choice: 'approve' | 'decline' | 'close'): Promise<URL>;
  refund(id: string, body?: object): Promise<Refund>;
  /** Types of the events of an object, in their order. */
  eventsOf(id: string): Promise<string[]>;
  /** The merchant's balances, as `pending EUR` → minor units, or `suspense XLM` → units. */
  balance(): Promise<Record<string, number>>;
  /** Does all due work, and then checks the rules of the books. */
  expectSoundBooks(): Promise<void>;
}

export async function startPaymentLab(options: TestAppOptions = {}): Promise<PaymentLab> {
  const app = await startTestApp(options);
  const calls = { ...createPayments(app), ...createMoney(app), ...createViews(app) };
  return {
    ...app,
    ...calls,
    createForBank: async (changes, rail) => (await calls.payByBank((await calls.create(changes)).id, rail)).body,
    createPaid: async (changes, token) => {
      const payment = (await calls.payByCard((await calls.create(changes)).id, token)).body;
      expect(payment.status).toBe('completed');
      return payment;
    },
  };
}

function createPayments(app: TestApp) {
  const act: PaymentLab['act'] = (id, action, body) =>
    app.request(`POST /v1/payments/${id}/${action}`, body === undefined ? {} : { body });
  const create: PaymentLab['create'] = async changes => {
    const answer = await app.request('POST /v1/payments', { body: { ...order, ...changes } });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const payByCard: PaymentLab['payByCard'] = (id, token = 'tok_visa', more = {}) =>
    act(id, 'confirm', { method: 'card', token, ...more });
  const payByBank: PaymentLab['payByBank'] = (id, rail = 'sepa') =>
    act(id, 'confirm', { method: 'bank_transfer', rail });
  return { act, create, payByCard, payByBank };
}

function createMoney(app: TestApp) {
  const credit: PaymentLab['credit'] = body =>
    app.request('POST /v1/test_helpers/bank_transfers', { body: { currency: 'EUR', ...body } });
  const answerChallenge: PaymentLab['answerChallenge'] = async (payment, choice) => {
    const { pathname } = new URL(redirectOf(payment));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await app.app.http.inject({ method: 'POST', url: pathname, payload: `choice=${choice}`, headers });
    const { body } = await app.app.http.inject({ method: 'GET', url: pathname });
    return new URL(/url=([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '');
  };
  const refund: PaymentLab['refund'] = async (id, body = {}) => {
    const { status, body: made, text } = await app.request(`POST /v1/payments/${id}/refunds`, { body });
    expect(status, text).toBe(201);
    await app.sweep('outbound.send');
    const { data } = (await app.request(`GET /v1/payments/${id}/refunds`)).body;
    return data.find((known: Refund) => known.id === made.id);
  };
  return { credit, answerChallenge, refund };
}

function redirectOf({ next_action: action }: Payment): string {
  if (action?.type !== 'redirect') throw new Error(`the payment waits for ${action?.type}`);
  return action.url;
}

function createViews(app: TestApp) {
  return {
    read: async (id: string): Promise<Payment> => (await app.request(`GET /v1/payments/${id}`)).body,
    options: async (id: string): Promise<PaymentOptions> => (await app.request(`GET /v1/payments/${id}/options`)).body,
    eventsOf: async (id: string): Promise<string[]> => {
      const { data } = (await app.request(`GET /v1/events?limit=100&resource=${id}`)).body;
      const events: { sequence: number; type: string }[] = data;
      return events.sort((a, b) => a.sequence - b.sequence).map(({ type }) => type);
    },
    balance: async (): Promise<Record<string, number>> => {
      const { pending, available, reserved, suspense } = (await app.request('GET /v1/balance')).body;
      const sums = Object.entries({ pending, available, reserved, suspense }) as [string, Money[]][];
      return Object.fromEntries(
        sums.flatMap(([of, list]) => list.map(sum => [`${of} ${sum.currency ?? sum.asset}`, Number(sum.amount)])),
      );
    },
    expectSoundBooks: async (): Promise<void> => {
      app.clock.advance(60);
      await app.sweep();
      expect(await findUnsoundBooks(app.database.pool, app.clock.now())).toEqual({});
    },
  };
}

interface Money {
  readonly currency?: string;
  readonly asset?: string;
  readonly amount: number | string;
}

export function instructionsOf({ next_action: action }: Payment) {
  if (action?.type !== 'bank_instructions') throw new Error(`the payment waits for ${action?.type}`);
  return action;
}

/** Status and error of an answer: `[409, 'illegal_state', null]`. */
export function refusal({ status, body }: TestAnswer): [number, string | undefined, string | null | undefined] {
  return [status, body?.error?.code, body?.error?.param];
}
