import { sql } from 'kysely';
import { lockStellarAddress } from '../merchants/merchant.store.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { claimDue, type DueWork } from '../platform/db/lease.ts';
import type { PaymentRow } from './payment.view.ts';

/** A payment whose settlement is due, and the data for it. */
export type DueSettlementRow = PaymentRow & {
  /** Time on the merchant's clock. */
  readonly clock: Date;
  /** Taken back by disputes, in minor units. */
  readonly disputed_amount: bigint;
  /** The Stellar asset of the largest custodial transfer for the payment; null when there is none. */
  readonly paid_in: string | null;
};

/** Claims payments of the mode whose settlement is due. */
export async function claimDueSettlements(
  db: Db,
  { livemode, now, limit }: { readonly livemode: boolean; readonly now: Date; readonly limit: number },
): Promise<readonly DueSettlementRow[]> {
  const work: DueWork = {
    ...{ table: 'payments', key: ['merchant_id', 'id'], dueAt: 'settlement_due_at', clock: 'merchant' },
    where: sql`t.settlement_due_at is not null and t.livemode = ${livemode}`,
  };
  const columns = sql`c.*,
    (select coalesce(sum(d.amount), 0) from disputes d
      where d.merchant_id = c.merchant_id and d.payment_id = c.id)::bigint as disputed_amount,
    (select t.currency from transfers t
      where t.merchant_id = c.merchant_id and t.payment_id = c.id and t.chain = 'stellar' and t.custodial
      order by t.amount_applied desc limit 1) as paid_in
    from claimed c`;
  return await claimDue<DueSettlementRow>(db, work, { now, limit, leaseSeconds: 30, columns });
}

/**
 * Lets a settlement wait for the merchant's address. An address that is being written at this moment is waited for, and
 * makes the settlement due again.
 */
export async function awaitAddress(db: Db, merchantId: string, paymentId: string): Promise<void> {
  await db.transaction().execute(async tx => {
    const address = await lockStellarAddress(tx, merchantId);
    await tx
      .updateTable('payments')
      .set({ settlement_due_at: address === null ? null : sql`completed_at` })
      .where('merchant_id', '=', merchantId)
      .where('id', '=', paymentId)
      .where('settlement_address', 'is', null)
      .execute();
  });
}

/** Makes settlements that wait for the merchant due again after the account changed. */
export async function resumeSettlements(tx: Tx, merchantId: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ settlement_due_at: sql`completed_at`, settlement_tries: 0 })
    .where('merchant_id', '=', merchantId)
    .where('settlement_status', 'in', ['pending', 'failed'])
    .where('settlement_due_at', 'is', null)
    .execute();
}

/** Makes the settlement due now. */
export async function makeSettlementDue(tx: Tx, merchantId: string, paymentId: string, now: Date): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ settlement_due_at: now })
    .where('merchant_id', '=', merchantId)
    .where('id', '=', paymentId)
    .execute();
}
