import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeQuote } from '../../../src/server/quotes/quote.ts';
import type { RateSource } from '../../../src/server/rates/rates.ts';
import { instructionsOf, type PaymentLab, refusal, startPaymentLab } from '../payments/payment-lab.ts';

let lab: PaymentLab;
const dollarsFor: Record<string, string> = { EUR: '1.09', JPY: '0.0067' };
const source: RateSource = {
  id: 'test',
  wellKnownAssets: { USDC: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5' },
  price: async (from, to) =>
    to.startsWith('USD') && dollarsFor[from] ? { price: dollarsFor[from], asOf: lab.clock.now() } : null,
};
beforeAll(async () => {
  lab = await startPaymentLab({ rateSource: source });
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/** The price of a euro in dollars, from the next quote on. The quotes given before have expired. */
function setPrice(price: string): void {
  dollarsFor.EUR = price;
  lab.clock.advance(901);
}

const begin = new Date('2026-11-02T09:00:00Z');
const request = {
  amount: 12_840n,
  rate: { numerator: 109n * 10n ** 7n, denominator: 10_000n },
  most: 2n ** 63n - 1n,
  source: 'test',
  now: begin,
  seconds: 900,
  sessionExpiresAt: new Date('2026-11-03T09:00:00Z'),
};

describe('a quote', () => {
  it('expires after its duration, and never after the payment’s session', () => {
    const ends = (seconds: number) => makeQuote({ ...request, seconds }).expiresAt.toISOString();
    expect([ends(900), ends(86_400), ends(86_401)]).toEqual([
      '2026-11-02T09:15:00.000Z',
      '2026-11-03T09:00:00.000Z',
      '2026-11-03T09:00:00.000Z',
    ]);
  });

  it.each([
    ['less than half a stroop', { numerator: 1n, denominator: 12_840n * 2n + 1n }],
    ['more than Stellar carries', { numerator: 2n ** 63n, denominator: 12_840n }],
  ])('is not created with %s', (_, rate) => {
    expect(() => makeQuote({ ...request, rate })).toThrow(expect.objectContaining({ code: 'invalid_amount' }));
  });

  it('may have the largest amount of Stellar', () => {
    const rate = { numerator: 2n ** 63n - 1n, denominator: 12_840n };
    expect(makeQuote({ ...request, rate }).settlementAmount).toBe(2n ** 63n - 1n);
  });

  it('may have 100 ETH on a chain whose units have 18 decimals', () => {
    const rate = { numerator: 10n ** 20n, denominator: 12_840n };
    expect(makeQuote({ ...request, rate, most: 10n ** 30n }).settlementAmount).toBe(10n ** 20n);
  });
});

describe('a new quote', () => {
  it('has the current price and the former one, a new expiry, and the same amount for the payer', async () => {
    setPrice('1.09');
    const created = await lab.create();
    lab.clock.advance(600);
    setPrice('1.12');
    const { status, body } = await lab.act(created.id, 'quotes');
    const { previous_quote: before, ...payment } = body;
    expect(status).toBe(200);
    expect(before).toEqual(created.quote);
    expect(payment.quote).toMatchObject({ settlement_amount: '143.8080000', rate: '1.12' });
    expect(payment.quote.id).not.toBe(before.id);
    expect(payment).toMatchObject({ amount: 12_840, currency: 'EUR', expires_at: payment.quote.expires_at });
    expect(new Date(payment.expires_at).getTime()).toBe(lab.clock.now().getTime() + 900_000);
    expect([before.created_at, payment.quote.created_at]).toEqual([created.created_at, lab.clock.now().toISOString()]);
    expect(payment.session_expires_at).toBe(created.session_expires_at);
    expect(await lab.read(created.id)).toEqual(payment);
    expect(await lab.eventsOf(created.id)).toEqual(['payment.created', 'payment.quote_refreshed']);
  });

  it('is the current one while that is fresh, without an event', async () => {
    setPrice('1.09');
    const created = await lab.create();
    dollarsFor.EUR = '1.12';
    for (const seconds of [0, 2, 600, 292]) {
      lab.clock.advance(seconds);
      const { status, body } = await lab.act(created.id, 'quotes');
      expect([status, body.quote, body.previous_quote]).toEqual([200, created.quote, created.quote]);
    }
    expect(await lab.eventsOf(created.id)).toEqual(['payment.created']);
    lab.clock.advance(1);
    const renewed = await Promise.all([lab.act(created.id, 'quotes'), lab.act(created.id, 'quotes')]);
    expect(new Set(renewed.map(({ body }) => body.quote.id)).size).toBe(1);
    expect(await lab.eventsOf(created.id)).toEqual(['payment.created', 'payment.quote_refreshed']);
  });

  it('is required to confirm after the expiry, and settles at its own price', async () => {
    setPrice('1.09');
    const { id, expires_at: end } = await lab.create();
    lab.clock.advance(899);
    expect((await lab.payByBank(id)).status).toBe(200);
    lab.clock.advance(1);
    expect(lab.clock.now().toISOString()).toBe(end);
    for (const confirm of [lab.payByCard, lab.payByBank]) {
      expect(refusal(await confirm(id))).toEqual([409, 'quote_expired', null]);
    }
    setPrice('1.2');
    await lab.act(id, 'quotes');
    expect((await lab.payByCard(id)).body).toMatchObject({
      status: 'completed',
      settlement: { status: 'pending', asset: 'USDC', amount: '154.0800000' },
    });
  });

  it('never outlives the session', async () => {
    const { id, session_expires_at: end } = await lab.create();
    lab.clock.advance(86_400 - 60);
    expect((await lab.act(id, 'quotes')).body.expires_at).toBe(end);
    lab.clock.advance(60);
    expect(refusal(await lab.act(id, 'quotes'))).toEqual([409, 'payment_expired', null]);
    expect((await lab.read(id)).phase).toBe('expired');
  });

  it('changes the amount of a transfer in another currency, under the same reference', async () => {
    setPrice('1.09');
    const waiting = await lab.createForBank({}, 'ach');
    expect(instructionsOf(waiting)).toMatchObject({ currency: 'USD', amount: 13_996 });
    setPrice('1.12');
    const after = instructionsOf((await lab.act(waiting.id, 'quotes')).body);
    expect(after).toMatchObject({ reference: instructionsOf(waiting).reference, amount: 14_381 });
    expect(after.fields.find(({ name }) => name === 'amount')?.value).toBe('143.81');
    await lab.credit({ reference: after.reference, amount: 14_381, currency: 'USD' });
    expect(await lab.read(waiting.id)).toMatchObject({ status: 'completed', amount_received: 12_840, exception: null });
  });

  it('does not change a transfer in the payment’s own currency', async () => {
    const waiting = await lab.createForBank();
    setPrice('1.15');
    expect((await lab.act(waiting.id, 'quotes')).body.next_action).toEqual(waiting.next_action);
  });

  it.each<[string, (id: string) => Promise<unknown>, string]>([
    ['was paid', id => lab.payByCard(id), 'payment_already_settled'],
    ['was called off', id => lab.act(id, 'cancel'), 'illegal_state'],
    ['is being charged', id => lab.payByCard(id, 'tok_delayed'), 'payment_in_flight'],
  ])('is refused for a payment that %s', async (_, end, code) => {
    const { id } = await lab.create();
    await end(id);
    expect(refusal(await lab.act(id, 'quotes'))).toEqual([409, code, null]);
  });

  it('accepts no fields', async () => {
    const { id } = await lab.create();
    setPrice('1.09');
    expect((await lab.act(id, 'quotes', {})).status).toBe(200);
  });
});

it('whose price would be too large for Stellar is not made for a late capture, which settles at the old one', async () => {
  setPrice('1.09');
  const { id } = (await lab.payByCard((await lab.create({ capture_method: 'manual' })).id)).body;
  setPrice('92233720368547');
  const { status, body } = await lab.act(id, 'capture');
  expect([status, body.quote.rate, body.settlement.amount]).toEqual([200, '1.09', '139.9560000']);
});
