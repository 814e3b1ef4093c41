import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { formatUnits, parseUnits } from '../../../src/core/money.ts';
import { movedMarket } from '../../support/moved-market.ts';
import { type CryptoLab, startCryptoLab } from '../payments/crypto/crypto-lab.ts';
import { type InvoiceLab, withInvoices } from './invoice-lab.ts';

let now = new Date('2026-11-02T09:00:00Z').getTime();
const clock = { now: () => new Date(now) };
const market = movedMarket(clock);
let lab: CryptoLab & InvoiceLab;
beforeAll(async () => {
  lab = withInvoices(await startCryptoLab({ clock, rateSource: market.source }));
}, 60_000);
afterAll(async () => {
  market.move(100n);
  now += 60_000;
  await lab?.expectSoundBooks();
  await lab?.close();
});

const booked = async (paymentId: string) => {
  const { rows } = await lab.database.pool.query(
    `select e.account, e.currency, e.amount::int from ledger_entries e
     join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
     where t.payment_id = $1 and t.kind = 'exchange_difference' order by e.account`,
    [paymentId],
  );
  return rows;
};

/** Just over half of the requested amount, in the asset. */
function halfOf({ next_action: action }: Payment): string {
  if (action?.type !== 'crypto_transfer') throw new Error(`the payment waits for ${action?.type}`);
  return formatUnits((parseUnits(action.amount, 7) as bigint) / 2n + 1n, 7);
}

describe('a crypto payment', () => {
  it.each([
    ['falls', 90n, -1190],
    ['rises', 120n, 2380],
    ['stands still', 100n, 0],
  ])(
    'completes the invoice at the quoted amount when the price %s, and the difference is booked separately',
    async (_, percent, difference) => {
      market.move(100n);
      now += 60_000;
      const invoice = await lab.sent({ settlement_asset: 'XLM' });
      const payment = (await lab.payInCrypto((await lab.start(invoice.id)).id, 'XLM')).body;
      market.move(percent);
      now += 5_000;
      await lab.pay(payment);
      expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: null });
      expect(await lab.readInvoice(invoice.id)).toMatchObject({
        status: 'paid',
        amount_paid: 11_900,
        exchange_difference: null,
      });
      // The market price after the arrival does not count, however late the money is booked.
      market.move(200n);
      now += 86_400_000;
      await lab.sweep('invoices.exchange');
      expect(await lab.readInvoice(invoice.id)).toMatchObject({
        status: 'paid',
        amount_paid: 11_900,
        exchange_difference: difference,
      });
      expect(await lab.transactions(invoice.id)).toMatchObject([{ amount: 11_900, exchange_difference: difference }]);
      expect(await booked(payment.id)).toEqual(
        difference === 0
          ? []
          : [
              { account: 'exchange_difference', currency: 'EUR', amount: difference },
              { account: 'fx', currency: 'EUR', amount: -difference },
            ],
      );
      await lab.sweep('invoices.exchange');
      expect(await booked(payment.id)).toHaveLength(difference === 0 ? 0 : 2);
    },
  );

  it('that comes after its quote counts at the rate of its arrival, where the account says so', async () => {
    await lab.request('PATCH /v1/account', { body: { late_money: 'market' } });
    market.move(100n);
    now += 60_000;
    const { id } = await lab.sent({ settlement_asset: 'XLM' });
    const payment = (await lab.payInCrypto((await lab.start(id)).id, 'XLM')).body;
    market.move(50n);
    now += 1_501_000;
    await lab.pay(payment);
    await lab.request('PATCH /v1/account', { body: { late_money: 'wait' } });
    const paid = await lab.read(payment.id);
    expect([paid.phase, paid.exception]).toEqual(['partially_paid', 'underpaid']);
    expect(Math.abs(paid.amount_received - 5_950)).toBeLessThanOrEqual(1);
  });

  it('has its difference booked later when there is no price at first', async () => {
    market.move(100n);
    now += 60_000;
    const invoice = await lab.sent({ settlement_asset: 'XLM' });
    const payment = (await lab.payInCrypto((await lab.start(invoice.id)).id, 'XLM')).body;
    market.move(110n);
    market.open(false);
    now += 5_000;
    await lab.pay(payment);
    await lab.sweep('invoices.exchange');
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ status: 'paid', exchange_difference: null });
    market.open(true);
    await lab.sweep('invoices.exchange');
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ exchange_difference: null });
    now += 60_000;
    await lab.sweep('invoices.exchange');
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ status: 'paid', exchange_difference: 1190 });
  });

  it('is valued at the quoted rate when no market price is available until much later', async () => {
    market.move(100n);
    now += 60_000;
    const invoice = await lab.sent({ settlement_asset: 'XLM' });
    const payment = (await lab.payInCrypto((await lab.start(invoice.id)).id, 'XLM')).body;
    market.open(false);
    now += 300_000;
    await lab.pay(payment);
    await lab.sweep('invoices.exchange');
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ status: 'paid', exchange_difference: null });
    market.move(200n);
    market.open(true);
    now += 86_400_000;
    await lab.sweep('invoices.exchange');
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ exchange_difference: 0 });
  });

  it('that arrives in parts is valued at the time of each part', async () => {
    market.move(100n);
    now += 60_000;
    const invoice = await lab.sent({ settlement_asset: 'XLM' });
    const payment = (await lab.payInCrypto((await lab.start(invoice.id)).id, 'XLM')).body;
    const half = halfOf(payment);
    market.move(90n);
    now += 5_000;
    await lab.pay(payment, half);
    market.move(120n);
    now += 300_000;
    await lab.pay(payment, half);
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ status: 'paid' });
    market.move(200n);
    now += 600_000;
    await lab.sweep('invoices.exchange');
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ exchange_difference: -595 + 1190 });
  });

  it('may be partial, and a card pays the rest of the invoice', async () => {
    market.move(100n);
    now += 60_000;
    const { id } = await lab.sent({ allow_partial: true });
    expect((await lab.payByCard((await lab.start(id, 5000)).id)).body.status).toBe('completed');
    const rest = (await lab.payInCrypto((await lab.start(id)).id, 'USDC')).body;
    expect(rest.amount).toBe(6900);
    await lab.pay(rest);
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_remaining: 0 });
    expect((await lab.transactions(id)).map(({ method }) => method).sort()).toEqual(['card', 'crypto']);
  });

  it('is in flight after a partial deposit: the invoice cannot be voided', async () => {
    const { id } = await lab.sent();
    const payment = (await lab.payInCrypto((await lab.start(id)).id, 'USDC')).body;
    await lab.pay(payment, '50.0000000');
    expect((await lab.read(payment.id)).phase).toBe('partially_paid');
    const answer = await lab.invoice(id, 'void');
    expect([answer.status, answer.body.error.code]).toEqual([409, 'payment_in_flight']);
  });
});
