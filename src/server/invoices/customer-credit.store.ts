import { sql } from 'kysely';
import type { Executor, Tx } from '../db/database.ts';
import type { InvoiceRow } from './invoice.view.ts';

type Owner = Pick<InvoiceRow, 'merchant_id' | 'livemode' | 'customer_id' | 'currency'>;

/** Adds to what is open in the customer's favour. A customer whom nobody knows by an address has no credit. */
export async function addCredit(tx: Tx, owner: Owner, amount: bigint): Promise<void> {
  const { merchant_id, livemode, customer_id, currency } = owner;
  if (customer_id === null || amount === 0n) return;
  await tx
    .insertInto('customer_credits')
    .values({ merchant_id, livemode, customer_id, currency, amount })
    .onConflict(conflict =>
      conflict
        .columns(['merchant_id', 'livemode', 'customer_id', 'currency'])
        .doUpdateSet({ amount: sql<bigint>`customer_credits.amount + ${amount}` }),
    )
    .execute();
}

/** Takes up to `most` of the customer's credit and returns how much it was. Its row is locked until the transaction ends. */
export async function takeCredit(tx: Tx, owner: Owner, most: bigint): Promise<bigint> {
  if (owner.customer_id === null || most === 0n) return 0n;
  const row = await selectCredit(tx, owner, owner.customer_id).forUpdate().executeTakeFirst();
  const there = row?.amount ?? 0n;
  const taken = there < most ? there : most;
  if (taken === 0n) return 0n;
  await tx
    .updateTable('customer_credits')
    .set({ amount: there - taken })
    .where('merchant_id', '=', owner.merchant_id)
    .where('livemode', '=', owner.livemode)
    .where('customer_id', '=', owner.customer_id)
    .where('currency', '=', owner.currency)
    .execute();
  return taken;
}

function selectCredit(db: Executor, { merchant_id, livemode, currency }: Owner, customerId: string) {
  return db
    .selectFrom('customer_credits')
    .select('amount')
    .where('merchant_id', '=', merchant_id)
    .where('livemode', '=', livemode)
    .where('customer_id', '=', customerId)
    .where('currency', '=', currency);
}

/** What is open in the customers' favour, sums of zero left out; at most a hundred, by customer. */
export async function listCredits(
  db: Executor,
  scope: { readonly merchantId: string; readonly livemode: boolean; readonly customerId?: string },
): Promise<readonly { customer_id: string; currency: string; amount: bigint }[]> {
  let query = db
    .selectFrom('customer_credits')
    .select(['customer_id', 'currency', 'amount'])
    .where('merchant_id', '=', scope.merchantId)
    .where('livemode', '=', scope.livemode)
    .where('amount', '>', 0n);
  if (scope.customerId !== undefined) query = query.where('customer_id', '=', scope.customerId);
  return await query.orderBy('customer_id').orderBy('currency').limit(100).execute();
}
