import { sql } from 'kysely';
import type { RampTerms } from '../../api/ramps/ramp-settings.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { claimDue, type DueRequest, type DueWork } from '../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { executePrepared } from '../platform/db/prepared.ts';
import { findRow, insertRows } from '../platform/db/rows.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import type { RampQuoteRow, RampRow } from './tables.ts';
import type { RampedSums } from './terms/terms.ts';
import { defaultTerms } from './terms/terms.ts';

/** Ramps that the service works on: identity checks to follow, coins to deliver, money to return. */
export const dueRamps: DueWork = {
  table: 'ramps',
  key: ['merchant_id', 'id'],
  dueAt: 'due_at',
  where: sql`t.due_at is not null`,
  clock: 'merchant',
};

/** A due ramp, and the current time on its merchant's clock. */
export type DueRamp = RampRow & { readonly clock: Date };

export async function claimRamps(db: Db, request: DueRequest): Promise<readonly DueRamp[]> {
  return await claimDue<RampRow>(db, dueRamps, { ...request, leaseSeconds: 30 });
}

/** The merchant's ramp in the mode, or null. */
export async function findRamp(db: Executor, { merchantId, livemode }: MerchantScope, id: string) {
  return await findRow(db, 'ramps', { merchant_id: merchantId, livemode, id });
}

/** The mode of the merchant's ramp, or null. */
export async function findRampMode(db: Executor, merchantId: string, id: string) {
  const row = await findRow(db, 'ramps', { merchant_id: merchantId, id });
  return row && { livemode: row.livemode };
}

/** Locks the merchant's ramp until the transaction ends. */
export async function lockRamp(tx: Tx, merchantId: string, id: string): Promise<RampRow> {
  const row = await findRow(tx, 'ramps', { merchant_id: merchantId, id }, 'lock');
  if (row === null) throw new Error(`ramp ${id} does not exist`);
  return row;
}

/** Locks ramps of a merchant until the transaction ends, in the order of their ids. */
export async function lockRamps(tx: Tx, merchantId: string, ids: readonly string[]): Promise<RampRow[]> {
  const query = sql<RampRow>`
    select * from ramps where merchant_id = ${merchantId} and id = any (${[...ids]}::text[]) order by id for update`;
  return (await executePrepared(tx, query)).rows;
}

/** The end of a conversion lets the sale go on, whose coins it converted. */
export async function conversionEnded(tx: Tx, merchantId: string, rampId: string, now: Date): Promise<void> {
  await tx
    .updateTable('ramps')
    .set({ due_at: now })
    .where(eb => eb.and({ merchant_id: merchantId, id: rampId, status: 'pending_anchor' }))
    .execute();
}

/** Locks a claimed ramp. Null if it has changed since, or was claimed again. */
export async function lockClaimed(tx: Tx, row: DueRamp): Promise<RampRow | null> {
  const locked = await lockRamp(tx, row.merchant_id, row.id);
  return locked.version === row.version && locked.due_at?.getTime() === row.due_at?.getTime() ? locked : null;
}

export async function listRamps(
  db: Executor,
  scope: MerchantScope,
  request: PageRequest,
  equal: Readonly<Record<string, string | undefined>>,
): Promise<Page<RampRow>> {
  return await readPage(db, { table: 'ramps', ...scope }, request, { equal });
}

/** A customer of a merchant's mode, and a currency. */
export interface RampingCustomer extends MerchantScope {
  /** A ramp that is not counted. */
  readonly rampId?: string;
  readonly customerId: string;
  readonly currency: string;
}

/**
 * What the customer has ramped in the currency in the last day and month, in minor units, with a new ramp of `amount`.
 * Paid ramps count unless their money went back, and unpaid ones unless a page began them, which may claim any customer.
 * In a transaction, ramps of the customer wait for each other until its end.
 */
