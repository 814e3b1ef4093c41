import { sql } from 'kysely';
import type { PayoutDestination } from '../../../api/payout.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { rowSource } from '../../platform/db/rows.ts';
import type { MerchantScope } from '../../platform/merchant.ts';

/** Default destinations by recipient id. Null for a recipient without a default. Omits unknown ids. */
export async function findDefaultDestinations(
  db: Executor,
  scope: MerchantScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PayoutDestination | null>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; destination: PayoutDestination | null }>`
    select r.id, d.destination from recipients r
    left join recipient_destinations d on d.merchant_id = r.merchant_id and d.recipient_id = r.id and d.is_default
    where r.merchant_id = ${scope.merchantId} and r.livemode = ${scope.livemode} and r.deleted_at is null
      and r.id = any (${[...ids]}::text[])`.execute(db);
  return new Map(rows.map(({ id, destination }) => [id, destination]));
}

/** Whether a payout reached a recipient's destination. */
export interface Verified {
  readonly recipientId: string;
  readonly destination: PayoutDestination;
  readonly verified: boolean;
}

/** Marks destinations of a merchant's recipients as verified or failed. The last result of a destination counts. */
export async function markVerification(tx: Tx, merchantId: string, results: readonly Verified[]): Promise<void> {
  if (results.length === 0) return;
  const rows = results.map(({ recipientId, destination, verified }, index) => ({
    recipient_id: recipientId,
    destination,
    verification: verified ? 'verified' : 'failed',
    index,
  }));
  const columns = { recipient_id: 'text', destination: 'jsonb', verification: 'text', index: 'int4' };
  await sql`
    with results as (
      select distinct on (n.recipient_id, n.destination) n.* from ${rowSource(columns, rows)} as n
      order by n.recipient_id, n.destination, n.index desc
    ), found as (
      -- The fixed lock order prevents deadlocks.
      select d.id, r.verification from recipient_destinations d
      join results r on r.recipient_id = d.recipient_id and r.destination = d.destination
      where d.merchant_id = ${merchantId} and d.verification <> r.verification order by d.id for update of d
    )
    update recipient_destinations d set verification = found.verification from found
    where d.merchant_id = ${merchantId} and d.id = found.id`.execute(tx);
}
