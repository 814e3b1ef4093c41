import { merchantFromRow } from '../../../merchants/merchant.store.ts';
import type { Db } from '../../db/database.ts';
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

/** Merchant and mode of a payment link, or null: its id alone names neither. */
export async function findLinkOwner(db: Db, linkId: string): Promise<Payer | null> {
  const row = await db
    .selectFrom('payment_link_routes as routes')
    .innerJoin('payment_links as links', join =>
      join.onRef('links.merchant_id', '=', 'routes.merchant_id').onRef('links.id', '=', 'routes.link_id'),
    )
    .innerJoin('merchants', 'merchants.id', 'routes.merchant_id')
    .selectAll('merchants')
    .select('links.livemode')
    .where('routes.link_id', '=', linkId)
    .executeTakeFirst();
  return row === undefined ? null : { merchant: merchantFromRow(row), livemode: row.livemode };
}
