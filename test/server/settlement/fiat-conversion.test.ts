import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { formatUnits, parseUnits } from '../../../src/core/money.ts';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import { movedMarket } from '../../support/moved-market.ts';
import { accountOf } from './fiat-lab.ts';
import { type SettlementLab, startSettlementLab } from './settlement-lab.ts';

const { EURC } = sandboxAssets;
const market = movedMarket(systemClock);
let lab: SettlementLab;
beforeAll(async () => {
  lab = await startSettlementLab({}, { rateSource: market.source });
  const settlement = { asset: 'EUR', destination: accountOf('Ada Lovelace') };
  const answer = await lab.request('PATCH /v1/account', { body: { settlement } });
  expect(answer.status, answer.text).toBe(200);
}, 60_000);
afterEach(async () => {
  market.move(100n);
  await lab.faults();
  await lab.expectSoundBooks();
});
afterAll(() => lab.close());

/** The stroops that the treasury holds of euros on Stellar. */
const euros = async () => parseUnits(await lab.holds(lab.treasury, EURC), 7) ?? 0n;

/** The treasury's path payments to itself in the transactions of the payment's conversions. */
async function legsOf(payment: string) {
  const { rows } = await lab.database.pool.query(
    'select distinct tx_hash from settlement_conversions where payment_id = $1 and tx_hash is not null',
    [payment],
  );
  const read = rows.map(async ({ tx_hash: hash }) => {
    const answer = await fetch(`${lab.url}/sandbox/horizon/transactions/${hash}/operations`);
    const { _embedded: page } = (await answer.json()) as { _embedded: { records: Record<string, string>[] } };
    return page.records.filter(({ from, to }) => from === lab.treasury && to === lab.treasury);
  });
  return (await Promise.all(read)).flat();
}

const hasConversion = async (payment: string) =>
  (await lab.database.pool.query('select from settlement_conversions where payment_id = $1', [payment])).rowCount === 1;

/** What the payment's conversions moved in the books of the operator, by account and asset. */
async function moved(payment: string): Promise<Record<string, bigint>> {
  const { rows } = await lab.database.pool.query(
    `select e.account || ' ' || split_part(e.currency, ':', 1) as name, sum(e.amount) as amount
     from audit_entries e join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.tx_id
     where t.payment_id = $1 and t.kind = 'settlement_conversion' group by 1`,
    [payment],
  );
  return Object.fromEntries(rows.map(({ name, amount }) => [name, BigInt(amount)]));
}

/** Money arrives at the address of a payment that waits for crypto. `part`: a tenth times so many of what it asks. */
async function deposit({ next_action: action }: Payment, part = 10n): Promise<void> {
  if (action?.type !== 'crypto_transfer') throw new Error(`the payment waits for ${action?.type}`);
  const { address, asset } = action;
  const amount = formatUnits(((parseUnits(action.amount, 7) ?? 0n) * part) / 10n, 7);
  const answer = await lab.request('POST /v1/test_helpers/deposits', {
    body: { chain: 'stellar', address, asset, amount },
  });
  expect(answer.status, answer.text).toBe(201);
}

/** A payment that waits for crypto. */
async function createIn(asset: string, changes: object = {}): Promise<Payment> {
  const { id } = await lab.create({ settlement_asset: 'EUR', payment_methods: ['crypto', 'card'], ...changes });
  return (await lab.act(id, 'confirm', { method: 'crypto', chain: 'stellar', asset })).body;
}

async function payIn(asset: string, changes: object = {}): Promise<string> {
  const payment = await createIn(asset, changes);
  await deposit(payment);
  return payment.id;
}

const stroops = (text: string | null) => parseUnits(text ?? '', 7) ?? 0n;
const advance = (duration: string) => lab.request('POST /v1/test_helpers/clock', { body: { advance: duration } });

/** Waits until the payment names the transaction of its conversion. */
async function converted(id: string): Promise<Payment> {
  await lab.until('it is converted', async () => (await lab.read(id)).settlement.tx_hash !== null);
  return await lab.read(id);
}

