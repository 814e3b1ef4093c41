import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { claimDue, type DueWork } from '../platform/db/lease.ts';
import type { PaymentRow } from './payment.view.ts';

/** A payment whose settlement is to be looked at, with what that takes. */
export type DueSettlementRow = PaymentRow & {
  /** The present moment of its merchant. */
  readonly clock: Date;
  /** What disputes took back, in minor units. */
  readonly disputed_amount: bigint;
  /** Where the merchant is paid: what the payment says, else the account. */
  readonly address: string | null;
  /** The asset on Stellar in which most of it was paid into the treasury, or null. */
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
  const columns = sql`c.*, coalesce(c.settlement_address, m.stellar_address) as address,
    (select coalesce(sum(d.amount), 0) from disputes d
      where d.merchant_id = c.merchant_id and d.payment_id = c.id)::bigint as disputed_amount,
    (select t.currency from transfers t
      where t.merchant_id = c.merchant_id and t.payment_id = c.id and t.chain = 'stellar' and t.custodial
      order by t.amount_applied desc limit 1) as paid_in
    from claimed c join merchants m on m.id = c.merchant_id`;
  return await claimDue<DueSettlementRow>(db, work, { now, limit, leaseSeconds: 30, columns });
}

/**
 * Lets a settlement wait until its merchant says where to. The merchant is held meanwhile: an address that is being
 * written now is waited for, and then the settlement is due at once.
 */
export async function awaitAddress(db: Db, merchantId: string, paymentId: string): Promise<void> {
  await sql`
    with merchant as (select stellar_address from merchants where id = ${merchantId} for share)
    update payments p
    set settlement_due_at = case when merchant.stellar_address is null then null else p.completed_at end
    from merchant
    where p.merchant_id = ${merchantId} and p.id = ${paymentId} and p.settlement_address is null`.execute(db);
}

/** Makes what waits for the merchant due again, since its account has changed: it may have an address now, or another one. */
export async function resumeSettlements(tx: Tx, merchantId: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ settlement_due_at: sql`completed_at`, settlement_tries: 0 })
    .where('merchant_id', '=', merchantId)
    .where('settlement_status', 'in', ['pending', 'failed'])
    .where('settlement_due_at', 'is', null)
    .execute();
}

/** Has the settlement looked at again at once. */
export async function hastenSettlement(tx: Tx, merchantId: string, paymentId: string, now: Date): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ settlement_due_at: now })
    .where('merchant_id', '=', merchantId)
    .where('id', '=', paymentId)
    .execute();
}
