import { expect } from 'vitest';
import type { PaymentLink, PublicPaymentLink } from '../../../src/api/link.ts';
import type { Payment } from '../../../src/api/payment.ts';
import type { TestAnswer, TestAppOptions } from '../../support/app.ts';
import { instructionsOf, type PaymentLab, startPaymentLab } from '../payments/payment-lab.ts';

export const payer = { email: 'grace@example.com', name: 'Grace Hopper' };

/** Headers that identify a visitor's browser. */
export const phone = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605.1.15' };

/** A payment with the payer's secret. */
export type PayersPayment = Payment & { readonly client_secret: string };

/** Status and error of an answer: `[409, 'link_used']`. */
export function codeOf({ status, body }: TestAnswer): [number, string | undefined] {
  return [status, body?.error?.code];
}

/** The real app, with the actions of merchants and payers on links, over HTTP. */
export interface LinkLab extends PaymentLab {
  /** A new link, by default for 25.00 EUR. */
  link(body?: object): Promise<PaymentLink>;
  readLink(id: string): Promise<PaymentLink>;
  change(id: string, body: object): Promise<TestAnswer>;
  /** The link as a payer sees it, without a key. */
  look(id: string, headers?: Record<string, string>): Promise<TestAnswer & { readonly body: PublicPaymentLink }>;
  /** `POST /v1/payment-links/:id/payments` without a key. */
  open(id: string, body?: object): Promise<TestAnswer>;
  /** Like `open`, which must succeed. */
  enter(id: string, body?: object): Promise<PayersPayment>;
  /** The payer confirms by card, without a key. */
  tryCard(payment: PayersPayment, token?: string): Promise<TestAnswer>;
  /** The payer requests bank details, without a key. */
  tryBank(payment: PayersPayment, rail?: 'sepa' | 'ach'): Promise<TestAnswer>;
  /** Opens the link, and requests bank details. */
  withBankDetails(id: string): Promise<Payment>;
  /** A transfer arrives, by default of 25.00 EUR, and all due work is done. */
  transfer(payment: Payment, amount?: number): Promise<void>;
  pay(id: string, body?: object): Promise<Payment>;
}

/** The background work on links and their payments. All work of the service takes six times as long. */
export const linkWork = [
  ...['payments.attempts', 'payments.expire', 'payments.make_available', 'payments.credits'],
  ...['links.expire', 'links.close', 'links.reservations', 'outbound.send', 'outbound.book'],
] as const;

export async function startLinkLab(options: TestAppOptions = {}): Promise<LinkLab> {
  const lab = await startPaymentLab(options);
  const open: LinkLab['open'] = (id, body = {}) =>
    lab.request(`POST /v1/payment-links/${id}/payments`, { key: null, body: { customer: payer, ...body } });
  const enter: LinkLab['enter'] = async (id, body) => {
    const answer = await open(id, body);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const confirm = (payment: PayersPayment, body: object) =>
    lab.request(`POST /v1/payments/${payment.id}/confirm`, { key: payment.client_secret, body });
  const tryCard: LinkLab['tryCard'] = (payment, token = 'tok_visa') => confirm(payment, { method: 'card', token });
  const tryBank: LinkLab['tryBank'] = (payment, rail = 'sepa') => confirm(payment, { method: 'bank_transfer', rail });
  return {
    ...lab,
    open,
    enter,
    tryCard,
    tryBank,
    link: async (body = {}) => {
      const answer = await lab.request('POST /v1/payment-links', { body: { amount: 2_500, currency: 'EUR', ...body } });
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    },
    readLink: async id => (await lab.request(`GET /v1/payment-links/${id}`)).body,
    change: (id, body) => lab.request(`PATCH /v1/payment-links/${id}`, { body }),
    look: (id, headers = phone) => lab.request(`GET /v1/payment-links/${id}`, { key: null, headers }),
    withBankDetails: async id => (await tryBank(await enter(id))).body,
    transfer: async (payment, amount = 2_500) => {
      await lab.credit({ reference: instructionsOf(payment).reference, amount, sender_name: payer.name });
      await lab.sweep(...linkWork);
    },
    pay: async (id, body) => {
      const paid = await tryCard(await enter(id, body));
      expect([paid.status, paid.body.status], paid.text).toEqual([200, 'completed']);
      return paid.body;
    },
  };
}
