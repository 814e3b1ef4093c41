import type { OutboundFailure } from '../outbound/outbound.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Delivery } from '../stellar/treasury/batch.ts';

/** Which payment is meant. */
export interface SettledPaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** A part of a payment to settle: `value` in minor units of its currency, `amount` in stroops of the settlement asset. */
export interface Portion {
  readonly value: bigint;
  readonly amount: bigint;
}

/** A payment whose settlement is due. */
export interface DueSettlement extends SettledPaymentKey {
  readonly livemode: boolean;
  /** The present moment of its merchant. */
  readonly now: Date;
  /** What the merchant is paid in: `XLM`, `CODE:ISSUER`, or a well-known code. */
  readonly asset: string;
  /** Where to (G… or M…); null: the merchant has not said. */
  readonly address: string | null;
  /** The asset in which the payer paid into the treasury, or null. */
  readonly paidIn: string | null;
  /** What is left to settle; null: nothing. */
  readonly portion: Portion | null;
}

/** A settlement that is to begin. */
export interface PlannedSettlement extends SettledPaymentKey {
  readonly portion: Portion;
  readonly now: Date;
}

/** A settlement that the payment now has under way. */
export interface BegunSettlement extends SettledPaymentKey {
  /** Counts the settlements of the payment from 1. */
  readonly number: number;
  readonly livemode: boolean;
  readonly currency: string;
  /** How much of the merchant's money pays a debt that the same payment left. */
  readonly offset: bigint;
}

/** How a settlement ended: delivered, or why not. */
export interface EndedSettlement extends PlannedSettlement {
  readonly outcome: { readonly txHash: string; readonly ledger: number; readonly delivery: Delivery } | OutboundFailure;
}

/** What a failed settlement gives back: to the merchant's balance, and to a debt of the payment first. */
export interface ReleasedFunds {
  readonly pending: bigint;
  readonly receivable: bigint;
}

/** What settling needs of payments, which alone change their rows and write their events. */
export interface SettlementPayments {
  /** Claims payments whose settlement is due. */
  claimDue(limit: number): Promise<readonly DueSettlement[]>;
  /** Lets the settlement wait until the merchant says where to. */
  awaitAddress(key: SettledPaymentKey): Promise<void>;
  /** Begins settlements of one merchant. A payment that has changed since it was claimed is left out and is due again. */
  begin(tx: Tx, planned: readonly PlannedSettlement[]): Promise<readonly BegunSettlement[]>;
  /** Ends the settlement of a payment of which nothing is left to settle. `offset` pays a debt that the same payment left. */
  conclude(tx: Tx, key: SettledPaymentKey, now: Date): Promise<Omit<BegunSettlement, 'number'>>;
  /** Books how settlements of one merchant ended. Returns what those give back that failed, by payment. */
  end(tx: Tx, ended: readonly EndedSettlement[]): Promise<ReadonlyMap<string, ReleasedFunds>>;
  /** Stores why the settlement waits and when to try again, and reports a new reason to the merchant. */
  postpone(key: SettledPaymentKey, failure: OutboundFailure): Promise<void>;
}