describe('crypto of a payment that is settled in a currency', { timeout: 60_000 }, () => {
  it('is converted once into its stablecoin; the payment names the transaction, the payout is exact', async () => {
    const before = await euros();
    const id = await payIn('XLM', { amount: 5_000, currency: 'USD' });
    const { settlement, quote } = await lab.settledPayment(id);
    expect(settlement).toMatchObject({ asset: 'EUR', amount: quote.settlement_amount, delivery: null, failure: null });
    const payout = (await lab.request(`GET /v1/payouts/${settlement.payout}`)).body;
    expect([payout.amount, payout.fx]).toEqual([Math.round(Number(quote.settlement_amount) * 100), null]);
    expect(await lab.network.status(settlement.tx_hash ?? '')).toMatchObject({ ledger: settlement.ledger });
    const [leg, ...others] = await legsOf(id);
    expect(others).toEqual([]);
    expect(leg).toMatchObject({ type: 'path_payment_strict_receive', transaction_hash: settlement.tx_hash });
    const bought = stroops(quote.settlement_amount);
    expect([stroops(leg?.['amount'] ?? null), (await euros()) - before]).toEqual([bought, bought]);
    const sold = stroops(leg?.['source_amount'] ?? null);
    const treasury = { 'treasury.stellar XLM': sold, 'treasury.stellar EURC': -bought };
    expect(await moved(id)).toEqual({ ...treasury, 'fx XLM': -sold, 'fx EURC': bought });
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.completed', 'payment.settled']);
    expect(await lab.balance()).toEqual({});
  });

  it.each([
    ['was paid in that stablecoin', EURC, {}],
    ['is settled in a currency without one', 'XLM', { settlement_asset: 'KES' }],
  ])('is not converted if it %s', async (_, asset, changes) => {
    const before = await euros();
    const { settlement } = await lab.settledPayment(await payIn(asset, changes));
    expect(settlement.tx_hash).toBeNull();
    expect((await euros()) - before).toBe(asset === EURC ? stroops('128.40') : 0n);
  });

  it('is converted alone, if a card paid the rest; money that is accepted later is converted by itself', async () => {
    const payment = await createIn('XLM');
    await deposit(payment, 4n);
    await lab.until('a part is there', async () => (await lab.read(payment.id)).phase === 'partially_paid');
    expect((await lab.payByCard(payment.id)).body.status).toBe('completed');
    const { amount_received: received } = await lab.settledPayment(payment.id);
    expect(received).toBe(12_840);
    const bought = async () => (await legsOf(payment.id)).map(({ amount }) => stroops(amount ?? null));
    const [first = 0n, ...others] = await bought();
    expect(others).toEqual([]);
    expect(first / 100_000n).toBe(5_136n);
    await deposit(payment, 2n);
    await lab.until('more is there', async () => (await lab.read(payment.id)).exception === 'overpaid');
    expect((await lab.act(payment.id, 'resolve', { action: 'accept' })).status).toBe(200);
    await lab.until('both are converted', async () => (await bought()).length === 2);
    expect((await bought()).reduce((sum, amount) => sum + amount, 0n) / 100_000n).toBe(7_704n);
    expect((await lab.settledPayment(payment.id)).settlement.amount).toBe('154.08');
  });

  it('is paid out at its quote when the market is too dear, and converted later, whatever was refunded', async () => {
    const payment = await createIn('XLM');
    // The payer's coins are worth more than the order book gives for them.
    market.move(120n);
    await deposit(payment);
    const { settlement } = await lab.settledPayment(payment.id);
    expect(settlement).toMatchObject({ amount: '128.40', tx_hash: null, failure: null });
    const remarks = async () => {
      await lab.sweep('settlements.conversions');
      return (await lab.request('GET /readyz', { key: null })).body.remarks?.join() ?? '';
    };
    expect(await remarks()).toContain('settlement: 1 conversion of crypto fails (price_moved)');
    expect((await lab.act(payment.id, 'refunds', { amount: 1_000 })).status).toBe(201);
    market.move(100n);
    await lab.until('the price is back', async () => {
      const { body } = await lab.request('GET /v1/rates?from=EUR&to=XLM');
      return Math.abs(Number(body.rate) - 1.09 / 0.12) < 0.1;
    });
    await advance('PT2M');
    await converted(payment.id);
    const legs = await legsOf(payment.id);
    expect(legs.map(({ amount }) => amount)).toEqual(['128.4000000']);
    expect(await remarks()).not.toContain('conversion');
  });

  it('holds the payout back for at most a minute, while the network does not answer', async () => {
    const payment = await createIn('XLM');
    await deposit(payment);
    await lab.faults({ fault: 'unavailable', path: '/paths' });
    await lab.until('the conversion waits', () => hasConversion(payment.id));
    expect((await lab.read(payment.id)).settlement.status).toBe('pending');
    await advance('PT1M');
    expect((await lab.settledPayment(payment.id)).settlement.tx_hash).toBeNull();
    await lab.faults();
    await advance('PT1M');
    await converted(payment.id);
    expect(await legsOf(payment.id)).toHaveLength(1);
  });

  it('is converted once by servers that find it at the same time, and after a crash', async () => {
    const payment = await createIn('XLM');
    await lab.faults({ fault: 'unavailable', path: '/paths' });
    await deposit(payment);
    await lab.until('the conversion waits', () => hasConversion(payment.id));
    const conversions = "update settlement_conversions set due_at = created_at where status = 'waiting'";
    const again = async () => {
      await lab.database.pool.query(conversions);
      const sweeps = ['settlements.fiat', 'settlements.convert', 'settlements.convert', 'outbound.book'];
      await Promise.all(sweeps.map(name => lab.sweep(name)));
    };
    await again();
    await lab.faults();
    for (let turn = 0; turn < 3; turn++) await again();
    await lab.settledPayment(payment.id);
    await converted(payment.id);
    expect(await legsOf(payment.id)).toHaveLength(1);
  });
});
