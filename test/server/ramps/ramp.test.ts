import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreatedRamp, Ramp } from '../../../src/api/ramps/ramp.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type RampLab, startRampLab, terms, USDC } from './ramp-lab.ts';

let lab: RampLab;
let wallet: string;
beforeAll(async () => {
  lab = await startRampLab();
  wallet = (await lab.openAccount(USDC)).publicKey();
}, 60_000);
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const made = async (changes = {}): Promise<CreatedRamp> => {
  const { status, body, text } = await lab.begin(wallet, changes);
  expect(status, text).toBe(201);
  return body;
};

describe('a ramp', { timeout: 40_000 }, () => {
  it('by card: the coins are in the wallet, and the merchant has the fee', async () => {
    const before = Number(await lab.holds(wallet, USDC));
    const fees = (await lab.balance())['available EUR'] ?? 0;
    const ramp = await made({ client_reference: 'order 7', metadata: { shop: 'Nordlys' } });
    expect(ramp).toMatchObject({
      object: 'ramp',
      status: 'pending_user_transfer_start',
      fiat_currency: 'EUR',
      asset: USDC,
      amount_in: 100_00,
      amount_fee: 1_80,
      client_reference: 'order 7',
      deposit: { amount: 100_00, currency: 'EUR' },
      tx_hash: null,
    });
    expect(ramp.payment_client_secret).toMatch(/^\w/);
    await lab.pay(ramp);
    const done = await lab.reach(ramp.id, 'completed');
    expect(done).toMatchObject({ amount_out: ramp.amount_out, delivery: 'payment', deposit: null, failure: null });
    expect(Number(await lab.holds(wallet, USDC)) - before).toBeCloseTo(Number(ramp.amount_out), 7);
    expect(await lab.network.status(done.tx_hash ?? '')).toMatchObject({ ledger: done.ledger });
    expect(await lab.eventsOf(ramp.id)).toEqual(['ramp.created', 'ramp.updated', 'ramp.updated', 'ramp.completed']);
    expect((await lab.balance())['available EUR']).toBe(fees + 1_80);
    const payment = await lab.read(ramp.payment ?? '');
    expect(payment).toMatchObject({ ramp: ramp.id, settlement: { status: 'none' } });
    expect(payment.description).toMatch(new RegExp(`^${ramp.amount_out} USDC → G\\w+…\\w+$`));
  });

  it('by bank transfer buys an exact number of coins', async () => {
    const ramp = await made({ method: 'bank_transfer', asset_amount: '25.0000000' });
    expect(ramp.amount_out).toBe('25.0000000');
    const { body } = await lab.payByBank(ramp.payment ?? '');
    await lab.credit({ reference: body.next_action.reference, amount: Number(ramp.amount_in) });
    expect(await lab.reach(ramp.id, 'completed')).toMatchObject({ amount_out: '25.0000000' });
  });

  it('waits for the trustline, and delivers once it is there', async () => {
    const key = await lab.openAccount();
    const ramp = (await lab.begin(key.publicKey())).body as Ramp;
    await lab.pay(ramp);
    expect(await lab.reach(ramp.id, 'pending_trust')).toMatchObject({ failure: { code: 'no_trustline' } });
    await lab.onLedger(key, { type: 'changeTrust', asset: USDC, limit: 2n ** 63n - 1n });
    await lab.reach(ramp.id, 'completed');
    expect(await lab.holds(key.publicKey(), USDC)).toBe(ramp.amount_out);
  });

  it('leaves a claimable balance where the customer wants one', async () => {
    const other = (await lab.openAccount()).publicKey();
    const ramp = (await lab.begin(other, { claimable: true })).body as Ramp;
    await lab.pay(ramp);
    expect(await lab.reach(ramp.id, 'completed')).toMatchObject({ delivery: 'claimable_balance' });
  });

  it('is delivered once, however often its work is repeated', async () => {
    const ramp = await made();
    await lab.pay(ramp);
    await Promise.all(Array.from({ length: 5 }, () => lab.sweep('ramps')));
    const done = await lab.reach(ramp.id, 'completed');
    const sent = await lab.database.pool.query('select 1 from outbound_transfers where resource_id = $1', [ramp.id]);
    expect([done.amount_out, sent.rowCount]).toEqual([ramp.amount_out, 1]);
  });

  it('ends when it is canceled, and cannot be paid afterwards', async () => {
    const ramp = await made();
    expect((await lab.request(`POST /v1/ramps/${ramp.id}/cancel`)).body).toMatchObject({ status: 'expired' });
    expect((await lab.payByCard(ramp.payment ?? '')).status).toBe(409);
    expect(await lab.eventsOf(ramp.id)).toEqual(['ramp.created', 'ramp.failed']);
    expect(refusal(await lab.request(`POST /v1/ramps/${ramp.id}/cancel`))).toEqual([409, 'illegal_state', null]);
  });
});

