import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { keyList, type PaymentKey } from '../payment.store.ts';

/** Custodial money that a payment received on a chain in one asset. Values are in minor units of its currency. */
export interface ReceivedOnChain extends PaymentKey {
  /** The wire text of the asset. */
  readonly asset: string;
  readonly value: bigint;
  /** The part of `value` that came late or in excess. */
  readonly excess: bigint;
}

/** What payments received on the chain, by payment and asset. */
export async function findReceivedOnChain(
  db: Executor,
  keys: readonly PaymentKey[],
  chain: string,
): Promise<readonly ReceivedOnChain[]> {
  const query = sql<ReceivedOnChain>`
    select r.merchant_id as "merchantId", r.payment_id as "paymentId", r.currency as asset,
      sum(r.amount_applied + r.amount_excess)::bigint as value, sum(r.amount_excess)::bigint as excess
    from ${keyList(keys)} join transfers r on r.merchant_id = k.merchant_id and r.payment_id = k.payment_id
    where r.chain = ${chain} and r.custodial and r.status = 'matched' and r.amount_applied + r.amount_excess > 0
    group by 1, 2, 3 order by 1, 2, 3`;
  return (await executePrepared(db, query)).rows;
}

/** Makes locked payments due at this time. */
export async function moveSettlementsDue(tx: Tx, keys: readonly PaymentKey[], at: Date): Promise<void> {
  await executePrepared(
    tx,
    sql`update payments p set settlement_due_at = ${at} from ${keyList(keys)}
      where p.merchant_id = k.merchant_id and p.id = k.payment_id`,
  );
}
