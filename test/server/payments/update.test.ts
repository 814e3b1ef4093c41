import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(() => lab.close());

const update = (id: string, body: object, key = lab.merchant.secretKey) =>
  lab.request(`PATCH /v1/payments/${id}`, { key, body });

describe('PATCH /v1/payments/:id', () => {
  it('changes description and metadata, and nothing else', async () => {
    const created = await lab.create({ description: 'Chair', metadata: { order: 'A-1', gift: true } });
    const { client_secret: _secret, ...before } = created;
    const described = await update(created.id, { description: 'Oak chair' });
    expect([described.status, described.body]).toEqual([200, { ...before, description: 'Oak chair' }]);
    const { body } = await update(created.id, { metadata: { order: 'A-2' }, description: null });
    expect(body).toEqual({ ...before, description: null, metadata: { order: 'A-2' } });
    expect(await lab.read(created.id)).toEqual(body);
    expect((await update(created.id, {})).body).toEqual(body);
  });

  it('has no event, and leaves the payment payable and refundable', async () => {
    const { id } = await lab.create();
    await update(id, { metadata: { order: 1 } });
    await lab.payByCard(id);
    await update(id, { metadata: { order: 2 } });
    await lab.refund(id, { amount: 100 });
    expect(await lab.read(id)).toMatchObject({ phase: 'partially_refunded', metadata: { order: 2 } });
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.completed']);
  });

  it('loses no concurrent change', async () => {
    const { id } = await lab.create();
    const answers = await Promise.all([
      lab.payByCard(id),
      update(id, { description: 'Oak chair' }),
      update(id, { metadata: { order: 3 } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await lab.read(id)).toMatchObject({ phase: 'paid', description: 'Oak chair', metadata: { order: 3 } });
  });

  it.each([
    ['parameter_unknown', 'amount', { amount: 5 }],
    ['parameter_invalid', 'description', { description: 5 }],
    ['parameter_invalid', 'description', { description: 'x'.repeat(1001) }],
    ['invalid_metadata', 'metadata', { metadata: null }],
    ['invalid_metadata', 'metadata.order', { metadata: { order: { id: 1 } } }],
    ['invalid_metadata', 'metadata', { metadata: { ['k'.repeat(41)]: 'x' } }],
  ])('answers %s for a wrong %s', async (code, param, body) => {
    const { id } = await lab.create();
    expect(refusal(await update(id, body))).toEqual([400, code, param]);
  });
});