it('holds the erasure of its customer up, and is erased with it', async () => {
  const { body: customer } = await lab.request('POST /v1/customers', { body: { email: 'leaving@example.com' } });
  const ramp = await made({ customer_id: customer.id, metadata: { nickname: 'Leaver' } });
  const erase = () => lab.request(`DELETE /v1/customers/${customer.id}`);
  const refused = await erase();
  expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining(ramp.id)]);
  await lab.request(`POST /v1/ramps/${ramp.id}/cancel`);
  expect((await erase()).status).toBe(200);
  const { rows } = await lab.database.pool.query('select r::text as text from ramps r where id = $1', [ramp.id]);
  expect(rows[0].text).not.toMatch(/leav/i);
  expect(await lab.ramp(ramp.id)).toMatchObject({ status: 'expired', amount_in: 100_00, metadata: {} });
}, 40_000);

describe('money of a ramp', { timeout: 40_000 }, () => {
  const waiting = async (): Promise<Ramp> => {
    const ramp = (await lab.begin((await lab.openAccount()).publicKey())).body as Ramp;
    await lab.pay(ramp);
    return await lab.reach(ramp.id, 'pending_trust');
  };
  const refund = (id: string, body: object = {}) => lab.request(`POST /v1/ramps/${id}/refunds`, { body });

  it('goes back whole while no coins are on their way', async () => {
    const ramp = await waiting();
    expect((await refund(ramp.id)).status).toBe(201);
    expect(await lab.reach(ramp.id, 'refunded')).toMatchObject({
      amount_in: 100_00,
      amount_fee: 0,
      amount_out: '0.0000000',
      refunds: { amount_refunded: 100_00 },
    });
  });

  it('goes back in part, and the rest buys coins', async () => {
    const ramp = await waiting();
    await refund(ramp.id, { amount: 40_00 });
    const left = await lab.ramp(ramp.id);
    expect(left).toMatchObject({ amount_in: 100_00, amount_fee: 1_20, refunds: { amount_refunded: 40_00 } });
    expect(Number(left.amount_out) / Number(ramp.amount_out)).toBeCloseTo(58_80 / 98_20, 6);
    expect((await refund(ramp.id)).status).toBe(201);
  });

  it('cannot be spent before the delivery', async () => {
    const before = (await lab.balance())['available EUR'] ?? 0;
    const ramp = await waiting();
    await lab.sweep();
    expect((await lab.balance())['available EUR'] ?? 0).toBe(before);
    await refund(ramp.id);
    await lab.reach(ramp.id, 'refunded');
  });

  it('of a customer who was rejected meanwhile buys nothing', async () => {
    const { body: customer } = await lab.request('POST /v1/customers', { body: { email: 'rejected@example.com' } });
    const decide = (status: string) =>
      lab.request(`POST /v1/test_helpers/customers/${customer.id}/kyc`, { body: { status } });
    await decide('approved');
    const key = await lab.openAccount();
    const [paid, unpaid] = [
      (await lab.begin(key.publicKey(), { customer_id: customer.id })).body as Ramp,
      await made({ customer_id: customer.id }),
    ];
    await lab.pay(paid);
    await lab.reach(paid.id, 'pending_trust');
    await decide('rejected');
    expect(await lab.reach(paid.id, 'on_hold')).toMatchObject({
      kyc_status: 'rejected',
      failure: { code: 'kyc_rejected' },
    });
    expect(refusal(await lab.request(`POST /v1/ramps/${paid.id}/accept`))).toEqual([409, 'illegal_state', null]);
    expect(refusal(await lab.payByCard(unpaid.payment ?? ''))).toEqual([409, 'illegal_state', null]);
    const another = await lab.begin(wallet, { customer_id: customer.id });
    expect(refusal(another)).toEqual([403, 'operation_not_allowed', 'customer_id']);
    expect((await refund(paid.id)).status).toBe(201);
  });

  it('cannot be refunded after the delivery, by the payment neither', async () => {
    const ramp = await made();
    await lab.pay(ramp);
    await lab.reach(ramp.id, 'completed');
    expect(refusal(await refund(ramp.id))).toEqual([409, 'illegal_state', null]);
    const byPayment = await lab.request(`POST /v1/payments/${ramp.payment}/refunds`, { body: {} });
    expect(refusal(byPayment)).toEqual([409, 'illegal_state', null]);
  });

  it('that the cardholder disputes after the delivery is shown, and becomes the merchant’s debt', async () => {
    const ramp = await made();
    await lab.pay(ramp);
    await lab.reach(ramp.id, 'completed');
    const disputed = await lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment: ramp.payment } });
    expect(disputed.status, disputed.text).toBeLessThan(300);
    await lab.until('it is shown', async () => (await lab.ramp(ramp.id)).amount_disputed === 100_00);
    expect(await lab.ramp(ramp.id)).toMatchObject({ status: 'completed', amount_out: ramp.amount_out });
  });
});

