import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { PayError } from '../../core/error.ts';
import { merchantRows, merchantsById } from '../merchants/merchant.store.ts';
import type { MerchantsTable } from '../merchants/tables.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { executePrepared, executeTogether } from '../platform/db/prepared.ts';
import { findRow, insertRows, rowSource, type Write } from '../platform/db/rows.ts';
import type { Merchant, MerchantScope } from '../platform/merchant.ts';
import type { PaymentKey } from './payment.store.ts';
import type { BankInstructionsRow, PaymentRow, TransferRow, TransfersTable } from './tables.ts';

/** A transfer to insert. */
export type NewTransfer = Omit<TransferRow, 'custodial' | 'return_count' | 'top_up_id' | 'at_market' | 'is_dust'> & {
  readonly at_market?: boolean;
  readonly is_dust?: boolean;
  readonly custodial?: boolean;
  readonly top_up_id?: string;
};

/** The row of a new transfer, as the database stores it. */
export function storedTransfer(row: NewTransfer): TransferRow {
  return { custodial: true, return_count: 0, top_up_id: null, at_market: false, is_dust: false, ...row };
}

/** The columns that are null for transfers outside of a chain. */
export const offChain = {
  chain: null,
  tx_hash: null,
  ledger: null,
  account: null,
  memo: null,
  memo_type: null,
  problem: null,
  failure_code: null,
  failure_message: null,
  arrived_at: null,
} as const;

/** Columns of a transfer that belongs to no payment. */
export const unapplied = { payment_id: null, status: 'unmatched', amount_applied: 0n, amount_excess: 0n } as const;

/** A transfer for a top-up, before it is matched. */
export type TopUpTransfer = Omit<NewTransfer, keyof typeof unapplied>;

/** Inserts a transfer. Returns false if the rail's reference is already known. */
export async function insertTransfer(tx: Tx, row: Insertable<TransfersTable>): Promise<boolean> {
  return (await insertRows(tx, 'transfers', [row], ['merchant_id', 'rail', 'rail_reference'])) > 0;
}

/** The transfer with the rail's reference, or null. */
export async function findTransfer(db: Executor, merchantId: string, rail: string, railReference: string) {
  return await findRow(db, 'transfers', { merchant_id: merchantId, rail, rail_reference: railReference });
}

/** The stored transfers of credits at a bank. */
export async function findTransfers(
  db: Executor,
  rail: string,
  credits: readonly { readonly merchantId: string; readonly railReference: string }[],
): Promise<readonly TransferRow[]> {
  const keys = credits.map(({ merchantId, railReference }) => ({
    merchant_id: merchantId,
    rail_reference: railReference,
  }));
  const { rows } = await executePrepared(
    db,
    sql<TransferRow>`
      select t.* from ${rowSource({ merchant_id: 'text', rail_reference: 'text' }, keys)} as k
      join transfers t on t.merchant_id = k.merchant_id and t.rail = ${rail} and t.rail_reference = k.rail_reference`,
  );
  return rows;
}

/** The merchant's first transfer of a transaction on a chain, or null. */
export async function findOnChain(db: Executor, merchantId: string, chain: string, hash: string) {
  const row = await db
    .selectFrom('transfers')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, rail: chain }))
    .where('rail_reference', 'like', `${hash}:%`)
    .orderBy(({ fn }) => fn<number>('length', ['rail_reference']))
    .orderBy('rail_reference')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export async function findInstructions(db: Executor, { merchantId, paymentId }: PaymentKey, rail: string) {
  return await findRow(db, 'bank_instructions', { merchant_id: merchantId, payment_id: paymentId, rail });
}

/** Inserts the instructions of a payment on a rail, or updates their price. The reference does not change. */
export async function saveInstructions(tx: Tx, row: BankInstructionsRow): Promise<void> {
  const { amount, payment_amount, created_at } = row;
  const price = { amount, payment_amount, created_at };
  await tx
    .insertInto('bank_instructions')
    .values(row)
    .onConflict(known => known.columns(['merchant_id', 'payment_id', 'rail']).doUpdateSet(price))
    .execute();
}

