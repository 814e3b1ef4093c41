import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dispute } from '../../../src/api/disputes/dispute.ts';
import { type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const open = async (payment: string, more: object = {}) => {
  const answer = await lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment, ...more } });
  expect(answer.status, answer.text).toBe(201);
  const { data } = (await lab.request(`GET /v1/disputes?payment=${payment}`)).body;
  return data[0] as Dispute;
};
const read = async (id: string): Promise<Dispute> => (await lab.request(`GET /v1/disputes/${id}`)).body;
const answer = (id: string, explanation = 'It was delivered.') =>
  lab.request(`POST /v1/disputes/${id}/evidence`, { body: { explanation, file_names: ['delivery.pdf'] } });
const accept = (id: string) => lab.request(`POST /v1/disputes/${id}/accept`);
/** The bank decides. */
async function decide(seconds = 120): Promise<void> {
  lab.clock.advance(seconds);
  await lab.sweep('payments.disputes');
}

const day = 86_400;

describe('a dispute', () => {
  it('has a deadline, and its event and the one of its payment carry it', async () => {
    const { id: payment } = await lab.createPaid();
    const dispute = await open(payment, { amount: 2_840, reason: 'product_not_received' });
    expect(dispute).toMatchObject({
      object: 'dispute',
      payment,
      amount: 2_840,
      currency: 'EUR',
      reason: 'product_not_received',
      status: 'needs_response',
      outcome: null,
      evidence: null,
      closed_at: null,
      livemode: false,
    });
    expect(Date.parse(dispute.evidence_due_at) - Date.parse(dispute.created_at)).toBe(7 * day * 1000);
    const { data } = (await lab.request(`GET /v1/events?resource=${payment}&type=payment.disputed`)).body;
    expect(data[0].data.object).toMatchObject({ id: payment, amount_disputed: 2_840, dispute });
    expect(await lab.eventsOf(dispute.id)).toEqual(['dispute.created']);
    expect(await lab.read(payment)).toMatchObject({ status: 'completed', amount_disputed: 2_840 });
  });

  it('is reported once, however often the acquirer reports it', async () => {
    const { id: payment } = await lab.createPaid();
    const { id } = await open(payment, { amount: 1_000 });
    const again = await Promise.all([open(payment, { amount: 1_000 }), open(payment, { amount: 1_000 })]);
    expect(again.map(dispute => dispute.id)).toEqual([id, id]);
    expect((await lab.read(payment)).amount_disputed).toBe(1_000);
  });

  it('takes evidence once, and is won: the amount comes back', async () => {
    const { id: payment } = await lab.createPaid({ currency: 'SEK' });
    const before = (await lab.balance())['pending SEK'];
    const { id } = await open(payment);
    expect((await lab.balance())['pending SEK'] ?? 0).toBe((before ?? 0) - 12_840);
    const answered = await answer(id);
    expect([answered.status, answered.body.status]).toEqual([200, 'under_review']);
    expect(answered.body.evidence).toEqual({ explanation: 'It was delivered.', file_names: ['delivery.pdf'] });
    expect(refusal(await answer(id))).toEqual([409, 'illegal_state', null]);
    expect(refusal(await accept(id))).toEqual([409, 'illegal_state', null]);
    await decide(10);
    expect((await read(id)).status).toBe('under_review');
    await decide();
    await decide();
    expect(await read(id)).toMatchObject({ status: 'closed', outcome: 'won' });
    expect(await lab.eventsOf(id)).toEqual(['dispute.created', 'dispute.evidence_submitted', 'dispute.closed']);
    expect((await lab.read(payment)).amount_disputed).toBe(0);
    expect((await lab.balance())['pending SEK']).toBe(before);
    expect((await lab.refund(payment)).amount).toBe(12_840);
  });

  it.each([
    ['evidence that the bank does not believe', (id: string) => answer(id, 'losing_evidence'), 120, 'lost'],
    ['no answer before the deadline', null, 7 * day + 1, 'lost'],
    ['giving in', accept, 0, 'accepted'],
  ] as const)('is not won by %s', async (_, act, seconds, outcome) => {
    const { id: payment } = await lab.createPaid({ currency: 'NOK' });
    const { id } = await open(payment, { amount: 4_000 });
    expect((await act?.(id))?.status ?? 200).toBe(200);
    await decide(seconds);
    expect(await read(id)).toMatchObject({ status: 'closed', outcome, closed_at: expect.any(String) });
    expect((await lab.read(payment)).amount_disputed).toBe(4_000);
    expect(refusal(await answer(id))).toEqual([409, 'illegal_state', null]);
    expect((await lab.refund(payment)).amount).toBe(8_840);
  });

  it('is closed to other merchants, other modes of access and wrong evidence', async () => {
    const { id } = await open((await lab.createPaid()).id);
    const key = (await lab.addMerchant()).secretKey;
    expect(refusal(await lab.request(`GET /v1/disputes/${id}`, { key }))).toEqual([404, 'resource_missing', 'id']);
    expect(refusal(await lab.request(`POST /v1/disputes/${id}/accept`, { key }))).toEqual([
      404,
      'resource_missing',
      'id',
    ]);
    expect((await lab.request('GET /v1/disputes', { key })).body.data).toEqual([]);
    const body = { explanation: '' };
    expect((await lab.request(`POST /v1/disputes/${id}/evidence`, { body })).status).toBe(400);
    expect((await read(id)).status).toBe('needs_response');
    expect((await lab.request('GET /v1/disputes?status=needs_response')).body.data[0].id).toBe(id);
  });

  it('that is won after all is not closed as accepted, although the answer was lost on the way', async () => {
    const { id: payment } = await lab.createPaid();
    const { id } = await open(payment);
    // The acquirer took the evidence; the service stopped before it stored this.
    await lab.database.pool.query(
      `update sandbox.disputes set evidence = '{}', submitted_at = $2
       where id = (select rail_reference from disputes where id = $1)`,
      [id, lab.clock.now()],
    );
    expect((await accept(id)).body.error.code).toBe('illegal_state');
    // The service asks for the outcome once the time for evidence is over.
    await decide(8 * 86_400);
    expect((await read(id)).outcome).toBe('won');
  });

  it('of the card half of a payment leaves refunds to the other half, and then to nothing', async () => {
    const waiting = await lab.createForBank();
    if (waiting.next_action?.type !== 'bank_instructions') throw new Error('no instructions');
    await lab.credit({ reference: waiting.next_action.reference, amount: 6_420 });
    lab.clock.advance(1);
    const { id: payment } = (await lab.payByCard(waiting.id)).body;
    const refunded = async (amount?: number) => {
      const { id } = await lab.refund(payment, amount === undefined ? {} : { amount });
      const { rows } = await lab.database.pool.query(
        'select rail, amount::int from refund_parts where refund_id = $1 order by amount',
        [id],
      );
      return rows.map(({ rail, amount: part }) => [rail, part]);
    };
    const { id } = await open(payment, { amount: 6_000 });
    expect(await refunded(1_000)).toEqual([['sepa', 1_000]]);
    // The rest of the card's half is not disputed.
    expect(await refunded()).toEqual([
      ['sandbox_card', 420],
      ['sepa', 5_420],
    ]);
    const none = await lab.act(payment, 'refunds');
    expect([...refusal(none).slice(0, 2), none.body.error.message]).toEqual([
      ...[409, 'illegal_state', expect.stringMatching(/disputed/)],
    ]);
    await answer(id);
    await decide();
    expect(await refunded()).toEqual([['sandbox_card', 6_000]]);
    expect((await lab.read(payment)).status).toBe('refunded');
  });

  it.each([
    ['won', 0],
    ['lost', 12_840],
  ] as const)(
    'of money that was already refunded takes it from the merchant again, and ends %s',
    async (end, disputed) => {
      const { id: payment } = await lab.createPaid();
      await lab.refund(payment, {});
      const dispute = await open(payment);
      expect(dispute).toMatchObject({ amount: 12_840, status: 'needs_response' });
      expect(await lab.read(payment)).toMatchObject({
        status: 'refunded',
        amount_refunded: 12_840,
        amount_disputed: 12_840,
        amount_refundable: 0,
      });
      await answer(dispute.id, end === 'won' ? 'It was refunded.' : 'losing_evidence');
      await decide();
      expect((await read(dispute.id)).outcome).toBe(end);
      expect(await lab.read(payment)).toMatchObject({ status: 'refunded', amount_disputed: disputed });
      await lab.expectSoundBooks();
    },
  );

  it('leaves sound books in any order of refunds, answers and outcomes', async () => {
    const ends = fc.constantFrom('won', 'lost', 'accepted', 'expired', 'open');
    const part = fc.integer({ min: 1, max: 12_840 });
    await fc.assert(
      fc.asyncProperty(part, ends, fc.option(part), fc.option(part), async (disputed, end, before, after) => {
        const { id: payment } = await lab.createPaid();
        const refunded = before ?? 0;
        if (refunded > 0) await lab.refund(payment, { amount: refunded });
        const { id } = await open(payment, { amount: disputed });
        const left = 12_840 - refunded - disputed;
        if (after !== null && left > 0) await lab.refund(payment, { amount: Math.min(after, left) });
        if (end === 'won') await answer(id);
        if (end === 'lost') await answer(id, 'losing_evidence');
        if (end === 'accepted') await accept(id);
        if (end !== 'open') await decide(end === 'expired' ? 8 * day : 120);
        expect((await lab.read(payment)).amount_disputed).toBe(end === 'won' ? 0 : disputed);
      }),
      { numRuns: 10 },
    );
    await lab.expectSoundBooks();
  });
});
