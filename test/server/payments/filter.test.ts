import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { instructionsOf, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
const made: Payment[] = [];
const ofLinks: Payment[] = [];
let link = '';
let invoice = '';
beforeAll(async () => {
  lab = await startPaymentLab();
  const later = async (payment: Promise<Payment>) => {
    made.push(await payment);
    lab.clock.advance(1);
  };
  await later(lab.createPaid({ amount: 1_000, metadata: { order: 'A-1', gift: true } }));
  await later(lab.createForBank({ amount: 2_000, metadata: { order: 7 } }));
  await later(lab.createForBank({ amount: 3_000, metadata: { order: 'A-1' } }));
  await later(lab.create({ amount: 4_000, currency: 'USD', metadata: { 'the size, in "EU"': '42' } }));
  await lab.credit({ reference: instructionsOf(made[2] as Payment).reference, amount: 2_500 });
  const body = { amount: 5_000, currency: 'EUR', settlement_asset: 'USDC' };
  link = (await lab.request('POST /v1/payment-links', { body })).body.id;
  for (let i = 0; i < 3; i++) {
    const customer = { email: 'ada@example.com' };
    lab.clock.advance(1);
    ofLinks.push((await lab.request(`POST /v1/payment-links/${link}/payments`, { body: { customer } })).body);
  }
});
afterAll(() => lab.close());

const list = (query: Record<string, string>) => lab.request(`GET /v1/payments?${new URLSearchParams(query)}`);
const found = async (query: Record<string, string>) => {
  const { status, body, text } = await list({ ...query, limit: '100' });
  expect(status, text).toBe(200);
  return body.data.map(({ id }: Payment) => [...made, ...ofLinks].findIndex(payment => payment.id === id));
};

describe('GET /v1/payments filters', () => {
  it.each<[Record<string, string>, number[]]>([
    [{ method: 'card' }, [0]],
    [{ method: 'bank_transfer' }, [2, 1]],
    [{ phase: 'awaiting_funds' }, [1]],
    [{ phase: 'partially_paid' }, [2]],
    [{ exception: 'underpaid' }, [2]],
    [{ exception: 'overpaid' }, []],
    [{ requires_decision: 'true' }, [2]],
    [{ requires_decision: 'false', currency: 'USD' }, [3]],
    [{ currency: 'usd' }, [3]],
    [{ 'amount[gte]': '2000', 'amount[lt]': '4000' }, [2, 1]],
    [{ 'amount[gt]': '2000', 'amount[lte]': '4000' }, [3, 2]],
    [{ 'metadata[order]': 'A-1' }, [2, 0]],
    [{ 'metadata[order]': '7' }, [1]],
    [{ 'metadata[gift]': 'true' }, [0]],
    [{ 'metadata[the size, in "EU"]': '42' }, [3]],
    [{ 'metadata[order]': 'A-1', method: 'card' }, [0]],
    [{ payment_link: 'plink_0000000000000000000000' }, []],
    [{ invoice: 'inv_0000000000000000000000' }, []],
  ])('by %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('by payment link, in pages', async () => {
    expect(await found({ payment_link: link })).toEqual([6, 5, 4]);
    expect(await found({ payment_link: link, invoice: 'inv_0000000000000000000000' })).toEqual([]);
    const { body } = await list({ payment_link: link, limit: '1', starting_after: ofLinks[2]?.id ?? '' });
    expect([body.has_more, body.data[0].id]).toEqual([true, ofLinks[1]?.id]);
  });

  it('by invoice', async () => {
    const lines = [{ description: 'Design', unit_amount: 12_000 }];
    const customer = { name: 'Lindqvist AB', email: 'accounts@lindqvist.example' };
    const draft = { customer, currency: 'EUR', lines, settlement_asset: 'USDC' };
    invoice = (await lab.request('POST /v1/invoices', { body: draft })).body.id;
    await lab.request(`POST /v1/invoices/${invoice}/send`, { body: {} });
    const { status, body } = await lab.request(`POST /v1/invoices/${invoice}/payments`, { body: {} });
    expect(status).toBe(201);
    const answer = await list({ invoice });
    expect(answer.body.data.map(({ id }: Payment) => id)).toEqual([body.id]);
  });

  it.each<[string, string, Record<string, string>]>([
    ['parameter_invalid', 'method', { method: 'cash' }],
    ['parameter_invalid', 'phase', { phase: 'open' }],
    ['parameter_invalid', 'exception', { exception: 'null' }],
    ['invalid_currency', 'currency', { currency: 'EURO' }],
    ['parameter_invalid', 'amount[gte]', { 'amount[gte]': '1.5' }],
    ['parameter_unknown', 'amount[eq]', { 'amount[eq]': '15' }],
    ['parameter_unknown', 'metadata[]', { 'metadata[]': 'x' }],
    ['parameter_unknown', 'metadata', { metadata: 'x' }],
    ['parameter_invalid', 'metadata[order]', { 'metadata[order]': 'x'.repeat(501) }],
  ])('answer %s for a wrong %s', async (code, param, query) => {
    expect(refusal(await list(query))).toEqual([400, code, param]);
  });

  it('are described in the OpenAPI document', async () => {
    const { body } = await lab.request('GET /openapi.json', { key: null });
    const names = body.paths['/v1/payments'].get.parameters.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['amount[gte]', 'payment_link', 'invoice', 'exception', 'metadata']));
  });
});
