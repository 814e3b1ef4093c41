import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accountOf, type FiatLab, startFiatLab } from './fiat-lab.ts';

let lab: FiatLab;
beforeAll(async () => {
  lab = await startFiatLab({ asset: 'EUR', destination: accountOf('Ada Lovelace') });
});
afterEach(() => lab.expectSoundBooks());
afterAll(() => lab.close());

const payoutOf = async (id: string | null) => (await lab.request(`GET /v1/payouts/${id}`)).body;
const settledEvents = async (id: string) => (await lab.eventsOf(id)).filter(type => type.startsWith('payment.settle'));

describe('a payment settled in a currency', () => {
  it('is paid out as it is, if it was paid in that currency', async () => {
    const payment = await lab.paid(12_840);
    await lab.arrive();
    const settlement = await lab.newest();
    expect(settlement).toMatchObject({ status: 'paid', currency: 'EUR', amount: 12_840, payments: 1, deducted: 0 });
    const payout = await payoutOf(settlement.payout);
    expect(payout).toMatchObject({ status: 'completed', amount: 12_840, settlement: settlement.id, fx: null });
    expect(payout.description).toBe(`Settlement ${settlement.id}`);
    const seen = (await lab.read(payment.id)).settlement;
    expect(seen).toMatchObject({ status: 'settled', asset: 'EUR', amount: '128.40', payout: payout.id, tx_hash: null });
    expect(await settledEvents(payment.id)).toEqual(['payment.settled']);
    expect(await lab.balance()).toEqual({});
    const members = (await lab.request(`GET /v1/payments?settlement=${settlement.id}`)).body.data;
    expect(members.map(({ id }: { id: string }) => id)).toEqual([payment.id]);
  });

  it('converts dollars once, at the quote that the payer saw', async () => {
    const payment = await lab.paid(10_000, { currency: 'USD' });
    await lab.arrive();
    const { settlement, quote } = await lab.read(payment.id);
    expect(settlement).toMatchObject({ status: 'settled', amount: quote.settlement_amount });
    const payout = await payoutOf(settlement.payout);
    expect(payout).toMatchObject({
      currency: 'EUR',
      fx: null,
      amount: Math.round(Number(quote.settlement_amount) * 100),
    });
    expect(await lab.balance()).toEqual({});
  });

  it('deducts a refund made after the payout from the next payout, once', async () => {
    const first = await lab.paid(5_000, { currency: 'USD' });
    await lab.arrive();
    await lab.refund(first.id, { amount: 2_000 });
    const share = Number((await lab.read(first.id)).settlement.amount);
    const next = await lab.paid(5_000, { currency: 'USD' });
    await lab.arrive();
    const settlement = await lab.newest();
    expect(settlement.gross).toBe(Math.round(Number(next.quote.settlement_amount) * 100));
    expect(settlement.deducted).toBe(settlement.gross - settlement.amount);
    expect(settlement.deducted).toBeGreaterThan(0);
    const left = (await lab.read(first.id)).settlement;
    expect(Math.round((share - Number(left.amount)) * 100)).toBe(settlement.deducted);
    await lab.paid(1_000);
    await lab.arrive();
    expect(await lab.newest()).toMatchObject({ gross: 1_000, deducted: 0, amount: 1_000 });
  });

  it('is paid by nothing if deductions leave nothing, and what is left to deduct waits', async () => {
    const first = await lab.paid(9_000);
    await lab.arrive();
    await lab.refund(first.id);
    const second = await lab.paid(4_000);
    await lab.arrive();
    expect(await lab.newest()).toMatchObject({
      status: 'paid',
      gross: 4_000,
      deducted: 4_000,
      amount: 0,
      payout: null,
    });
    expect((await lab.read(second.id)).settlement).toMatchObject({ status: 'settled', payout: null });
    expect((await lab.request('GET /v1/balance')).body.receivable).toMatchObject([{ currency: 'EUR', amount: 5_000 }]);
    await lab.paid(7_000);
    await lab.arrive();
    expect(await lab.newest()).toMatchObject({ status: 'paid', gross: 7_000, deducted: 5_000, amount: 2_000 });
  });

  it.each([
    ['EUR', 7_000],
    ['USD', 7_000],
  ])('in %s that was refunded and disputed owes both, and the next payouts deduct both', async (currency, disputed) => {
    const payment = await lab.paid(10_000, { currency });
    await lab.arrive();
    const got = (await lab.newest()).amount;
    await lab.refund(payment.id);
    const dispute = { payment: payment.id, amount: disputed };
    const answer = await lab.request('POST /v1/test_helpers/cards/disputes', { body: dispute });
    expect(answer.status, answer.text).toBeLessThan(300);
    const [open] = (await lab.request('GET /v1/disputes')).body.data;
    expect((await lab.request(`POST /v1/disputes/${open.id}/accept`)).status).toBe(200);
    await lab.paid(9_000);
    await lab.arrive();
    const first = await lab.newest();
    await lab.paid(20_000);
    await lab.arrive();
    const second = await lab.newest();
    expect(first.deducted + second.deducted).toBe(got + Math.round((got * disputed) / 10_000));
    expect((await lab.request('GET /v1/balance')).body.receivable).toEqual([]);
  });
});

