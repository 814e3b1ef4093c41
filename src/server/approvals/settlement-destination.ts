import { isDeepStrictEqual } from 'node:util';
import type { SettlementDestination } from '../../api/payout.ts';
import { parseCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { idBody, idOf } from '../../core/id.ts';
import type { KeyDirectory } from '../merchants/key-directory.ts';
import { findMerchant, updateMerchant } from '../merchants/merchant.store.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { approve, askPerson, cancelApprovals, isSamePerson } from './approval.service.ts';
import { findWaiting, lockLimit } from './approval.store.ts';
import type { ApprovalPurpose } from './approval.ts';
import type { ApprovalRow } from './tables.ts';

type Destination = SettlementDestination | null;

/** The object of approvals of an account's settlement destination. The id of the account names its limit. */
const objectOf = (merchantId: string) => idOf('settlementDestination', idBody(merchantId));

/** Changes of the account that receives settlements. One person sets the first one. Two people change or remove it. */
export const settlementDestination = {
  /** The change that waits for a second person, or null. */
  read: async (db: Executor, merchantId: string) => {
    const row = await findWaiting(db, merchantId, objectOf(merchantId));
    return row === null ? null : pendingToWire(row);
  },
  /**
   * Returns whether the new destination applies now: none was set, or another person has asked for the same one.
   * Otherwise the change waits. The current destination as new one withdraws a waiting change.
   */
  change: async (tx: Tx, caller: Caller, next: Destination): Promise<boolean> => {
    const { merchant, livemode } = caller;
    const objectId = objectOf(merchant.id);
    await lockLimit(tx, { merchantId: merchant.id, livemode });
    const current = (await findMerchant(tx, merchant.id))?.settlementDestination ?? null;
    if (current === null) return next !== null;
    const waiting = await findWaiting(tx, merchant.id, objectId, 'lock');
    if (isDeepStrictEqual(next, current)) {
      if (waiting !== null) await cancelApprovals(tx, caller, [objectId]);
      return false;
    }
    if (waiting !== null && isDeepStrictEqual(destinationIn(waiting), next)) {
      if (await isSamePerson(tx, merchant.id, waiting.requested_by, caller.keyId)) return false;
      await approve(tx, caller, objectId);
      return true;
    }
    const out = { kind: 'settlement_destination', objectId, summary: summaryOf(next), worth: null } as const;
    await askPerson(tx, caller, { ...out, details: { settlement_destination: next } });
    return false;
  },
};

function summaryOf(next: Destination): string {
  if (next === null) return 'Remove the account that receives settlements';
  const name = next.type === 'mobile_money' ? `${next.provider} ${next.number}` : (next.iban ?? next.account ?? '');
  return `Send settlements to ${name}`;
}

/** The new destination of a change. */
function destinationIn({ details }: ApprovalRow): Destination {
  if (details !== null && 'settlement_destination' in details) return details.settlement_destination;
  throw new Error('a change of the settlement destination has no destination');
}

function pendingToWire(row: ApprovalRow) {
  const { id, requested_by, livemode, created_at } = row;
  return { id, destination: destinationIn(row), requested_by, livemode, created_at: created_at.toISOString() };
}

interface DestinationDeps {
  readonly db: Db;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  readonly settlementPayouts: { routeOf(destination: SettlementDestination, currency: string): object | null };
}

/**
 * Applies a change of the destination once a second person has approved it. Throws `illegal_state` if the account has
 * meanwhile changed to a currency that the new destination cannot receive.
 */
export function destinationApprovals({ db, keys, settlementPayouts }: DestinationDeps): ApprovalPurpose {
  return {
    kind: 'settlement_destination',
    prepare: async ({ merchant: { id, settlementAsset } }) => {
      const currency = parseCurrency((await findMerchant(db, id))?.settlementAsset ?? settlementAsset);
      return async (tx, caller) => {
        await lockLimit(tx, { merchantId: id, livemode: caller.livemode });
        const next = destinationIn(await approve(tx, caller, objectOf(id)));
        if (currency !== null && (next === null || settlementPayouts.routeOf(next, currency) === null)) {
          const message = `The account settles in ${currency}, which the new destination cannot receive. Cancel the change.`;
          throw new PayError('illegal_state', message);
        }
        await updateMerchant(tx, id, { settlementDestination: next });
      };
    },
    cancel: async () => undefined,
    wake: merchantId => keys.forget(merchantId),
  };
}
