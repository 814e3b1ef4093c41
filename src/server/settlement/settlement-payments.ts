import type { Tx } from '../platform/db/database.ts';
import type { Delivery } from '../stellar/treasury/outgoing.ts';

/** Why money has not been delivered, in the words of the API. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** Which payment is meant. */
export interface SettledPaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** What of a payment is to be settled: `value` of the payment (minor units of its currency), as `amount` of the settlement asset (stroops). */
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

/** A settlement that the payment has been told of. */
export interface Begun {
  readonly portion: Portion;
  readonly livemode: boolean;
  readonly currency: string;
  /** Of the merchant’s money, what pays a debt that the same payment left. */
  readonly offset: bigint;
}

/** How a settlement ended. */
export interface SettlementEnd {
  readonly portion: Portion;
  readonly txHash: string;
  readonly ledger: number;
  readonly delivery: Delivery;
}

/** What settling needs of payments. The state of a payment, its events and its columns are changed by it alone. */
export interface SettlementPayments {
  /** Takes payments that are due, and leaves them to the caller for a while. */
  claimDue(limit: number): Promise<readonly DueSettlement[]>;
  /** Lets the settlement wait until the merchant says where to. */
  awaitAddress(key: SettledPaymentKey): Promise<void>;
  /** Marks the portion as on its way. Null: the payment has changed since, and nothing was done. */
  begin(tx: Tx, key: SettledPaymentKey, portion: Portion, now: Date): Promise<Begun | null>;
  /** Ends the settlement of a payment of which nothing is left to settle. What is returned pays a debt that the same payment left. */
  conclude(tx: Tx, key: SettledPaymentKey, now: Date): Promise<Pick<Begun, 'offset' | 'livemode' | 'currency'>>;
  /** Books that the portion has reached the merchant. */
  finish(tx: Tx, key: SettledPaymentKey, end: SettlementEnd): Promise<{ readonly now: Date }>;
  /** Books that the portion could not be delivered; what of it pays a debt first is returned. */
  release(
    tx: Tx,
    key: SettledPaymentKey,
    portion: Portion,
    failure: Reason,
  ): Promise<{ readonly now: Date; readonly currency: string; readonly pending: bigint; readonly receivable: bigint }>;
  /** Keeps why the settlement waits, tells the merchant when that is news, and says when to try again. */
  postpone(key: SettledPaymentKey, failure: Reason): Promise<void>;
}
