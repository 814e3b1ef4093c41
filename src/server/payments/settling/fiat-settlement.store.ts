import { sql } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { type DueRequest, findDue } from '../../platform/db/lease.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import { fiatSettlements } from '../payment.store.ts';
import type { PaymentRow } from '../tables.ts';

/** A payment whose settlement in a currency is due, and the current time on its merchant's clock. */
export interface DueFiatSettlement {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly livemode: boolean;
  readonly currency: string;
  readonly clock: Date;
}

/** Finds payments whose settlement in a currency is due. Its start locks them and checks them again. */
export async function findDueFiatSettlements(db: Db, request: DueRequest): Promise<readonly DueFiatSettlement[]> {
  const columns = sql`t.merchant_id as "merchantId", t.id as "paymentId", t.livemode, t.settlement_asset as currency`;
  return await findDue<DueFiatSettlement>(db, fiatSettlements, request, columns);
}

/** A merchant's settlements in one currency. */
export interface SettlementScope extends MerchantScope {
  /** ISO 4217. */
  readonly currency: string;
}

/** Payments with debts that a settlement can deduct. */
const debts = ({ merchantId, livemode, currency }: SettlementScope, settlementId: string) => sql`
  merchant_id = ${merchantId} and livemode = ${livemode} and settlement_asset = ${currency} and settlement_in_fiat
    and amount_receivable > 0 and (amount_settling = 0 or settlement_id = ${settlementId})`;

/** Whether the next settlement of the merchant has debts to deduct. */
export async function hasDebts(db: Executor, scope: SettlementScope): Promise<boolean> {
  const query = sql<{ has: boolean }>`select exists (select from payments where ${debts(scope, '')}) as has`;
  return (await executePrepared(db, query)).rows[0]?.has === true;
}

/**
 * Locks payments whose refunds and disputes a settlement can deduct, the oldest first. Skips payments whose money is on
 * its way in another settlement.
 */
export async function lockDebts(
  tx: Tx,
  scope: SettlementScope,
  settlementId: string,
  limit: number,
): Promise<PaymentRow[]> {
  const query = sql<PaymentRow>`
    select * from payments where ${debts(scope, settlementId)} order by completed_at, id limit ${limit} for update`;
  return (await executePrepared(tx, query)).rows;
}

/** Locks the next payments of a settlement, in the order of their ids. */
export async function lockMembers(
  tx: Tx,
  { merchantId, settlementId, after }: { merchantId: string; settlementId: string; after: string },
  limit: number,
): Promise<PaymentRow[]> {
  const query = sql<PaymentRow>`
    select * from payments where merchant_id = ${merchantId} and settlement_id = ${settlementId} and id > ${after}
    order by id limit ${limit} for update`;
  return (await executePrepared(tx, query)).rows;
}