describe('a ramp is refused', () => {
  it.each<[string, object, unknown[]]>([
    ['an asset that the account does not sell', { asset: 'EURC' }, [400, 'asset_not_listed', 'asset']],
    ['an unknown currency', { fiat_currency: 'XXX' }, [400, 'invalid_currency', 'fiat_currency']],
    ['both amounts', { fiat_amount: 1, asset_amount: '1' }, [400, 'parameter_invalid', 'fiat_amount']],
    ['too many decimals', { asset_amount: '1.00000001' }, [400, 'invalid_amount', 'asset_amount']],
    ['an amount below the fee', { fiat_amount: 30 }, [400, 'invalid_amount', 'amount']],
    [
      'a wallet on another chain',
      { wallet: { address: '0x52908400098527886E0F7030069857D2E4169EE7' } },
      [400, 'invalid_address', 'wallet.address'],
    ],
    ['a memo without type', { wallet: { address: 'G', memo: '7' } }, [400, 'parameter_invalid', 'wallet.memo']],
    ['an unknown quote', { quote_id: 'quote_0000000000000000000000' }, [404, 'resource_missing', 'quote_id']],
    ['an unknown customer', { customer_id: 'cus_0000000000000000000000' }, [404, 'resource_missing', 'customer_id']],
    ['a return URL without origin', { return_url: 'javascript:alert(1)' }, [400, 'invalid_redirect_url', 'return_url']],
  ])('with %s', async (_, changes, expected) => {
    expect(refusal(await lab.begin(wallet, changes))).toEqual(expected);
  });

  it('by accounts that offer none', async () => {
    await lab.setTerms({ enabled: false });
    expect(refusal(await lab.quote())).toEqual([403, 'operation_not_allowed', null]);
    await lab.setTerms(terms);
  });

  it.each<[string, object, string]>([
    ['an unlisted asset', { assets: ['DOGE'] }, 'ramps.assets[0]'],
    ['three decimals', { fees: [{ percent: 1.005 }] }, 'ramps.fees[0].percent'],
    ['a fixed fee without currency', { fees: [{ percent: 1, fixed: 30 }] }, 'ramps.fees[0].currency'],
    ['a limit in no currency', { limits: [{ currency: 'QQQ', per_day: 1 }] }, 'ramps.limits[0].currency'],
  ])('as are rules with %s', async (_, changes, param) => {
    expect(refusal(await lab.setTerms(changes))).toMatchObject([400, expect.any(String), param]);
  });
});