/** The instructions with one of these references, or null. */
export async function findByReference(db: Executor, merchantId: string, rail: string, references: readonly string[]) {
  if (references.length === 0) return null;
  const row = await db
    .selectFrom('bank_instructions')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, rail }))
    .where('reference', 'in', [...references])
    .executeTakeFirst();
  return row ?? null;
}

/** Owner ids of the payments with these references, by merchant and reference. Empty for a payment without owner. */
export async function findCreditOwners(
  db: Executor,
  rail: string,
  credits: readonly { readonly merchantId: string; readonly references: readonly string[] }[],
): Promise<ReadonlyMap<string, string>> {
  const named = credits.flatMap(({ merchantId, references }) => references.map(each => [merchantId, each] as const));
  if (named.length === 0) return new Map();
  const { rows } = await sql<{ merchant_id: string; reference: string; owner_id: string }>`
    select k.merchant_id, k.reference, coalesce(p.owner_id, '') as owner_id
    from unnest(${named.map(([id]) => id)}::text[], ${named.map(([, each]) => each)}::text[]) as k (merchant_id, reference)
    join bank_instructions b on b.merchant_id = k.merchant_id and b.rail = ${rail} and b.reference = k.reference
    join payments p on p.merchant_id = b.merchant_id and p.id = b.payment_id`.execute(db);
  return new Map(rows.map(row => [`${row.merchant_id} ${row.reference}`, row.owner_id]));
}

/** A locked payment that a credit names, and its instructions. `isKnown`: the credit is already stored. */
export interface NamedPayment {
  readonly railReference: string;
  readonly payment: PaymentRow;
  readonly instructions: Pick<BankInstructionsRow, 'amount' | 'payment_amount' | 'created_at'>;
  readonly isKnown: boolean;
}

/** A credit of a page, and the references in its text. */
interface PagedCredit {
  readonly merchantId: string;
  readonly railReference: string;
  readonly references: readonly string[];
}

/** A rail's locked cursor, the payments that the page's credits name, and the credits' merchants. */
export interface LockedPage {
  readonly cursor: string | null;
  readonly named: readonly NamedPayment[];
  readonly merchants: ReadonlyMap<string, Merchant>;
}

/**
 * Locks the rail's cursor, so that only one reader can move it. Then locks the payments without an owner that the
 * credits name, in the order of their keys. Takes one round trip. The cursor must have been read by `readCursor`.
 */
export async function lockPage(tx: Tx, rail: string, credits: readonly PagedCredit[]): Promise<LockedPage> {
  const [cursors, named, merchants] = await executeTogether<[CursorRow, NamedRow, Selectable<MerchantsTable>]>(
    tx,
    sql<CursorRow>`select cursor from rail_cursors where rail = ${rail} for update`,
    namedLock(rail, credits),
    merchantRows([...new Set(credits.map(({ merchantId }) => merchantId))]),
  );
  return { cursor: cursorOf(cursors), named: named.map(namedPayment), merchants: merchantsById(merchants) };
}

type NamedRow = PaymentRow &
  Readonly<Record<'asked' | 'worth', bigint>> & {
    readonly known_as: string;
    readonly known: boolean;
    readonly priced_at: Date;
  };

function namedLock(rail: string, credits: readonly PagedCredit[]) {
  const named = credits.flatMap(({ merchantId: merchant_id, railReference: rail_reference, references }) =>
    references.map(reference => ({ merchant_id, rail_reference, reference })),
  );
  const keys = rowSource({ merchant_id: 'text', rail_reference: 'text', reference: 'text' }, named);
  return sql<NamedRow>`
    select p.*, k.rail_reference as known_as, b.amount as asked, b.payment_amount as worth, b.created_at as priced_at,
      exists (
        select from transfers t
        where t.merchant_id = k.merchant_id and t.rail = ${rail} and t.rail_reference = k.rail_reference) as known
    from ${keys} k
    join bank_instructions b on b.merchant_id = k.merchant_id and b.rail = ${rail} and b.reference = k.reference
    join payments p on p.merchant_id = b.merchant_id and p.id = b.payment_id and p.owner_id is null
    order by p.merchant_id, p.id for update of p`;
}

