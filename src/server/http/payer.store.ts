import type { Db } from '../db/database.ts';
import { merchantFromRow } from '../merchants/merchant.store.ts';
import type { Payer } from './auth.ts';

/** Merchant and mode of a payment, or null: a client secret alone names neither. */
export async function findPayer(db: Db, merchantId: string, paymentId: string): Promise<Payer | null> {
  const row = await db
    .selectFrom('payments')
    .innerJoin('merchants', 'merchants.id', 'payments.merchant_id')
    .selectAll('merchants')
    .select('payments.livemode')
    .where('payments.merchant_id', '=', merchantId)
    .where('payments.id', '=', paymentId)
    .executeTakeFirst();
  return row === undefined ? null : { merchant: merchantFromRow(row), livemode: row.livemode };
}
