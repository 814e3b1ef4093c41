import { type Insertable, type Selectable, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { findRow, updateRows } from '../../platform/db/rows.ts';
import type { PaymentKey } from '../payment.store.ts';
import type { PaymentRow } from '../payment.view.ts';
import type { CryptoOffersTable, DepositRoutesTable } from '../tables.ts';
import type { OfferRow, TargetRow } from './crypto-offer.ts';

/** The payment of a tag. */
export type RouteRow = Selectable<DepositRoutesTable>;

/** The payments of the tags in an account, by one indexed look-up. */
export async function findRoutes(db: Executor, network: string, account: string, tags: readonly bigint[]) {
  if (tags.length === 0) return [];
  const result = await sql<RouteRow>`
    select r.* from unnest(${tags.map(String)}::bigint[]) as wanted (tag)
    join deposit_routes r on r.network = ${network} and r.account = ${account} and r.tag = wanted.tag`.execute(db);
  return result.rows;
}

/** The payment's target on a chain, or null. */
export async function findTarget(db: Executor, key: PaymentKey, chain: string): Promise<TargetRow | null> {
  return await findRow(db, 'deposit_targets', { merchant_id: key.merchantId, payment_id: key.paymentId, chain });
}

/** Writes a target and the route to it. Returns false when the account has the tag already. */
export async function insertTarget(tx: Tx, target: TargetRow): Promise<boolean> {
  const { network, account, tag, merchant_id, payment_id } = target;
  const route = await tx
    .insertInto('deposit_routes')
    .values({ network, account, tag, merchant_id, payment_id })
    .onConflict(conflict => conflict.doNothing())
    .returning('tag')
    .executeTakeFirst();
  if (route === undefined) return false;
  await tx.insertInto('deposit_targets').values(target).execute();
  return true;
}

/** The prices that were given for the payment on a chain, oldest first. */
export async function findOffers(db: Executor, key: PaymentKey, chain: string): Promise<OfferRow[]> {
  return await db
    .selectFrom('crypto_offers')
    .selectAll()
    .where(eb => eb.and({ merchant_id: key.merchantId, payment_id: key.paymentId, chain }))
    .orderBy('number')
    .execute();
}

/** A price that a payer was given: `amount` of the asset for `payment_amount` of the payment's currency. */
export type QuotedPrice = Pick<OfferRow, 'asset' | 'amount' | 'payment_amount' | 'created_at'>;

/** All prices that the payer of a payment was given, on any chain. */
export async function findQuotedPrices(db: Executor, key: PaymentKey): Promise<QuotedPrice[]> {
  return await db
    .selectFrom('crypto_offers')
    .select(['asset', 'amount', 'payment_amount', 'created_at'])
    .where(eb => eb.and({ merchant_id: key.merchantId, payment_id: key.paymentId }))
    .execute();
}

/** Crypto that was received for a payment and counted. */
export interface ReceivedCrypto {
  /** Id of the transfer. */
  readonly id: string;
  /** As the rates write it. */
  readonly asset: string;
  /** In the asset's smallest units. */
  readonly amount: bigint;
  /** The value, and the part of it that counts, in minor units of the payment's currency. */
  readonly value: bigint;
  readonly applied: bigint;
  /** On the merchant's clock. */
  readonly arrivedAt: Date;
}

/** All crypto that was received for a payment and counted. */
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

/** Writes a price under the payment's next number. The payment is locked, so no other price gets the number. */
export async function insertOffer(tx: Tx, offer: Omit<Insertable<CryptoOffersTable>, 'number'>): Promise<OfferRow> {
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from crypto_offers
    where merchant_id = ${offer.merchant_id} and payment_id = ${offer.payment_id})`;
  return await tx
    .insertInto('crypto_offers')
    .values({ ...offer, number })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Locks the payments in the order of their keys, so that two transactions cannot wait for each other. */
export async function lockPayments(tx: Tx, keys: readonly PaymentKey[]): Promise<PaymentRow[]> {
  const result = await sql<PaymentRow>`
    select p.* from ${keyList(keys)} join payments p on p.merchant_id = k.merchant_id and p.id = k.payment_id
    order by p.merchant_id, p.id for update of p`.execute(tx);
  return result.rows;
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

/** Those of the rail's references that were booked before. */
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

/** Writes the received and counted amounts of prices. */
export async function saveCounted(tx: Tx, offers: readonly OfferRow[]): Promise<void> {
  const key = ['merchant_id', 'payment_id', 'number'];
  await updateRows(tx, { table: 'crypto_offers', key, columns: ['received', 'counted'], rows: offers });
}