describe('a quote', { timeout: 40_000 }, () => {
  it('adds up as SEP-38 says, in both directions', async () => {
    const { status, body } = await lab.quote();
    expect(status).toBe(201);
    expect(body.fee).toMatchObject({ total: 1_80, currency: 'EUR', details: [{ amount: 1_50 }, { amount: 30 }] });
    const sum = Number(body.price) * Number(body.buy.amount) * 100 + body.fee.total;
    expect(Math.abs(sum - body.sell.amount)).toBeLessThan(0.01);
    expect(Number(body.total_price) * Number(body.buy.amount)).toBeCloseTo(100, 6);
    const back = await lab.quote({ sell: { currency: 'EUR' }, buy: { asset: 'USDC', amount: body.buy.amount } });
    expect(back.body.sell.amount).toBe(100_00);
  });

  it('prices one ramp, of its customer only', async () => {
    const { body: customer } = await lab.request('POST /v1/customers', { body: { email: 'quoted@example.com' } });
    const { body: quote } = await lab.quote({ customer_id: customer.id });
    const other = await lab.begin(wallet, { quote_id: quote.id });
    expect(refusal(other)).toEqual([404, 'resource_missing', 'quote_id']);
    const changed = await lab.begin(wallet, { quote_id: quote.id, customer_id: customer.id, fiat_amount: 99_00 });
    expect(refusal(changed)).toEqual([400, 'parameter_invalid', 'fiat_amount']);
    const both = await Promise.all(
      [1, 2, 3].map(() => lab.begin(wallet, { quote_id: quote.id, customer_id: customer.id })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(both.find(({ status }) => status === 201)?.body).toMatchObject({ amount_out: quote.buy.amount });
    expect(both.filter(({ status }) => status === 409).map(refusal)).toEqual(
      Array.from({ length: 2 }, () => [409, 'quote_used', 'quote_id']),
    );
  });

  it('reserves coins that the treasury has: what it has not is refused before the payment', async () => {
    const most = Number(await lab.holds(lab.treasury, 'XLM'));
    const all = { sell: { currency: 'EUR' }, buy: { asset: 'XLM', amount: String(Math.floor(most * 0.6)) } };
    const answers = await Promise.all([1, 2, 3].map(() => lab.quote(all)));
    expect(answers.filter(({ status }) => status === 201).length).toBeLessThan(3);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(refusal(answer)).toEqual([409, 'no_liquidity', 'amount']);
    }
  });
});

describe('limits', { timeout: 40_000 }, () => {
  const limits = [
    { currency: 'EUR', per_day: 150_00 },
    { tier: 'basic', currency: 'EUR', per_transaction: 500_00 },
  ];

  it('ask for an identity check, and the ramp begins by itself after it', async () => {
    await lab.setTerms({ limits });
    const { body: customer } = await lab.request('POST /v1/customers', { body: { email: 'limited@example.com' } });
    const first = await made({ customer_id: customer.id });
    expect(first.status).toBe('pending_user_transfer_start');
    const ramp = await made({ customer_id: customer.id });
    expect(ramp).toMatchObject({ status: 'incomplete', kyc_tier_needed: 'basic', payment: null, deposit: null });
    const approved = await lab.request(`POST /v1/test_helpers/customers/${customer.id}/kyc`, {
      body: { status: 'approved', tier: 'basic' },
    });
    expect(approved.status, approved.text).toBe(200);
    const begun = await lab.reach(ramp.id, 'pending_user_transfer_start');
    expect(begun).toMatchObject({ kyc_status: 'approved', kyc_tier_needed: null, amount_in: 100_00 });
    await lab.pay(begun);
    await lab.reach(ramp.id, 'completed');
    // Approved once, used again.
    expect(await made({ customer_id: customer.id })).toMatchObject({ status: 'pending_user_transfer_start' });
    await lab.setTerms({ limits: [] });
  });

  it('that no identity check lifts are named', async () => {
    await lab.setTerms({ limits });
    const answer = await lab.begin(wallet, { fiat_amount: 600_00 });
    expect(refusal(answer)).toEqual([400, 'amount_out_of_range', 'fiat_amount']);
    expect(answer.body.error.message).toContain('per_transaction');
    await lab.setTerms({ limits: [] });
  });
});

// These move the clock ahead, so they come last.
describe('money that comes after the price', { timeout: 40_000 }, () => {
  /** A ramp whose bank transfer arrives after its price and the grace have ended. */
  const paidLate = async (rule: 'market' | 'refund' | 'wait'): Promise<Ramp> => {
    await lab.setTerms({ late_money: rule });
    const { body: ramp } = await lab.begin(wallet, { method: 'bank_transfer' });
    const { body: waiting } = await lab.payByBank(ramp.payment);
    const moved = await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT45M' } });
    expect(moved.status, moved.text).toBe(200);
    await lab.credit({ reference: waiting.next_action.reference, amount: 100_00 });
    return ramp;
  };

  it.each([
    ['market', 'completed', { refunds: { amount_refunded: 0 } }],
    ['refund', 'refunded', { refunds: { amount_refunded: 100_00 }, amount_out: '0.0000000' }],
    ['wait', 'on_hold', { failure: { code: 'paid_late' } }],
  ] as const)(
    'by the rule %s: the ramp is %s',
    async (rule, status, fields) => {
      const ramp = await paidLate(rule);
      expect(await lab.reach(ramp.id, status)).toMatchObject(fields);
    },
    40_000,
  );

  it('is not taken from a card, unless it buys at the market rate', async () => {
    await lab.setTerms({ late_money: 'refund' });
    const ramp = await made();
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT45M' } });
    expect(refusal(await lab.act(ramp.payment ?? '', 'quotes'))).toEqual([409, 'quote_expired', null]);
    expect(refusal(await lab.payByCard(ramp.payment ?? ''))).toEqual([409, 'quote_expired', null]);
    await lab.setTerms({ late_money: 'market' });
    await lab.act(ramp.payment ?? '', 'quotes');
    await lab.pay(ramp);
    await lab.reach(ramp.id, 'completed');
  });

  it('is the market rate for a wallet that was not ready before the price ended', async () => {
    const key = await lab.openAccount();
    const { body: ramp } = await lab.begin(key.publicKey());
    await lab.pay(ramp);
    await lab.reach(ramp.id, 'pending_trust');
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT45M' } });
    const isAtMarket = async () => {
      const { rows } = await lab.database.pool.query('select at_market from ramps where id = $1', [ramp.id]);
      return rows[0].at_market;
    };
    await lab.until('its price is over', isAtMarket);
    await lab.onLedger(key, { type: 'changeTrust', asset: USDC, limit: 2n ** 63n - 1n });
    await lab.reach(ramp.id, 'completed');
  });

  it('is refunded again after an operator gave a refund back, though the rest was delivered', async () => {
    await lab.setTerms({ late_money: 'market' });
    const key = await lab.openAccount();
    const changes = { fiat_currency: 'UGX', fiat_amount: 150_000, method: 'mobile_money' } as const;
    const { body: ramp } = await lab.begin(key.publicKey(), changes);
    // The payer of this number approves the prompt.
    await lab.act(ramp.payment, 'confirm', { method: 'mobile_money', provider: 'mtn', number: '+256772129789' });
    await lab.reach(ramp.id, 'pending_trust');
    const refund = () => lab.request(`POST /v1/ramps/${ramp.id}/refunds`, { body: { amount: 50_000 } });
    const { body: first } = await refund();
    const statusOfFirst = async () => (await lab.request(`GET /v1/refunds/${first.id}`)).body.status;
    await lab.until('the refund is paid', async () => (await statusOfFirst()) === 'completed');
    await lab.onLedger(key, { type: 'changeTrust', asset: USDC, limit: 2n ** 63n - 1n });
    const delivered = await lab.reach(ramp.id, 'completed');
    expect(delivered).toMatchObject({ amount_in: 150_000, refunds: { amount_refunded: 50_000 } });
    await lab.giveBack(first.id);
    await lab.until('the refund came back', async () => (await statusOfFirst()) === 'failed');
    expect(await lab.ramp(ramp.id)).toMatchObject({ status: 'completed', refunds: { amount_refunded: 0 } });
    expect((await refund()).status).toBe(201);
    expect(refusal(await refund())).toEqual([409, 'illegal_state', null]);
  });

  it('on hold is accepted at the market rate, or goes back', async () => {
    const [first, second] = [await paidLate('wait'), await paidLate('wait')];
    await lab.reach(second.id, 'on_hold');
    const { data } = (await lab.request('GET /v1/ramps?status=on_hold')).body;
    expect(data.map(({ id }: Ramp) => id)).toEqual(expect.arrayContaining([first.id, second.id]));
    expect((await lab.request(`POST /v1/ramps/${first.id}/accept`)).body).toMatchObject({ status: 'pending_anchor' });
    expect(await lab.reach(first.id, 'completed')).toMatchObject({ amount_in: 100_00, amount_fee: 1_80 });
    expect((await lab.request(`POST /v1/ramps/${second.id}/refunds`, { body: {} })).status).toBe(201);
    await lab.reach(second.id, 'refunded');
  });
});
