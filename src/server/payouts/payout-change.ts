import type { Tx } from '../platform/db/database.ts';
import { type AlsoWritten, type Planned, writeChanges } from '../platform/events/change.ts';
import { endedStatuses, payoutResource } from './payout.ts';
import type { PayoutContext } from './payout.view.ts';
import type { EndedPayout } from './payout-owner.ts';
import type { PayoutRow } from './tables.ts';

/** Writes planned changes of locked payouts of one merchant, and reports ended ones to their owners. */
export async function writePayouts(
  tx: Tx,
  context: PayoutContext,
  changes: readonly Planned<PayoutRow>[],
  also: AlsoWritten = {},
): Promise<void> {
  await writeChanges(tx, payoutResource, changes, also);
  const ended = changes.flatMap(endedIn);
  if (ended.length > 0) for (const owner of context.payoutOwners) await owner.ended(tx, ended);
}

function endedIn({ before, after, events }: Planned<PayoutRow>): EndedPayout[] {
  const { settlement_id: settlementId, merchant_id: merchantId, id: payoutId } = after;
  const status = endedStatuses.find(each => each === after.status);
  if (settlementId === null || status === undefined || status === before.status) return [];
  const failure =
    status === 'canceled'
      ? { code: 'canceled', message: 'The payout was canceled. Its money is in the balance.' }
      : { code: after.failure_code ?? status, message: after.failure_message ?? '' };
  const now = events.at(-1)?.now ?? after.completed_at ?? after.created_at;
  return [{ merchantId, settlementId, payoutId, status, failure, now }];
}
