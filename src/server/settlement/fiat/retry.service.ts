import { PayError } from '../../../core/error.ts';
import { unitText } from '../../../core/unit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { changeRow } from '../../platform/events/change.ts';
import { type Caller, scopeOf } from '../../platform/http/access/caller.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { type FiatDeps, routeTo } from './fiat-deps.ts';
import { findSettlement, lockSettlements } from './settlement.store.ts';
import { amountOf, payableOf, settlementResource } from './settlement.ts';
import type { SettlementRow } from './tables.ts';

/** The settlement of the caller. Throws `resource_missing`. */
export async function readSettlement(deps: Pick<FiatDeps, 'db'>, caller: Caller, id: string): Promise<SettlementRow> {
  const row = await findSettlement(deps.db, scopeOf(caller), id);
  if (row !== null) return row;
  throw new PayError('resource_missing', `No settlement ${id.slice(0, 64)} exists.`, { param: 'id' });
}

/**
 * Prepares to pay a failed or returned settlement again, from the balance to the account's current destination. The
 * returned function writes it. Throws `illegal_state`, `no_route`, `rate_unavailable` and `insufficient_funds`.
 */
export async function prepareRetry(
  deps: FiatDeps,
  caller: Caller,
  id: string,
): Promise<(tx: Tx) => Promise<SettlementRow>> {
  const before = await readSettlement(deps, caller, id);
  assertEnded(before);
  const merchant = await deps.findMerchant(caller.merchant.id);
  const { destination, rail } = wayOf(deps, merchant, before);
  const { currency } = before;
  const order = { owner: { type: 'settlement' as const, id }, amount: amountOf(before), currency, destination, rail };
  const payAgain = await deps.ownedPayouts.prepareAgain({ ...caller, merchant }, order);
  return async tx => {
    const [row] = await lockSettlements(tx, merchant.id, [id]);
    if (row === undefined) throw new Error(`settlement ${id} does not exist`);
    assertEnded(row);
    const set = {
      payout_id: await payAgain(tx),
      destination,
      failure_code: null,
      failure_message: null,
      due_at: null,
      marked_after: null,
      closed_at: caller.now,
      paid_at: null,
    };
    return await changeRow(tx, settlementResource, null, row, { to: 'paying', set, now: caller.now });
  };
}

/** The rail that pays the whole settlement to the current destination by one transfer. Throws `no_route`. */
function wayOf(deps: FiatDeps, merchant: Merchant, row: SettlementRow) {
  const { settlementDestination: destination } = merchant;
  const { currency } = row;
  const route = routeTo(deps, merchant, currency);
  if (route === null || destination === null) {
    const message = `No connected rail pays ${currency} to the account’s settlement.destination. Change it first.`;
    throw new PayError('no_route', message);
  }
  const amount = amountOf(row);
  if (payableOf(amount, route) === amount) return { destination, rail: route.rail };
  const sum = `${unitText(amount, currency)} ${currency}`;
  throw new PayError('no_route', `${route.rail} does not pay ${sum} by one transfer. Pay the balance out in parts.`);
}

function assertEnded({ status, due_at: dueAt }: SettlementRow): void {
  if (status !== 'failed' && status !== 'returned') {
    throw new PayError(
      'illegal_state',
      `The settlement is ${status}. Only a failed or returned one can be sent again.`,
    );
  }
  if (dueAt === null) return;
  const message = 'The payments of the settlement are still being updated. Try again shortly.';
  throw new PayError('illegal_state', message);
}
