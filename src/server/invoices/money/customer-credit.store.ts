import { type SqlBool, sql } from 'kysely';
import { PayError } from '../../../core/error.ts';
import { idPrefixes } from '../../../core/id.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import type { Page, PageRequest } from '../../platform/db/page.ts';
import type { InvoiceRow } from '../invoice.view.ts';

/** The invoice that makes or uses credit. */
type Owner = Pick<InvoiceRow, 'merchant_id' | 'livemode' | 'customer_id' | 'id' | 'currency'>;

/** The credit holder: the customer, or the invoice itself when it has no customer. */
function holderOf({ customer_id: customerId, id }: Owner): string {
  return customerId ?? id;
}

/** Adds to what is open in the customer's favour. */
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

/**
 * Uses up to `most` of the customer's credit and returns the amount used. Its row is locked until the transaction ends.
 */
export async function takeCredit(tx: Tx, owner: Owner, most: bigint): Promise<bigint> {
  if (most === 0n) return 0n;
  const row = await selectCredit(tx, owner).forUpdate().executeTakeFirst();
  const there = row?.amount ?? 0n;
  const taken = there < most ? there : most;
  if (taken === 0n) return 0n;
  await tx
    .updateTable('customer_credits')
    .set({ amount: there - taken })
    .where('merchant_id', '=', owner.merchant_id)
    .where('livemode', '=', owner.livemode)
    .where('holder', '=', holderOf(owner))
    .where('currency', '=', owner.currency)
    .execute();
  return taken;
}

function selectCredit(db: Executor, owner: Owner) {
  return db
    .selectFrom('customer_credits')
    .select('amount')
    .where('merchant_id', '=', owner.merchant_id)
    .where('livemode', '=', owner.livemode)
    .where('holder', '=', holderOf(owner))
    .where('currency', '=', owner.currency);
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

/** Whose credit is listed: all of a merchant's, or that of one holder. */
interface CreditScope {
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly holder?: string;
}

/**
 * A page of what is open in the customers' favour, sums of zero left out, by holder and currency. Throws PayError
 * `invalid_cursor` when a cursor is not the id of a credit of this very list; it may have been used up since.
 */
export async function listCredits(
  db: Executor,
  scope: CreditScope,
  { limit, startingAfter, endingBefore }: Pick<PageRequest, 'limit' | 'startingAfter' | 'endingBefore'>,
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
  const kept = rows.slice(0, limit).map(openCredit);
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

function openCredit({
  holder,
  ...sum
}: Omit<OpenCredit, 'id' | 'customer' | 'invoice'> & { readonly holder: string }): OpenCredit {
  const isInvoice = holder.startsWith(`${idPrefixes.invoice}_`);
  const [customer, invoice] = isInvoice ? [null, holder] : [holder, null];
  return { id: `${holder}${sum.currency}`, customer, invoice, ...sum };
}
