import { type SqlBool, sql } from 'kysely';
import { PayError } from '../../../core/error.ts';
import { idPrefixes } from '../../../core/id.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import type { Page, PageRequest } from '../../platform/db/page.ts';
import type { InvoiceRow } from '../invoice.view.ts';

/** The invoice that creates or uses credit. */
type Owner = Pick<InvoiceRow, 'merchant_id' | 'livemode' | 'customer_id' | 'id' | 'currency'>;

/** The credit holder: the customer, or the invoice itself if it has no customer. */
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

/** The query for a row if the customer has unused credit in the invoice's currency. */
export function unusedCredit(owner: Owner) {
  return sql<{ readonly holder: string }>`
    select c.holder from customer_credits c where c.merchant_id = ${owner.merchant_id}
      and c.livemode = ${owner.livemode} and c.holder = ${holderOf(owner)} and c.currency = ${owner.currency} and c.amount > 0`;
}

/** Uses up to `most` of the customer's credit and returns the used amount. Locks the credit. */
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

/** Unused credit of a customer, or of an invoice without a customer. */
export interface OpenCredit {
  /** The holder's id and the currency. */
  readonly id: string;
  readonly customer: string | null;
  readonly invoice: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly livemode: boolean;
}

/** All credit of a merchant in a mode, or only the credit of one holder. */
interface CreditScope {
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly holder?: string | undefined;
}

/**
 * A page of open credit, by holder and currency. The credit named by the cursor may meanwhile have been used. Throws
 * PayError `invalid_cursor` for a cursor that is not an id of this list.
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
