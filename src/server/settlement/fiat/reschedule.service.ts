import type { Tx } from '../../platform/db/database.ts';
import { changeRow } from '../../platform/events/change.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import { closeOf } from './begin.service.ts';
import type { FiatDeps } from './fiat-deps.ts';
import { keepsAll } from './keep.service.ts';
import { lockAllOpen } from './settlement.store.ts';
import { settlementResource } from './settlement.ts';
import type { SettlementRow } from './tables.ts';

type Deps = Pick<FiatDeps, 'clock' | 'ownedPayouts'>;

/** Moves a merchant's open settlements, in the transaction that changes whether, when or where the account is paid. */
export type Reschedule = (tx: Tx, merchant: Merchant) => Promise<void>;

/**
 * Creates the function that moves open settlements to the account's current batch, hour and time zone. Those of an
 * account that keeps its money are due at once: the sweep that closes settlements keeps them.
 */
export function createReschedule(deps: Deps): Reschedule {
  return async (tx, merchant) => {
    for (const row of await lockAllOpen(tx, merchant.id)) {
      const now = merchantNow(merchant, row.livemode, deps.clock.now());
      // A due settlement closes within moments, by the new terms.
      if (row.due_at !== null && row.due_at <= now) continue;
      const next = nextTry(deps, merchant, row, now);
      const set = { batch: merchant.settlementBatch, scheduled_at: next, due_at: next };
      await changeRow(tx, settlementResource, null, row, { set, now });
    }
  };
}

function nextTry(deps: Deps, merchant: Merchant, { currency, failure_code: code }: SettlementRow, now: Date): Date {
  // The hour of a settlement that nothing could pay has passed.
  if (keepsAll(merchant) || merchant.settlementBatch === 'payment' || code === 'no_route') return now;
  return closeOf(deps, merchant, currency, now);
}
