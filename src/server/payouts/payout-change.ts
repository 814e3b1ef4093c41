import type { Tx } from '../platform/db/database.ts';
import { type AlsoWritten, type Planned, writeChanges } from '../platform/events/change.ts';
import { endedStatuses, payoutResource } from './payout.ts';
import type { PayoutContext } from './payout.view.ts';
import { type EndedPayout, ownerOf, type PayoutOwnerId } from './payout-owner.ts';
import type { PayoutRow } from './tables.ts';

/** Writes planned changes of locked payouts of one merchant, and reports ended ones to their owners. */
export async function writePayouts(
  tx: Tx,
  context: PayoutContext,
  changes: readonly Planned<PayoutRow>[],
  also: AlsoWritten = {},
): Promise<void> {
  await writeChanges(tx, payoutResource, changes, also);
  for (const owner of context.payoutOwners) {
    const ended = changes.flatMap(change => endedIn(change, owner.type));
    if (ended.length > 0) await owner.ended(tx, ended);
  }
}

function endedIn({ before, after, events }: Planned<PayoutRow>, type: PayoutOwnerId['type']): EndedPayout[] {
  const { merchant_id: merchantId, id: payoutId } = after;
  const owner = ownerOf(after);
  const status = endedStatuses.find(each => each === after.status);
  if (owner?.type !== type || status === undefined || status === before.status) return [];
  const failure =
    status === 'canceled'
      ? { code: 'canceled', message: 'The payout was canceled. Its money is in the balance.' }
      : { code: after.failure_code ?? status, message: after.failure_message ?? '' };
  const now = events.at(-1)?.now ?? after.completed_at ?? after.created_at;
  return [{ merchantId, ownerId: owner.id, payoutId, status, failure, now }];
}
