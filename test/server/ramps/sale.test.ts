import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ramp } from '../../../src/api/ramps/ramp.ts';
import { pricedColumns } from '../../../src/server/ramps/ramp-money.ts';
import { refusal } from '../payments/payment-lab.ts';
import { accountOf } from '../settlement/fiat-lab.ts';
import { type RampLab, startRampLab, USDC } from './ramp-lab.ts';

let lab: RampLab;
beforeAll(async () => {
  lab = await startRampLab();
}, 60_000);
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const made = async (changes = {}): Promise<Ramp> => {
  const { status, body, text } = await lab.sell(changes);
  expect(status, text).toBe(201);
  return body;
};
const sold = async (changes = {}): Promise<Ramp> => {
  const ramp = await made(changes);
  await lab.send(ramp);
  return ramp;
};
const payoutOf = async ({ payout }: Ramp) => (await lab.request(`GET /v1/payouts/${payout}`)).body;
const available = async () => (await lab.balance())['available EUR'] ?? 0;

describe('a sale', { timeout: 60_000 }, () => {
  it('pays its coins out to a bank account, and the merchant has the fee', async () => {
    const before = await available();
    const ramp = await made({ client_reference: 'sale 7' });
    // 50 USDC at 1 / 1.09, less 1.5 % and 0.30.
    expect(ramp).toMatchObject({
      direction: 'off',
      status: 'pending_user_transfer_start',
      amount_in: '50.0000000',
      amount_fee: 99,
      amount_out: 44_88,
      wallet: null,
      payout_destination: accountOf('Ada Lovelace'),
      deposit: { chain: 'stellar', asset: USDC, amount: '50.0000000', memo_type: 'id' },
    });
    await lab.send(ramp);
    const done = await lab.reach(ramp.id, 'completed');
    expect(done).toMatchObject({ amount_in: '50.0000000', amount_out: 44_88, deposit: null, failure: null });
    expect(await lab.network.status(done.tx_hash ?? '')).not.toBeNull();
    expect(await payoutOf(done)).toMatchObject({ ramp: ramp.id, amount: 44_88, currency: 'EUR', status: 'completed' });
    expect((await available()) - before).toBe(99);
    expect(await lab.eventsOf(ramp.id)).toEqual(['ramp.created', 'ramp.updated', 'ramp.updated', 'ramp.completed']);
    const page = await lab.read(ramp.payment ?? '');
    expect(page).toMatchObject({ ramp: ramp.id, description: '50.0000000 USDC → 44.88 EUR' });
  });

  it('of another asset than the stablecoin converts it on Stellar first', async () => {
    const ramp = await sold({ asset: 'XLM', asset_amount: '400.0000000' });
    const done = await lab.reach(ramp.id, 'completed');
    expect(done.amount_in).toBe('400.0000000');
    const { rows } = await lab.database.pool.query(
      'select status, source_asset, value from settlement_conversions where payment_id = $1',
      [ramp.payment],
    );
    expect(rows).toEqual([
      { status: 'completed', source_asset: 'XLM', value: BigInt(Number(done.amount_out) + done.amount_fee) },
    ]);
  });

  it('is erased with its customer: only the bank file keeps where the money went', async () => {
    const { body: customer } = await lab.request('POST /v1/customers', { body: { email: 'seller@gone.example' } });
    const holder = 'Griselda Vanishing';
    const ramp = await sold({ customer_id: customer.id, payout_destination: accountOf(holder) });
    const { payout } = await lab.reach(ramp.id, 'completed');
    const erased = await lab.request(`DELETE /v1/customers/${customer.id}`);
    expect(erased.status, erased.text).toBe(200);
    expect((await lab.ramp(ramp.id)).payout_destination).toEqual({ type: 'bank_account' });
    expect((await lab.request(`GET /v1/payouts/${payout}`)).body.destination).toEqual({ type: 'bank_account' });
    const { rows } = await lab.database.pool.query(
      "select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    const left = [];
    for (const { table_name: table } of rows) {
      const found = await lab.database.pool.query(`select 1 from ${table} t where t::text ilike '%vanishing%' limit 1`);
      if (found.rowCount !== 0) left.push(table);
    }
    expect([left, erased.body.kept]).toEqual([['bank_files'], [{ object: 'bank_file', count: 1 }]]);
  });

  it('is paid out to a wallet of mobile money', async () => {
    const destination = { type: 'mobile_money', provider: 'mpesa', number: '+254712345678' } as const;
    const ramp = await sold({ fiat_currency: 'KES', method: 'mobile_money', payout_destination: destination });
    const done = await lab.reach(ramp.id, 'completed');
    expect(await payoutOf(done)).toMatchObject({ amount: ramp.amount_out, currency: 'KES', destination });
  });

  it('by a quote of the money brings exactly that money', async () => {
    const quote = await lab.quote({
      direction: 'off',
      sell: { asset: 'USDC' },
      buy: { currency: 'EUR', amount: 50_00 },
      method: 'bank_transfer',
    });
    expect(quote.status, quote.text).toBe(201);
    const { sell, buy, price, fee } = quote.body;
    expect(buy).toEqual({ currency: 'EUR', amount: 50_00 });
    expect(Number(sell.amount) * Number(price) - fee.total / 100).toBeCloseTo(50, 4);
    const ramp = await sold({ quote_id: quote.body.id, asset_amount: sell.amount.replace(/0+$/, '') });
    expect(ramp).toMatchObject({ amount_in: sell.amount, amount_out: 50_00, quote_id: quote.body.id });
    expect(await lab.reach(ramp.id, 'completed')).toMatchObject({ amount_out: 50_00 });
  });

  it('is paid out once, however often its work is repeated', async () => {
    const ramp = await sold();
    await lab.until(
      'the coins are here',
      async () => (await lab.ramp(ramp.id)).status !== 'pending_user_transfer_start',
    );
    await Promise.all(Array.from({ length: 5 }, () => lab.sweep('ramps')));
    await lab.reach(ramp.id, 'completed');
    const made = await lab.database.pool.query('select 1 from payouts where ramp_id = $1', [ramp.id]);
    expect(made.rowCount).toBe(1);
  });

  it('waits for the identity check that the limits ask for, and then shows an address', async () => {
    await lab.setTerms({ limits: [{ tier: 'basic', currency: 'EUR', per_transaction: 1_000_00 }] });
    const ramp = await made();
    expect(ramp).toMatchObject({ status: 'incomplete', kyc_tier_needed: 'basic', deposit: null });
    const decided = await lab.request(`POST /v1/test_helpers/customers/${ramp.customer_id}/kyc`, {
      body: { status: 'approved', tier: 'basic' },
    });
    expect(decided.status, decided.text).toBe(200);
    const begun = await lab.reach(ramp.id, 'pending_user_transfer_start');
    await lab.setTerms({ limits: [] });
    expect(begun.deposit).toMatchObject({ asset: USDC, amount: '50.0000000' });
    await lab.send(begun);
    await lab.reach(ramp.id, 'completed');
  });
});

describe('coins of a sale', { timeout: 60_000 }, () => {
  const accept = (ramp: Ramp) => lab.request(`POST /v1/ramps/${ramp.id}/accept`);
  const setPrices = async ({ quote_seconds = 900, quote_grace_seconds = 120, late_money = 'market' } = {}) => {
    const body = { quote_seconds, quote_grace_seconds, ramps: { late_money } };
    const set = await lab.request('PATCH /v1/account', { body });
    expect(set.status, set.text).toBe(200);
  };

  it('that are too few wait; what the merchant accepts is paid out', async () => {
    const ramp = await made();
    await lab.send(ramp, { amount: '20.0000000' });
    await lab.until('a part is here', async () => (await lab.read(ramp.payment ?? '')).phase === 'partially_paid');
    const accepted = await lab.act(ramp.payment ?? '', 'resolve', { action: 'accept' });
    expect(accepted.status, accepted.text).toBe(200);
    const done = await lab.reach(ramp.id, 'completed');
    expect(done).toMatchObject({ amount_in: '20.0000000', amount_fee: 58 });
    expect(await payoutOf(done)).toMatchObject({ amount: done.amount_out });
  });

  it('go back to their sender, where the payout failed', async () => {
    const before = await available();
    const ramp = await sold({ payout_destination: accountOf('Closed Account') });
    const held = await lab.reach(ramp.id, 'on_hold');
    expect(held.failure?.code).toBe('account_closed');
    expect((await lab.request('GET /v1/reports/overview')).body.attention).toContainEqual(
      expect.objectContaining({ kind: 'ramps_on_hold' }),
    );
    const refund = await lab.request(`POST /v1/ramps/${ramp.id}/refunds`, { body: {} });
    expect(refund.status, refund.text).toBe(201);
    const back = await lab.reach(ramp.id, 'refunded');
    expect(back).toMatchObject({ amount_fee: 0, amount_out: 0, refunds: { amount_refunded: 45_87 } });
    await lab.until('the refund is done', async () => {
      const { body } = await lab.request(`GET /v1/refunds/${refund.body.id}`);
      return body.status === 'completed';
    });
    expect((await available()) - before).toBe(0);
  });

  it('are paid out again after the bank returned the payout', async () => {
    const before = await available();
    const ramp = await sold();
    const done = await lab.reach(ramp.id, 'completed');
    const returned = await lab.request(`POST /v1/test_helpers/payouts/${done.payout}/return`);
    expect(returned.status, returned.text).toBe(200);
    const held = await lab.reach(ramp.id, 'on_hold');
    expect(held).toMatchObject({ amount_out: 44_88, completed_at: null });
    expect((await available()) - before).toBe(45_87);
    expect((await accept(held)).status).toBe(200);
    const again = await lab.reach(ramp.id, 'completed');
    expect(again.payout).not.toBe(done.payout);
    expect((await available()) - before).toBe(99);
  });

  it.each([
    ['market', 'completed', null],
    ['wait', 'on_hold', 'paid_late'],
    ['refund', 'refunded', null],
  ] as const)('that come after the price: with late_money %s, the sale is %s', async (late, status, failure) => {
    await setPrices({ quote_seconds: 30, quote_grace_seconds: 0, late_money: late });
    const ramp = await made();
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT2M' } });
    await lab.send(ramp);
    const ended = await lab.reach(ramp.id, status);
    expect(ended.failure?.code ?? null).toBe(failure);
    await lab.until('the coins are back', async () => {
      const open = await lab.database.pool.query("select 1 from transfers where status = 'returning'");
      return open.rowCount === 0;
    });
    await setPrices();
  });

  it('fit the limits together, also after the ends of their sales', async () => {
    await lab.setTerms({ limits: [{ currency: 'EUR', per_day: 60_00 }] });
    const customer = { email: 'many-sales@example.com' };
    const ramps: Ramp[] = [];
    for (let count = 0; count < 3; count++) {
      const ramp = await made({ customer });
      const ended = await lab.request(`POST /v1/ramps/${ramp.id}/cancel`);
      expect(ended.status, ended.text).toBe(200);
      ramps.push(ramp);
    }
    for (const ramp of ramps) await lab.send(ramp, { amount: '49.0000000' });
    await lab.until('one is paid out, and two wait', async () => {
      const states = await Promise.all(ramps.map(async ({ id }) => (await lab.ramp(id)).status));
      return states.toSorted().join() === 'completed,on_hold,on_hold';
    });
    await lab.setTerms({ limits: [] });
  });

  it('of an ended sale wait for the merchant, where the account trades no more', async () => {
    const ramp = await made();
    await lab.request(`POST /v1/ramps/${ramp.id}/cancel`);
    await lab.setTerms({ enabled: false });
    await lab.send(ramp);
    expect((await lab.reach(ramp.id, 'on_hold')).failure?.code).toBe('paid_late');
    await lab.setTerms({ enabled: true });
  });

  it.each([
    ['refund', 'refunded'],
    ['accept', 'completed'],
  ] as const)('that wait for the merchant: %s at the payment, and the sale is %s', async (action, status) => {
    await setPrices({ quote_seconds: 30, quote_grace_seconds: 0, late_money: 'wait' });
    const ramp = await made();
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT2M' } });
    await lab.send(ramp);
    const held = await lab.reach(ramp.id, 'on_hold');
    expect(held.failure?.message).toBe('The money came after the price had ended. Accept it, or send it back.');
    expect(refusal(await lab.request(`POST /v1/ramps/${ramp.id}/refunds`, { body: {} }))).toEqual([
      409,
      'illegal_state',
      null,
    ]);
    const resolved = await lab.act(ramp.payment ?? '', 'resolve', { action });
    expect(resolved.status, resolved.text).toBe(200);
    await lab.reach(ramp.id, status);
    await setPrices();
  });

  it.each([
    ['market', 'completed', '20.0000000'],
    ['wait', 'on_hold', '50.0000000'],
    ['refund', 'refunded', '0.0000000'],
  ] as const)(
    'that are too few until the price ends: with late_money %s, the sale is %s',
    async (late, status, coins) => {
      await setPrices({ quote_seconds: 60, quote_grace_seconds: 0, late_money: late });
      const ramp = await made();
      await lab.send(ramp, { amount: '20.0000000' });
      await lab.until('a part is here', async () => (await lab.read(ramp.payment ?? '')).phase === 'partially_paid');
      await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT2M' } });
      const ended = await lab.reach(ramp.id, status);
      expect(ended.amount_in).toBe(coins);
      if (status === 'on_hold') {
        expect(ended.failure?.code).toBe('underpaid');
        expect((await accept(ended)).status).toBe(200);
        await lab.reach(ramp.id, 'completed');
      }
      await setPrices();
    },
  );

  it.each([
    ['market', 55_04, 0],
    ['refund', 45_87, 9_17],
  ] as const)('that are too many: with late_money %s, they count or go back', async (late, counted, back) => {
    await setPrices({ late_money: late });
    const ramp = await made();
    await lab.send(ramp, { amount: '60.0000000' });
    const done = await lab.reach(ramp.id, 'completed');
    const { amount } = await payoutOf(done);
    const { amount_refunded: refunded } = await lab.read(ramp.payment ?? '');
    expect([amount, amount + done.amount_fee, refunded]).toEqual([done.amount_out, counted, back]);
    await setPrices();
  });
});

it('pays out whole steps of its rail, and the rest belongs to the fee', () => {
  const rule = { fee_basis_points: 150, fee_fixed: 30n };
  const money = { amount_in: 6_450_50n, amount_refunded: 0n, amount_disputed: 0n, amount_out: 1n };
  const rate = { rate_numerator: 1n, rate_denominator: 1n };
  const priced = pricedColumns({ ...money, ...rule, ...rate, direction: 'off', payout_step: 100n });
  // 1.5 % and 0.30 would leave 6353.44.
  expect(priced).toEqual({ amount_fee: 97_50n, amount_out: 1n });
});

describe('a sale is refused', () => {
  const wallet = { address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ' };
  it.each<[string, object, unknown[]]>([
    ['without a destination', { payout_destination: undefined }, [400, 'parameter_missing', 'payout_destination']],
    ['with a wallet', { wallet }, [400, 'parameter_invalid', 'wallet']],
    ['by card', { method: 'card' }, [400, 'payment_method_not_allowed', 'method']],
    [
      'to an account of another type',
      { method: 'mobile_money' },
      [400, 'invalid_destination', 'payout_destination.type'],
    ],
    [
      'to a wrong IBAN',
      { payout_destination: { type: 'bank_account', iban: 'DE00370400440532013000' } },
      [400, 'invalid_iban', 'payout_destination.iban'],
    ],
    [
      'of more than the operator pays at once',
      {
        fiat_currency: 'KES',
        asset_amount: '3000.0000000',
        method: 'mobile_money',
        payout_destination: { type: 'mobile_money', provider: 'mpesa', number: '+254712345678' },
      },
      [400, 'amount_out_of_range', 'fiat_amount'],
    ],
    ['of less than the fee', { asset_amount: '0.0100000' }, [400, 'invalid_amount', 'amount']],
    ['of an asset that the account does not trade', { asset: 'EURC' }, [400, 'asset_not_listed', 'asset']],
  ])('%s', async (_, changes, expected) => {
    expect(refusal(await lab.sell(changes))).toEqual(expected);
  });
});

describe('POST /v1/test_helpers/ramps/:id', { timeout: 60_000 }, () => {
  const move = (ramp: Ramp, status: string) =>
    lab.request(`POST /v1/test_helpers/ramps/${ramp.id}`, { body: { status } });
  const bought = async (changes: object): Promise<Ramp> => {
    const { status, body, text } = await lab.begin((await lab.openAccount(USDC)).publicKey(), changes);
    expect(status, text).toBe(201);
    return body;
  };

  it.each<[string, () => Promise<Ramp>, Ramp['status'][]]>([
    ['a purchase by card', () => bought({ method: 'card' }), ['completed']],
    ['a purchase by bank transfer', () => bought({ method: 'bank_transfer' }), ['completed']],
    [
      'a purchase by phone',
      () => bought({ method: 'mobile_money', fiat_currency: 'KES', fiat_amount: 500_00 }),
      ['completed'],
    ],
    ['a sale whose payout comes back', () => made(), ['completed', 'on_hold', 'completed']],
    ['a sale that nobody pays', () => made(), ['expired']],
  ])('moves %s', async (_, begin, states) => {
    const ramp = await begin();
    for (const status of states) {
      const moved = await move(ramp, status);
      expect([moved.status, moved.body.status], moved.text).toEqual([200, status]);
    }
  });

  it('names the possible states', async () => {
    const refused = await move(await made(), 'refunded');
    expect(refusal(refused)).toEqual([409, 'illegal_state', 'status']);
    expect(refused.body.error.message).toContain('it can become pending_anchor or completed or expired.');
  });
});
