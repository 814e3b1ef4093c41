import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { findRow, updateRows } from '../../platform/db/rows.ts';
import type { PaymentKey } from '../payment.store.ts';
import type { PaymentRow } from '../payment.view.ts';
import type { CryptoOffersTable, DepositRoutesTable } from '../tables.ts';
import type { OfferRow, TargetRow } from './crypto-offer.ts';

/** The payment or top-up to which a target belongs. */
export type RouteRow = Selectable<DepositRoutesTable>;

/** The payments and top-ups to which the targets with these keys belong. Uses one indexed query. */
export async function findRoutes(db: Executor, network: string, keys: readonly string[]) {
  if (keys.length === 0) return [];
  const result = await sql<RouteRow>`
    select r.* from unnest(${[...keys]}::text[]) as wanted (key)
    join deposit_routes r on r.network = ${network} and r.key = wanted.key`.execute(db);
  return result.rows;
}

export async function findTarget(db: Executor, key: PaymentKey, chain: string): Promise<TargetRow | null> {
  return await findRow(db, 'deposit_targets', { merchant_id: key.merchantId, payment_id: key.paymentId, chain });
}

/** Inserts a target and the route of its key. Returns false if the key is already used. */
export async function insertTarget(tx: Tx, target: TargetRow, key: string): Promise<boolean> {
  const { network, merchant_id, payment_id } = target;
  if (!(await insertRoute(tx, { network, key, merchant_id, payment_id, top_up_id: null }))) return false;
  await tx.insertInto('deposit_targets').values(target).execute();
  return true;
}

/** Inserts the route of a key. Returns false if the key is already used. */
export async function insertRoute(tx: Tx, route: RouteRow): Promise<boolean> {
  const row = await tx
    .insertInto('deposit_routes')
    .values(route)
    .onConflict(conflict => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  return row !== undefined;
}

/** The prices of the payment on a chain, oldest first. */
export async function findOffers(db: Executor, key: PaymentKey, chain: string): Promise<OfferRow[]> {
  return await db
    .selectFrom('crypto_offers')
    .selectAll()
    .where(eb => eb.and({ merchant_id: key.merchantId, payment_id: key.paymentId, chain }))
    .orderBy('number')
    .execute();
}

/** A price given to a payer: `amount` of the asset for `payment_amount` of the payment's currency. */
export type QuotedPrice = Pick<OfferRow, 'asset' | 'amount' | 'payment_amount' | 'created_at'>;

/** All prices of a payment, on all chains. */
export async function findQuotedPrices(db: Executor, key: PaymentKey): Promise<QuotedPrice[]> {
  return await db
    .selectFrom('crypto_offers')
    .select(['asset', 'amount', 'payment_amount', 'created_at'])
    .where(eb => eb.and({ merchant_id: key.merchantId, payment_id: key.paymentId }))
    .execute();
}

/** Crypto that was received and counted for a payment. */
export interface ReceivedCrypto {
  readonly id: string;
  /** The asset in the form that rates use. */
  readonly asset: string;
  /** In the asset's smallest units. */
  readonly amount: bigint;
  /** The value of the deposit, in minor units of the payment's currency. */
  readonly value: bigint;
  /** The part of `value` that counts for the payment. */
  readonly applied: bigint;
  /** On the merchant's clock. */
  readonly arrivedAt: Date;
}

/** All crypto that was received and counted for a payment. */
export async function findReceivedCrypto(db: Executor, key: PaymentKey): Promise<ReceivedCrypto[]> {
  const rows = await db
    .selectFrom('transfers')
    .select(['id', 'currency as asset', 'amount', 'amount_applied as applied', 'amount_excess as excess'])
    .select(({ fn }) => fn.coalesce('arrived_at', 'created_at').as('arrivedAt'))
    .where(eb => eb.and({ merchant_id: key.merchantId, payment_id: key.paymentId }))
    .where('chain', 'is not', null)
    .where('problem', 'is', null)
    .where('status', '=', 'matched')
    .execute();
  return rows.map(({ excess, ...crypto }) => ({ ...crypto, value: crypto.applied + excess }));
}

/** Inserts a price with the payment's next number. The caller's lock on the payment makes the number unique. */
export async function insertOffer(tx: Tx, offer: Omit<Insertable<CryptoOffersTable>, 'number'>): Promise<OfferRow> {
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from crypto_offers
    where merchant_id = ${offer.merchant_id} and payment_id = ${offer.payment_id})`;
  return await tx
    .insertInto('crypto_offers')
    .values({ ...offer, number })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Locks the payments in the order of their keys. The fixed order prevents deadlocks. */
export async function lockPayments(tx: Tx, keys: readonly PaymentKey[]): Promise<PaymentRow[]> {
  return (await executePrepared(tx, paymentLock(keys))).rows;
}

/** The query of `lockPayments`. */
export function paymentLock(keys: readonly PaymentKey[]): RawBuilder<PaymentRow> {
  return sql<PaymentRow>`
    select p.* from ${keyList(keys)} join payments p on p.merchant_id = k.merchant_id and p.id = k.payment_id
    order by p.merchant_id, p.id for update of p`;
}

/** The targets and prices of the payments on a chain. */
export async function readAsked(tx: Tx, keys: readonly PaymentKey[], chain: string) {
  const targets = await sql<TargetRow>`
    select t.* from ${keyList(keys)}
    join deposit_targets t on t.merchant_id = k.merchant_id and t.payment_id = k.payment_id and t.chain = ${chain}
    `.execute(tx);
  const offers = await sql<OfferRow>`
    select o.* from ${keyList(keys)}
    join crypto_offers o on o.merchant_id = k.merchant_id and o.payment_id = k.payment_id and o.chain = ${chain}
    order by o.number`.execute(tx);
  return { targets: targets.rows, offers: offers.rows };
}

function keyList(keys: readonly PaymentKey[]) {
  const merchants = keys.map(({ merchantId }) => merchantId);
  const payments = keys.map(({ paymentId }) => paymentId);
  return sql`unnest(${merchants}::text[], ${payments}::text[]) as k (merchant_id, payment_id)`;
}

/** The references of the rail that are already booked, of the given ones. */
export async function findBooked(
  tx: Tx,
  rail: string,
  references: readonly { readonly merchantId: string; readonly railReference: string }[],
): Promise<ReadonlySet<string>> {
  const merchants = references.map(({ merchantId }) => merchantId);
  const known = references.map(({ railReference }) => railReference);
  const result = await sql<{ rail_reference: string }>`
    select t.rail_reference from unnest(${merchants}::text[], ${known}::text[]) as k (merchant_id, rail_reference)
    join transfers t on t.merchant_id = k.merchant_id and t.rail = ${rail} and t.rail_reference = k.rail_reference
    `.execute(tx);
  return new Set(result.rows.map(row => row.rail_reference));
}

/** Updates the received and counted amounts of prices. */
export async function saveCounted(tx: Tx, offers: readonly OfferRow[]): Promise<void> {
  const key = ['merchant_id', 'payment_id', 'number'];
  await updateRows(tx, { table: 'crypto_offers', key, columns: ['received', 'counted'], rows: offers });
}
