import { type Insertable, type Selectable, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { executePrepared, executeTogether } from '../../platform/db/prepared.ts';
import {
  columnList,
  columnTypes,
  findRow,
  insertRows,
  type RowUpdate,
  rowSource,
  updateOf,
  updateRows,
  type Write,
} from '../../platform/db/rows.ts';
import { keyList, type PaymentKey, paymentLock } from '../payment.store.ts';
import type { CryptoOffersTable, DepositRoutesTable, PaymentRow } from '../tables.ts';
import type { WatchedKey } from './chain-cursor.store.ts';
import type { OfferRow, TargetRow } from './crypto-offer.ts';
import { type Deposit, depositMachine } from './deposit.ts';

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
  return (await insertRows(tx, 'deposit_routes', [route], ['network', 'key'])) > 0;
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

/** Locked payments, with their targets and prices on a chain. */
export interface Asked {
  readonly payments: readonly PaymentRow[];
  readonly targets: readonly TargetRow[];
  readonly offers: readonly OfferRow[];
}

/** Locks the payments, and reads their targets and prices on a chain. Takes one round trip. */
export async function lockAsked(tx: Tx, keys: readonly PaymentKey[], chain: string): Promise<Asked> {
  const [payments, targets, offers] = await executeTogether<[PaymentRow, TargetRow, OfferRow]>(
    tx,
    paymentLock(keys),
    sql<TargetRow>`
      select t.* from ${keyList(keys)}
      join deposit_targets t on t.merchant_id = k.merchant_id and t.payment_id = k.payment_id and t.chain = ${chain}`,
    sql<OfferRow>`
      select o.* from ${keyList(keys)}
      join crypto_offers o on o.merchant_id = k.merchant_id and o.payment_id = k.payment_id and o.chain = ${chain}
      order by o.number`,
  );
  return { payments, targets, offers };
}

/** The deposits of a reading that are not final yet, oldest first. */
export async function findOpenDeposits(db: Executor, { network, account }: WatchedKey): Promise<Deposit[]> {
  const rows = await db
    .selectFrom('deposits')
    .selectAll()
    .where(eb => eb.and({ network, watched: account, state: 'seen' }))
    .orderBy('seen_at')
    .orderBy('ref')
    .execute();
  return rows.map(row => ({
    ref: row.ref,
    transactionHash: row.tx_hash,
    account: row.account,
    asset: row.asset,
    amount: row.amount,
    keys: row.keys,
    memo: row.memo,
    memoType: row.memo_type,
    sender: row.sender,
    block: row.block_height === null ? null : { height: Number(row.block_height), hash: row.block_hash },
    at: row.seen_at,
    state: row.state,
  }));
}

/** All legal steps of deposits, as `from>to`. */
const depositSteps = depositMachine.states.flatMap(from =>
  depositMachine.states.filter(to => depositMachine.can(from, to)).map(to => `${from}>${to}`),
);

/**
 * Stores deposits in their states, in one statement. Returns the references of those that are new or made a legal step.
 * A final deposit makes none, so only one caller gets its reference as final.
 */
export async function saveDeposits(
  tx: Tx,
  { network, account: watched }: WatchedKey,
  deposits: readonly Deposit[],
): Promise<ReadonlySet<string>> {
  const rows = deposits.map(deposit => ({
    network,
    watched,
    ref: deposit.ref,
    tx_hash: deposit.transactionHash,
    account: deposit.account,
    keys: deposit.keys,
    asset: deposit.asset,
    amount: deposit.amount,
    memo: deposit.memo,
    memo_type: deposit.memoType,
    sender: deposit.sender,
    block_height: deposit.block?.height ?? null,
    block_hash: deposit.block?.hash ?? null,
    seen_at: deposit.at,
    state: deposit.state,
  }));
  const names = Object.keys(rows[0] ?? {});
  const source = rowSource(await columnTypes(tx, 'deposits', names), rows);
  const result = await executePrepared(
    tx,
    sql<{ ref: string }>`
      insert into deposits as d (${columnList(names)}) select * from ${source} as n
      on conflict (network, account, ref) do update
        set state = excluded.state, block_height = excluded.block_height, block_hash = excluded.block_hash
        where d.state || '>' || excluded.state = any (${depositSteps}::text[])
      returning ref`,
  );
  return new Set(result.rows.map(({ ref }) => ref));
}

/** The next tag of a chain that counts its targets. */
export async function nextTag(tx: Tx): Promise<string> {
  const { rows } = await sql<{ tag: string }>`select nextval('deposit_tags')::text as tag`.execute(tx);
  return rows[0]?.tag ?? '';
}

/** Updates the received and counted amounts of prices. */
export async function saveCounted(tx: Tx, offers: readonly OfferRow[]): Promise<void> {
  await updateRows(tx, countedColumns(offers));
}

/** The update of `saveCounted`, or null without prices. */
export async function savingCounted(tx: Tx, offers: readonly OfferRow[]): Promise<Write | null> {
  return await updateOf(tx, countedColumns(offers));
}

function countedColumns(rows: readonly OfferRow[]): RowUpdate {
  const key = ['merchant_id', 'payment_id', 'number'];
  return { table: 'crypto_offers', key, columns: ['received', 'counted'], rows };
}