export async function sumsOf(
  db: Executor,
  { merchantId, livemode, customerId, currency, rampId = '' }: RampingCustomer,
  amount: bigint,
  now: Date,
): Promise<RampedSums> {
  const query = sql<{ day: bigint; month: bigint }>`
    select coalesce(sum(amount_in) filter (where created_at > ${now}::timestamptz - interval '1 day'), 0)::int8 as day,
      coalesce(sum(amount_in), 0)::int8 as month
    from ramps where merchant_id = ${merchantId} and customer_id = ${customerId} and livemode = ${livemode}
      and currency = ${currency} and (status = 'pending_user_transfer_start' and vouched
        or paid_at is not null and status not in ('expired', 'refunded')) and id <> ${rampId}
      and created_at > ${now}::timestamptz - interval '30 days'`;
  const [found] = (await executePrepared(db, query)).rows;
  return { transaction: amount, day: amount + (found?.day ?? 0n), month: amount + (found?.month ?? 0n) };
}

/** Ramps of the customer wait for each other until the transaction ends, so that together they fit the limits. */
export async function lockCustomer(tx: Tx, { merchantId, customerId }: RampingCustomer): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`ramps ${merchantId} ${customerId}`}, 0))`.execute(tx);
}

/** The merchant's quote in the mode, or null. */
export async function findQuote(db: Executor, scope: MerchantScope, id: string, lock?: 'lock') {
  return await findRow(db, 'ramp_quotes', { merchant_id: scope.merchantId, livemode: scope.livemode, id }, lock);
}

export async function insertQuote(tx: Tx, row: RampQuoteRow): Promise<void> {
  await insertRows(tx, 'ramp_quotes', [row]);
}

/** Marks a locked quote as used. Its reservation ends, because the ramp has one of its own. */
export async function useQuote(tx: Tx, { merchant_id, id }: RampQuoteRow, rampId: string): Promise<void> {
  await tx
    .updateTable('ramp_quotes')
    .set({ ramp_id: rampId })
    .where(eb => eb.and({ merchant_id, id }))
    .execute();
}

/** The asset of a network's treasury, whose coins are reserved. */
export interface ReservedAsset {
  readonly asset: string;
  readonly livemode: boolean;
}

/**
 * The coins that firm prices and paid ramps of all merchants will take, in smallest units of the asset. A price is
 * honoured for the merchant's grace after its end. `now`: the real time. Prices of moved test clocks count longer. Coins
 * on their way count until they have left.
 */
export async function reservedCoins(db: Executor, { asset, livemode }: ReservedAsset, now: Date): Promise<bigint> {
  const query = sql<{ coins: bigint }>`
    select (coalesce((select sum(coins) from ramp_quotes
        where direction = 'on' and asset = ${asset} and livemode = ${livemode} and ramp_id is null and reserves
          and expires_at > ${now}), 0)
      + coalesce((select sum(amount_out) from ramps r
        where direction = 'on' and asset = ${asset} and livemode = ${livemode} and not at_market
        and (status in ('pending_anchor', 'pending_trust', 'pending_stellar')
          or (status = 'pending_user_transfer_start' and price_expires_at > ${now}::timestamptz
            - (select m.quote_grace_seconds from merchants m where m.id = r.merchant_id) * interval '1 second'))), 0)
      )::numeric(78, 0) as coins`;
  return (await executePrepared(db, query)).rows[0]?.coins ?? 0n;
}

/** Reservations of the asset wait for each other until the transaction ends. */
export async function lockReservations(tx: Tx, { asset, livemode }: ReservedAsset): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`ramp coins ${asset} ${livemode}`}, 0))`.execute(tx);
}

/** The account's terms for ramps. */
export async function findTerms(db: Executor, merchantId: string): Promise<RampTerms> {
  const row = await findRow(db, 'ramp_terms', { merchant_id: merchantId });
  if (row === null) return defaultTerms;
  const { merchant_id: _, fees, limits, ...terms } = row;
  return { ...terms, fees: [...fees], limits: [...limits] };
}

export async function saveTerms(tx: Tx, merchantId: string, terms: RampTerms): Promise<void> {
  const { fees, limits, ...plain } = terms;
  const columns = { ...plain, fees: JSON.stringify(fees), limits: JSON.stringify(limits) };
  await tx
    .insertInto('ramp_terms')
    .values({ merchant_id: merchantId, ...columns })
    .onConflict(conflict => conflict.column('merchant_id').doUpdateSet(columns))
    .execute();
}
