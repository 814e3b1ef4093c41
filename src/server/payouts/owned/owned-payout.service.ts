import { newId } from '../../../core/id.ts';
import { takeWayOut } from '../../approvals/approval.service.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { type Caller, merchantCaller } from '../../platform/http/access/caller.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { Rails } from '../../rails/rails.ts';
import type { Rates } from '../../rates/rates.ts';
import { planBatch, questionOf, wayOutOf } from '../intake/batch-plan.service.ts';
import { type CheckedRows, emptyPayout, totalsOf } from '../intake/bulk.service.ts';
import { insertBatch, insertReserved } from '../intake/bulk.store.ts';
import { findPayoutsOf } from '../payout.store.ts';
import type { PayoutContext } from '../payout.view.ts';
import { ownerColumns, ownerOf, type PayoutOwnerId } from '../payout-owner.ts';
import { payoutSweep } from '../sending/payout-queue.service.ts';
import type { PayoutRow } from '../tables.ts';
import { createDirectRoutes } from './direct-route.ts';

/** A payout of an owner. `amount` is in minor units of `currency`, which the rail pays without conversion. */
export interface OwnedOrder {
  readonly owner: PayoutOwnerId;
  readonly amount: bigint;
  readonly currency: string;
  readonly destination: PayoutRow['destination'];
  readonly rail: string;
}

/** The merchant and mode of new payouts. `now` is on the merchant's clock. */
type Payer = Pick<Caller, 'livemode' | 'now'> & { readonly merchant: Merchant };

interface OwnedPayoutDeps extends PayoutContext {
  readonly rates: Rates;
  readonly rails: Pick<Rails, 'payouts'>;
  readonly wake: (sweep: string) => void;
}

/** Payouts for other modules: of settlements and ramps. */
export type OwnedPayouts = ReturnType<typeof createOwnedPayouts>;

/** Creates payouts with owners. Each is a batch of its own, and is sent like any other payout. */
export function createOwnedPayouts(deps: OwnedPayoutDeps) {
  return {
    ...createDirectRoutes(deps),
    /** Inserts payouts of one merchant whose money is reserved. Returns their ids by owner. */
    create: async (tx: Tx, payer: Payer, orders: readonly OwnedOrder[]): Promise<ReadonlyMap<string, string>> => {
      const plans = orders.map(order => {
        const checked = checkedOf(payer, order);
        return planBatch(merchantCaller(payer), checked, {}, new Map(), { id: newId('payoutBatch'), waits: false });
      });
      const rows = plans.flatMap(({ payouts }) => payouts);
      await insertReserved(
        tx,
        deps,
        plans.map(({ batch }) => batch),
        rows,
      );
      return new Map(rows.map(row => [ownerOf(row)?.id ?? '', row.id]));
    },
    /**
     * Prepares a payout from the available balance, which a person asked for. Above the account's limit it waits for a
     * second person. The returned function throws `insufficient_funds`, and returns the payout's id.
     */
    prepareAgain: async (caller: Caller, order: OwnedOrder) => {
      const checked = checkedOf(caller, order);
      const question = await questionOf(deps, caller.merchant, {}, totalsOf(checked.rows));
      return async (tx: Tx): Promise<string> => {
        const id = newId('payoutBatch');
        const waits = await takeWayOut(tx, caller, wayOutOf(id, question, checked));
        const { batch, payouts } = planBatch(caller, checked, {}, new Map(), { id, waits });
        await insertBatch(tx, deps, batch, payouts);
        return payouts[0]?.id ?? '';
      };
    },
    /** All payouts of these settlements of a merchant, by settlement, newest first. One query. */
    find: async (db: Executor, merchantId: string, settlementIds: readonly string[]) =>
      Map.groupBy(await findPayoutsOf(db, merchantId, settlementIds), ({ settlement_id: id }) => id ?? ''),
    /** Starts the sending of new payouts, after the commit. */
    wake: () => deps.wake(payoutSweep),
  };
}

/** What the payout's description calls its owner. */
const nouns = { settlement: 'Settlement', ramp: 'Ramp' } as const;

function checkedOf({ merchant, livemode, now }: Payer, order: OwnedOrder): CheckedRows {
  const { owner, amount, currency, destination, rail } = order;
  const row: PayoutRow = {
    ...emptyPayout,
    merchant_id: merchant.id,
    id: newId('payout'),
    livemode,
    position: 0,
    ...ownerColumns(owner),
    status: 'queued',
    recipient_id: null,
    destination,
    rail,
    unit: currency,
    amount,
    currency,
    source_amount: amount,
    source_currency: currency,
    least_amount: amount,
    reference: null,
    description: `${nouns[owner.type]} ${owner.id}`,
    metadata: {},
    hold_code: null,
    hold_message: null,
    created_at: now,
  };
  return { rows: [row], errors: [], total: 1 };
}
