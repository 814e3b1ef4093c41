import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payout } from '../../../src/api/payout.ts';
import type { RateSource } from '../../../src/server/rates/rates.ts';
import { refusal } from '../payments/payment-lab.ts';
import { allOf, type BulkLab, phone, startBulkLab } from './bulk-lab.ts';

let lab: BulkLab;
/** Dollars for a euro, with two decimals; null: none at present. */
let dollars: number | null = 100;

const market: RateSource = {
  id: 'test',
  wellKnownAssets: {},
  price: async (from, to) => {
    if (dollars === null) throw new Error('the market is closed');
    const price =
      from === 'EUR' && to === 'USD' ? dollars / 100 : from === 'USD' && to === 'EUR' ? 100 / dollars : null;
    return price === null ? null : { price: price.toFixed(10), asOf: lab.clock.now() };
  },
};

beforeAll(async () => {
  lab = await startBulkLab({ rateSource: market });
});
afterAll(async () => {
  await lab.arrive();
  await lab.expectSoundBooks();
  await lab.close();
});

/** Moves the market; prices are read again after a second. */
const moveTo = (price: number | null) => {
  dollars = price;
  lab.clock.advance(2);
};
const usd = async () => (await lab.balance())['available USD'] ?? 0;
/** A payout of 1 EUR that debits dollars. */
async function payFromDollars(): Promise<Payout> {
  const { id } = await lab.accept([{ ...phone, source_currency: 'USD' }]);
  const [payout] = await allOf<Payout>(lab, `/v1/payout-batches/${id}/payouts`);
  return payout as Payout;
}
const read = async (id: string): Promise<Payout> => (await lab.request(`GET /v1/payouts/${id}`)).body;
const resume = (id: string) => lab.request(`POST /v1/payouts/${id}/resume` as 'POST /');

describe('a payout whose rate moves before it is sent', () => {
  it('waits on hold, and uses the current rate when it is resumed', async () => {
    await lab.fund(500, 'USD');
    moveTo(100);
    const { id } = await payFromDollars();
    expect(await usd()).toBe(398);
    moveTo(120);
    await lab.sweep('payouts.send');
    expect(await read(id)).toMatchObject({ status: 'on_hold', hold: { code: 'rate_moved' } });
    expect((await resume(id)).body).toMatchObject({ status: 'queued', hold: null });
    // 1.20 USD, and 2 % in case the rate moves.
    expect(await usd()).toBe(500 - 122);
    await lab.arrive();
    expect(await read(id)).toMatchObject({ status: 'completed', fx: { source_amount: 120 } });
    expect(await usd()).toBe(380);
  });

  it('is not resumed when the balance does not cover the new rate', async () => {
    moveTo(100);
    const { id } = await payFromDollars();
    moveTo(400);
    await lab.sweep('payouts.send');
    lab.clock.advance(600);
    await lab.sweep('payouts.send');
    const before = await usd();
    expect((await resume(id)).body.error).toMatchObject({ code: 'insufficient_funds', type: 'payment_error' });
    expect(await usd()).toBe(before);
    expect(await read(id)).toMatchObject({ status: 'on_hold' });
    await lab.request(`POST /v1/payouts/${id}/cancel` as 'POST /');
    expect(await usd()).toBe(before + 102);
  });

  it('waits on hold without a current rate, and is sent when it is resumed with one', async () => {
    moveTo(400);
    lab.clock.advance(600);
    moveTo(100);
    lab.clock.advance(600);
    const { id } = await payFromDollars();
    moveTo(null);
    await lab.sweep('payouts.send');
    expect(await read(id)).toMatchObject({ status: 'on_hold', hold: { code: 'rate_unavailable' } });
    expect(refusal(await resume(id))).toEqual([503, 'rate_unavailable', null]);
    moveTo(100);
    expect((await resume(id)).status).toBe(200);
    await lab.arrive();
    expect(await read(id)).toMatchObject({ status: 'completed' });
  });
});

describe('without a rate at present', () => {
  const fromDollars = { ...phone, source_currency: 'USD' };

  it.each([{}, { on_error: 'skip_invalid' }, { dry_run: true }])(
    'a request with %o is refused whole',
    async options => {
      moveTo(null);
      const before = await lab.written();
      const answer = await lab.bulk([phone, fromDollars], options);
      expect(refusal(answer)).toEqual([503, 'rate_unavailable', null]);
      expect(answer.headers['retry-after']).toBe('5');
      expect(await lab.written()).toEqual(before);
    },
  );

  it('a row between units that no source knows is still named', async () => {
    moveTo(100);
    const answer = await lab.bulk([{ ...phone, source_currency: 'XLM' }]);
    expect(refusal(answer)).toEqual([400, 'no_route', 'payouts[0].source_currency']);
  });

  it('the run of a recurring batch waits for one', async () => {
    await lab.fund(500, 'USD');
    moveTo(100);
    const startsAt = new Date(lab.clock.now().getTime() + 60_000).toISOString();
    const schedule = { type: 'recurring', rrule: 'FREQ=DAILY;COUNT=1', starts_at: startsAt };
    const { id } = await lab.accept([fromDollars], { schedule });
    const runs = async () => (await lab.request(`GET /v1/payout-batches?recurring_batch=${id}`)).body.data;
    lab.clock.advance(60);
    moveTo(null);
    await lab.sweep('payouts.batches').catch(() => undefined);
    expect(await runs()).toEqual([]);
    moveTo(100);
    lab.clock.advance(60);
    await lab.sweep('payouts.batches');
    expect(await runs()).toMatchObject([{ status: 'processing', counts: { accepted: 1 } }]);
  });
});