function namedPayment({
  known_as: railReference,
  asked: amount,
  worth,
  known: isKnown,
  priced_at,
  ...payment
}: NamedRow) {
  const instructions = { amount, payment_amount: worth, created_at: priced_at };
  return { railReference, payment, isKnown, instructions };
}

/** The only open payment with exactly this amount on the rail. Null if there is none, or more than one. */
export async function findByAmount(
  db: Executor,
  merchantId: string,
  rail: string,
  { currency, amount }: { readonly currency: string; readonly amount: bigint },
): Promise<BankInstructionsRow | null> {
  const { rows } = await sql<BankInstructionsRow>`
    select b.* from bank_instructions b join payments p on p.merchant_id = b.merchant_id and p.id = b.payment_id
    where b.merchant_id = ${merchantId} and b.rail = ${rail} and b.currency = ${currency} and b.amount = ${amount}
      and p.phase in ('awaiting_funds', 'partially_paid') limit 2`.execute(db);
  return rows.length === 1 ? (rows[0] ?? null) : null;
}

type CursorRow = { readonly cursor: string };

/** The cursor up to which the rail's credits were read. Null before the first reading. */
export async function readCursor(db: Executor, rail: string): Promise<string | null> {
  const { rows } = await executePrepared(db, sql<CursorRow>`select cursor from rail_cursors where rail = ${rail}`);
  if (rows.length > 0) return cursorOf(rows);
  // Only an existing row can be locked.
  await insertRows(db, 'rail_cursors', [{ rail, cursor: '' }], ['rail']);
  return await readCursor(db, rail);
}

function cursorOf([row]: readonly CursorRow[]): string | null {
  return row === undefined || row.cursor === '' ? null : row.cursor;
}

/** The update of a locked cursor, to be written with other rows. */
export function savingCursor(rail: string, cursor: string): Write {
  return sql`update rail_cursors set cursor = ${cursor}::text where rail = ${rail}::text`;
}

const transferStatuses = ['matched', 'unmatched', 'awaiting_approval', 'returning', 'returned'] as const;

/** Lists one page of the merchant's received transfers. Throws `parameter_invalid` for an unknown status. */
export async function listTransfers(
  db: Db,
  scope: MerchantScope,
  filters: { readonly status?: string; readonly payment?: string },
  request: PageRequest,
): Promise<Page<TransferRow>> {
  const { status, payment } = filters;
  const wanted = transferStatuses.find(known => known === status);
  if (status !== undefined && wanted === undefined) {
    throw new PayError('parameter_invalid', `status takes ${transferStatuses.join(', ')}.`, { param: 'status' });
  }
  return await readPage(db, { table: 'transfers', ...scope }, request, {
    equal: { status: wanted, payment_id: payment },
  });
}

/** Locks the transfer. Null if the merchant has no transfer with this id in the mode. */
export async function lockTransfer(tx: Tx, scope: MerchantScope, id: string): Promise<TransferRow | null> {
  return await findRow(tx, 'transfers', { merchant_id: scope.merchantId, livemode: scope.livemode, id }, 'lock');
}

/** The transfer of the merchant in the mode, or null. */
export async function readTransfer(db: Executor, scope: MerchantScope, id: string): Promise<TransferRow | null> {
  return await findRow(db, 'transfers', { merchant_id: scope.merchantId, livemode: scope.livemode, id });
}

/** Changes a locked transfer. */
export async function updateTransfer(tx: Tx, row: TransferRow, set: Updateable<TransfersTable>): Promise<TransferRow> {
  return await tx
    .updateTable('transfers')
    .set(set)
    .where(eb => eb.and({ merchant_id: row.merchant_id, id: row.id }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Maximum number of transfers per query. The merchant returns further ones individually. */
const mostProblems = 100;

/** The payment's transfers with a problem, such as a wrong asset, that were not returned. Omits dust. */
export async function findProblems(db: Executor, merchantId: string, paymentId: string): Promise<TransferRow[]> {
  return await db
    .selectFrom('transfers')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, payment_id: paymentId }))
    .where('problem', 'is not', null)
    .where('status', '<>', 'returned')
    .where('is_dust', '=', false)
    .orderBy('created_at')
    .limit(mostProblems)
    .execute();
}