describe('a payout that does not arrive', () => {
  it('is paid to the old destination while a changed one waits for a second person, then to the new one', async () => {
    const [old, changed] = ['Ada Lovelace', 'Grace Hopper'].map(accountOf);
    await lab.settleTo({ destination: old });
    const quoted = await lab.create({ settlement_asset: 'EUR', amount: 2_000 });
    const asked = await lab.request('PATCH /v1/account', { body: { settlement: { destination: changed } } });
    expect(asked.body.settlement).toMatchObject({ destination: old, destination_change: { destination: changed } });
    const paidTo = async (id: string) => {
      expect((await lab.payByCard(id)).body.status).toBe('completed');
      await lab.pass('P1D');
      const { status, payout } = await lab.newest();
      expect(status).toBe('paid');
      return (await lab.request(`GET /v1/payouts/${payout}`)).body.destination;
    };
    expect(await paidTo(quoted.id)).toMatchObject(old ?? {});
    const later = await lab.create({ settlement_asset: 'EUR', amount: 2_100 });
    await lab.settleTo({ destination: changed });
    expect(await paidTo(later.id)).toMatchObject(changed ?? {});
    await lab.settleTo({ destination: old });
  });

  it.each([
    ['Closed Account', 'failed'],
    ['Returned Later', 'returned'],
  ])('to %s is %s: the money is in the balance, until a person sends it again', async (holder, status) => {
    await lab.settleTo({ destination: accountOf(holder) });
    const payment = await lab.paid(3_000, { currency: 'USD' });
    await lab.arrive();
    const failed = await lab.newest();
    expect(failed).toMatchObject({ status, failure: { code: 'account_closed' } });
    expect((await lab.read(payment.id)).settlement).toMatchObject({
      status: 'failed',
      payout: failed.payout,
      failure: { code: 'account_closed' },
    });
    expect(await lab.balance()).toEqual({ 'available EUR': failed.amount });
    const { attention } = (await lab.request('GET /v1/reports/overview')).body;
    expect(attention.map(({ kind, url }: { kind: string; url: string }) => [kind, url])).toEqual([
      [`settlements_${status}_payout`, `/v1/settlements?status=${status}`],
    ]);
    await lab.settleTo({ destination: accountOf('Ada Lovelace') });
    await lab.pass('P2D');
    expect(await lab.newest()).toMatchObject({ id: failed.id, status });
    expect((await lab.request(`POST /v1/payouts/${failed.payout}/retry`)).status).toBe(409);
    const again = await lab.retry(failed.id);
    expect([again.status, again.body.status], again.text).toEqual([200, 'paying']);
    expect((await lab.retry(failed.id)).body.error.code).toBe('illegal_state');
    await lab.arrive();
    const paid = await lab.newest();
    expect(paid).toMatchObject({ status: 'paid', amount: failed.amount, failure: null });
    expect(paid.payouts).toMatchObject([
      { id: paid.payout, status: 'completed', amount: failed.amount, failure: null },
      { id: failed.payout, status, amount: failed.amount, failure: { code: 'account_closed' } },
    ]);
    expect((await lab.request(`GET /v1/settlements/${failed.id}`)).body.payouts).toEqual(paid.payouts);
    expect((await lab.read(payment.id)).settlement).toMatchObject({ status: 'settled', payout: paid.payout });
    expect(await lab.balance()).toEqual({});
  });
});

describe('money that came back', () => {
  it.each([
    ['Closed Account', 'failed'],
    ['Returned Later', 'returned'],
  ])('from %s, %s, is kept in the balance by a person, for good', async (holder, status) => {
    await lab.settleTo({ destination: accountOf(holder) });
    const payment = await lab.paid(3_000, { currency: 'USD' });
    await lab.arrive();
    const back = await lab.newest();
    const balance = await lab.balance();
    const kept = await lab.keep(back.id);
    expect(kept.status, kept.text).toBe(200);
    expect(kept.body).toMatchObject({ status: 'kept', amount: back.amount, failure: null, payouts: [{ status }] });
    await lab.sweep('settlements.close');
    const { settlement } = await lab.read(payment.id);
    expect(settlement).toMatchObject({ status: 'none', amount: null, payout: null, failure: null });
    expect(settlement).toMatchObject({ settlement: back.id, due_at: null });
    expect(await lab.balance()).toEqual(balance);
    expect(await lab.eventsOf(back.id)).toEqual(['settlement.kept']);
    expect(await lab.attention()).toEqual([]);
    for (const answer of [await lab.keep(back.id), await lab.retry(back.id)]) {
      expect([answer.status, answer.body.error.code]).toEqual([409, 'illegal_state']);
    }
  });

  it('is sent again or kept, not both, and not twice', async () => {
    await lab.settleTo({ destination: accountOf('Closed Account') });
    await lab.paid(3_000);
    await lab.arrive();
    const { id } = await lab.newest();
    const before = (await lab.balance())['available EUR'] ?? 0;
    const answers = await Promise.all([lab.retry(id), lab.keep(id), lab.retry(id), lab.keep(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const won = answers.find(({ status }) => status === 200)?.body.status;
    await lab.arrive();
    expect(await lab.newest()).toMatchObject({ id, status: won === 'kept' ? 'kept' : 'failed' });
    expect((await lab.balance())['available EUR']).toBe(before);
  });

  it('cannot be kept while its payout is on its way, nor once it is paid', async () => {
    await lab.settleTo({ destination: accountOf('Ada Lovelace') });
    await lab.paid(2_000);
    const { id } = await lab.newest();
    const refused = async () => (await lab.keep(id)).body.error;
    expect(await refused()).toMatchObject({ code: 'illegal_state', message: expect.stringContaining('on its way') });
    await lab.arrive();
    expect(await refused()).toMatchObject({ code: 'illegal_state', message: expect.stringContaining('is paid') });
  });
});
