import { sql } from 'kysely';
import { idPrefixes } from '../../core/id.ts';
import type { Executor, Tx } from '../db/database.ts';
import type { InvoiceRow } from './invoice.view.ts';

/** The invoice that makes or takes up credit. */
type Owner = Pick<InvoiceRow, 'merchant_id' | 'livemode' | 'customer_id' | 'id' | 'currency'>;

/** Whose the credit of an invoice is: its customer's; the invoice's own where nobody knows who its customer is. */
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

/** Takes up to `most` of the customer's credit and returns how much it was. Its row is locked until the transaction ends. */
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

/** What is open in somebody's favour: a customer's, or that of whoever an invoice without a known customer is for. */
export interface OpenCredit {
  readonly customer: string | null;
  readonly invoice: string | null;
  readonly currency: string;
  readonly amount: bigint;
}

/** What is open in the customers' favour, sums of zero left out; at most a hundred, by holder. */
export async function listCredits(
  db: Executor,
  scope: { readonly merchantId: string; readonly livemode: boolean; readonly holder?: string },
): Promise<OpenCredit[]> {
  let query = db
    .selectFrom('customer_credits')
    .select(['holder', 'currency', 'amount'])
    .where('merchant_id', '=', scope.merchantId)
    .where('livemode', '=', scope.livemode)
    .where('amount', '>', 0n);
  if (scope.holder !== undefined) query = query.where('holder', '=', scope.holder);
  const rows = await query.orderBy('holder').orderBy('currency').limit(100).execute();
  return rows.map(({ holder, ...sum }) => {
    const isInvoice = holder.startsWith(`${idPrefixes.invoice}_`);
    return { customer: isInvoice ? null : holder, invoice: isInvoice ? holder : null, ...sum };
  });
}
