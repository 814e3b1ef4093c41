import { sql } from 'kysely';
import type { Rate } from '../../core/rate.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import type { DatedRate } from './arrival-rate.ts';

/** Which payment is meant. */
interface PaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** Money that came on a chain for a payment. Moments are by the merchant's clock. */
export interface ChainMoney {
  readonly id: string;
  /** As the rates know it. */
  readonly asset: string;
  /** In the asset's smallest units. */
  readonly amount: bigint;
  /** What it stands for of the payment, and of that what counts towards it; in minor units of the payment. */
  readonly value: bigint;
  readonly applied: bigint;
  readonly arrivedAt: Date;
  /** The rate that was kept with it; null where none was known. */
  readonly kept: Rate | null;
}

/** What came on chains for a payment and was counted. */
export async function chainMoney(db: Executor, { merchantId, paymentId }: PaymentKey): Promise<ChainMoney[]> {
  const rows = await db
    .selectFrom('transfers as t')
    .leftJoin('transfer_rates as r', join =>
      join.onRef('r.merchant_id', '=', 't.merchant_id').onRef('r.transfer_id', '=', 't.id'),
    )
    .select(['t.id', 't.currency as asset', 't.amount', 't.amount_applied as applied', 't.amount_excess as excess'])
    .select(['r.rate_numerator as numerator', 'r.rate_denominator as denominator'])
    .select(({ fn }) => fn.coalesce('t.arrived_at', 't.created_at').as('arrivedAt'))
    .where('t.merchant_id', '=', merchantId)
    .where('t.payment_id', '=', paymentId)
    .where('t.chain', 'is not', null)
    .where('t.problem', 'is', null)
    .where('t.status', '=', 'matched')
    .execute();
  return rows.map(({ excess, numerator, denominator, ...money }) => ({
    ...money,
    value: money.applied + excess,
    kept: numerator === null || denominator === null ? null : { numerator, denominator },
  }));
}

/** The rates at which the payer of a payment was told to pay in an asset, and when: smallest units to smallest units. */
export async function toldRates(db: Executor, key: PaymentKey, asset: string): Promise<DatedRate[]> {
  const rows = await db
    .selectFrom('crypto_offers')
    .select(['amount', 'payment_amount', 'created_at'])
    .where('merchant_id', '=', key.merchantId)
    .where('payment_id', '=', key.paymentId)
    .where('asset', '=', asset)
    .execute();
  return rows.map(row => ({
    rate: { numerator: row.payment_amount, denominator: row.amount },
    at: row.created_at,
  }));
}

/** Keeps the rate with money that has just been counted. */
export async function keepRate(
  tx: Tx,
  { merchantId, transferId, currency }: { merchantId: string; transferId: string; currency: string },
  { rate, at }: DatedRate,
): Promise<void> {
  await tx
    .insertInto('transfer_rates')
    .values({
      ...{ merchant_id: merchantId, transfer_id: transferId, currency, as_of: at },
      ...{ rate_numerator: rate.numerator, rate_denominator: rate.denominator },
    })
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

/** The currencies of those of the payments that are made for invoices, by payment id. */
export async function invoicedCurrencies(
  db: Executor,
  keys: readonly PaymentKey[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; currency: string }>`
    select p.id, p.currency
    from unnest(${keys.map(({ merchantId }) => merchantId)}::text[], ${keys.map(({ paymentId }) => paymentId)}::text[])
      as k (merchant_id, payment_id)
    join payments p on p.merchant_id = k.merchant_id and p.id = k.payment_id and p.invoice is not null`.execute(db);
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}
