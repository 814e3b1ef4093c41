import { type SqlBool, sql } from 'kysely';
import { PayError } from '../../../core/error.ts';
import { idPrefixes } from '../../../core/id.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import type { Page, PageRequest } from '../../platform/db/page.ts';
import { findRow } from '../../platform/db/rows.ts';
import type { CreditNoteRow, InvoiceRow } from '../invoice.view.ts';

type Key = Pick<InvoiceRow, 'merchant_id' | 'id'>;

/** Sums of the credit notes upon an invoice, in minor units. */
export interface CreditedSums {
  readonly amount: bigint;
  /** The part that became the customer's credit. */
  readonly toCredit: bigint;
}

/** Sums the credit notes upon an invoice. */
export async function creditedSums(tx: Tx, { merchant_id: merchantId, id }: Key): Promise<CreditedSums> {
  return await tx
    .selectFrom('credit_notes')
    .select([
      sql<bigint>`coalesce(sum(amount), 0)`.as('amount'),
      sql<bigint>`coalesce(sum(amount_to_credit), 0)`.as('toCredit'),
    ])
    .where(eb => eb.and({ merchant_id: merchantId, invoice_id: id }))
    .executeTakeFirstOrThrow();
}

/** The part of the credit notes that lowered no remaining amount and made no credit, since it had been refunded. */
export function settledByRefunds(
  { amount_credited: credited }: Pick<InvoiceRow, 'amount_credited'>,
  { amount, toCredit }: CreditedSums,
): bigint {
  return amount - toCredit - credited;
}

/** The credit notes upon an invoice, in the order of their numbers. */
export async function creditNotesOf(db: Executor, { merchant_id: merchantId, id }: Key): Promise<CreditNoteRow[]> {
  return await db
    .selectFrom('credit_notes')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, invoice_id: id }))
    .orderBy(sql`length(number)`)
    .orderBy('number')
    .execute();
}

/** Amounts of the credit notes upon an invoice, in the order of their numbers; with a number, of those before it. */
export async function earlierAmounts(db: Executor, invoice: Key, before?: string): Promise<bigint[]> {
  const notes = await creditNotesOf(db, invoice);
  const end = before === undefined ? notes.length : notes.findIndex(({ number }) => number === before);
  return notes.slice(0, end).map(({ amount }) => amount);
}

/** The credit note, or null when the merchant has none of this id. */
export async function findCreditNote(db: Executor, merchantId: string, id: string): Promise<CreditNoteRow | null> {
  return await findRow(db, 'credit_notes', { merchant_id: merchantId, id });
}

/** The invoice that makes or uses credit. */
type Owner = Pick<InvoiceRow, 'merchant_id' | 'livemode' | 'customer_id' | 'id' | 'currency'>;

/** The credit holder: the customer, or the invoice itself when it has no customer. */
function holderOf({ customer_id: customerId, id }: Owner): string {
  return customerId ?? id;
}

/** Adds to the customer's credit, in minor units. */
export async function addCredit(tx: Tx, owner: Owner, amount: bigint): Promise<void> {
  const { merchant_id, livemode, currency } = owner;
  if (amount === 0n) return;
  await tx
    .insertInto('customer_credits')
    .values({ merchant_id, livemode, holder: holderOf(owner), currency, amount })
    .onConflict(conflict =>
      conflict
        .columns(['merchant_id', 'livemode', 'holder', 'currency'])
        .doUpdateSet({ amount: sql<bigint>`customer_credits.amount + ${amount}` }),
    )
    .execute();
}

/** Uses up to `most` of the customer's credit and returns the used amount. Its row is locked until the transaction ends. */
export async function takeCredit(tx: Tx, owner: Owner, most: bigint): Promise<bigint> {
  if (most === 0n) return 0n;
  const scope = { merchantId: owner.merchant_id, livemode: owner.livemode, holder: holderOf(owner) };
  const row = await creditsOf(tx, scope).where('currency', '=', owner.currency).forUpdate().executeTakeFirst();
  const open = row?.amount ?? 0n;
  const taken = open < most ? open : most;
  if (taken === 0n) return 0n;
  await tx
    .updateTable('customer_credits')
    .set({ amount: open - taken })
    .where('merchant_id', '=', scope.merchantId)
    .where('livemode', '=', scope.livemode)
    .where('holder', '=', scope.holder)
    .where('currency', '=', owner.currency)
    .execute();
  return taken;
}

/** Open credit of a customer, or of an invoice without a customer. */
export interface OpenCredit {
  /** The holder's id and the currency. */
  readonly id: string;
  readonly customer: string | null;
  readonly invoice: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly livemode: boolean;
}

/** All credit of a merchant in a mode, or that of one holder. */
interface CreditScope {
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly holder?: string | undefined;
}

/**
 * A page of open credit, by holder and currency. Throws PayError `invalid_cursor` when a cursor is not the id of a credit
 * of this list; that credit may have been used up since.
 */
export async function listCredits(
  db: Executor,
  scope: CreditScope,
  { limit, startingAfter, endingBefore }: PageRequest,
): Promise<Page<OpenCredit>> {
  const isBackwards = endingBefore !== null;
  const cursor = endingBefore ?? startingAfter;
  const order = isBackwards ? 'desc' : 'asc';
  let query = creditsOf(db, scope).where('amount', '>', 0n);
  if (cursor !== null) {
    const at = await creditAt(db, scope, cursor, isBackwards ? 'ending_before' : 'starting_after');
    const isBeyond = isBackwards ? sql`<` : sql`>`;
    query = query.where(sql<SqlBool>`(holder, currency) ${isBeyond} (${at.holder}, ${at.currency})`);
  }
  const rows = await query
    .orderBy('holder', order)
    .orderBy('currency', order)
    .limit(limit + 1)
    .execute();
  const kept = rows.slice(0, limit).map(({ holder, ...credit }) => {
    const isInvoice = holder.startsWith(`${idPrefixes.invoice}_`);
    const [customer, invoice] = isInvoice ? [null, holder] : [holder, null];
    return { id: `${holder}${credit.currency}`, customer, invoice, ...credit };
  });
  return { rows: isBackwards ? kept.reverse() : kept, hasMore: rows.length > limit };
}

function creditsOf(db: Executor, { merchantId, livemode, holder }: CreditScope) {
  const query = db
    .selectFrom('customer_credits')
    .select(['holder', 'currency', 'amount', 'livemode'])
    .where('merchant_id', '=', merchantId)
    .where('livemode', '=', livemode);
  return holder === undefined ? query : query.where('holder', '=', holder);
}

async function creditAt(db: Executor, scope: CreditScope, id: string, param: string) {
  const row = await creditsOf(db, scope)
    .where('holder', '=', id.slice(0, -3))
    .where('currency', '=', id.slice(-3))
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new PayError('invalid_cursor', `No object of this list has the id given in ${param}.`, { param });
}
