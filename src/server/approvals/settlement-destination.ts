import { destinationText, type SettlementDestination } from '../../api/payout.ts';
import { parseCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { idBody, idOf } from '../../core/id.ts';
import type { KeyDirectory } from '../merchants/key-directory.ts';
import { findMerchant, updateMerchant } from '../merchants/merchant.store.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import type { Merchant } from '../platform/merchant.ts';
import { changesOf } from './account-change.ts';
import type { ApprovalPurpose } from './approval.ts';

const changes = changesOf<SettlementDestination>({
  kind: 'settlement_destination',
  // The id of the account names its limit.
  objectOf: merchantId => idOf('settlementDestination', idBody(merchantId)),
  current: async (tx, merchantId) => (await findMerchant(tx, merchantId))?.settlementDestination ?? null,
  detailsOf: settlement_destination => ({ settlement_destination }),
  valueIn: details => ('settlement_destination' in details ? details.settlement_destination : undefined),
  summaryOf: next => {
    if (next === null) return 'Remove the account that receives settlements';
    return `Send settlements to ${destinationText(next)}`;
  },
});

/** Changes of the bank account or wallet that receives settlements, for the account. */
export const settlementDestination = {
  /** The change that waits for a second person, or null. */
  read: async (db: Executor, merchantId: string) => {
    const waiting = await changes.read(db, merchantId);
    if (waiting === null) return null;
    const { next: destination, ...others } = waiting;
    return { ...others, destination };
  },
  change: changes.change,
};

interface DestinationDeps {
  readonly db: Db;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  /** Moves or keeps the open settlements of the account. */
  readonly onSettlementSchedule: (tx: Tx, merchant: Merchant) => Promise<void>;
  readonly ownedPayouts: { routeOf(destination: SettlementDestination, currency: string): object | null };
}

/**
 * Applies a change of the destination once a second person has approved it. Throws `illegal_state` if the account has
 * meanwhile changed to a currency that the new destination cannot receive.
 */
export function destinationApprovals(deps: DestinationDeps): ApprovalPurpose {
  const { db, keys, ownedPayouts } = deps;
  return {
    kind: 'settlement_destination',
    prepare: async ({ merchant: { id, settlementAsset } }, asked) => {
      const currency = parseCurrency((await findMerchant(db, id))?.settlementAsset ?? settlementAsset);
      return async (tx, caller) => {
        const next = await changes.approve(tx, caller, asked);
        if (currency !== null && (next === null || ownedPayouts.routeOf(next, currency) === null)) {
          const message = `The account settles in ${currency}, which the new destination cannot receive. Cancel the change.`;
          throw new PayError('illegal_state', message);
        }
        await deps.onSettlementSchedule(tx, await updateMerchant(tx, id, { settlementDestination: next }));
      };
    },
    cancel: changes.cancel,
    wake: merchantId => keys.forget(merchantId),
  };
}
