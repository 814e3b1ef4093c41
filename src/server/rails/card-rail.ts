import type { DisputeOutcome, SubmitEvidence } from '../../api/disputes/dispute.ts';
import type { PaymentCard } from '../../api/payment.ts';
import type { SendOrder, SendOutcome } from '../outbound/sender.ts';

/** The contract of card acquirers. A rail has no clock: `now` is passed in. */

/** Card data from the card frame. It stays in memory for one call, and is never logged or stored. */
export interface CardDetails {
  readonly number: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly cvc: string;
  readonly name: string | null;
}

/** A single-use token for a card. */
export interface CardToken {
  readonly token: string;
  readonly brand: string;
  readonly last4: string;
}

/** A charge for the acquirer. `attemptId` is its idempotency key: repeated requests charge the card once. */
export interface ChargeRequest {
  readonly attemptId: string;
  readonly merchantId: string;
  /** The merchant's name, for the payer's statement and the rail's own page. */
  readonly payee: string;
  readonly token: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /** `automatic`: takes the money. `manual`: reserves it on the card for at least seven days, until `capture`. */
  readonly captureMethod: 'automatic' | 'manual';
  /** Absolute URL to which the rail's own page (3-D Secure) sends the payer back. */
  readonly returnUrl: string;
  readonly now: Date;
}

/** Why a charge failed, with a message for the payer. `invalid_token`: the token is unknown or used. */
export interface Decline {
  readonly code:
    | 'card_declined'
    | 'insufficient_funds'
    | 'expired_card'
    | 'incorrect_cvc'
    | 'processing_error'
    | 'authentication_failed'
    | 'invalid_token';
  readonly message: string;
}

/** A charge that the acquirer knows, and its card. */
interface KnownCharge {
  readonly railReference: string;
  readonly brand: string;
  readonly last4: string;
}

/** A capture of authorized money. The rest of the authorization is released. */
export interface CaptureRequest {
  readonly attemptId: string;
  /** Minor units; at most the authorized amount. */
  readonly amount: bigint;
  readonly now: Date;
}

/**
 * The state of a charge. `authorized`: the money is reserved on the card. `capturing`: it will be taken. `released`: it
 * was authorized and will never be taken. `unknown`: the rail did not answer, so the service must ask again.
 */
export type ChargeOutcome =
  | ({ readonly state: 'authorized'; readonly threeDSecure: PaymentCard['three_d_secure'] } & KnownCharge)
  | ({
      readonly state: 'captured' | 'capturing';
      /** The captured amount, in minor units. */
      readonly amount: bigint;
      readonly threeDSecure: PaymentCard['three_d_secure'];
    } & KnownCharge)
  | ({ readonly state: 'requires_action'; readonly url: string } & KnownCharge)
  | { readonly state: 'declined'; readonly railReference: string | null; readonly decline: Decline }
  | { readonly state: 'released' }
  | { readonly state: 'unknown' };

/** A merchant's answer to a dispute, in the fields of `POST /v1/disputes/:id/evidence`. */
interface DisputeAnswer {
  /** The rail's reference of the dispute. */
  readonly dispute: string;
  readonly evidence: SubmitEvidence;
  readonly now: Date;
}

/** A card acquirer, which takes money from the payer. */
export interface CardRail {
  readonly id: string;
  readonly livemode: boolean;
  /** Whether the acquirer charges cards in the currency (ISO 4217). */
  takes(currency: string): boolean;
  readonly brands: readonly string[];
  /**
   * Turns card data into a single-use token. Throws `incorrect_number`, `invalid_expiry`, `expired_card` or
   * `incorrect_cvc`, with the field (`number`, `expiry`, `cvc`) as param.
   */
  tokenize(card: CardDetails, now: Date): Promise<CardToken>;
  /** Whether the token is known and unused. */
  isToken(token: string): Promise<boolean>;
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  /** The state of the attempt's charge. Null if the rail never received the attempt. */
  chargeStatus(attemptId: string, now: Date): Promise<ChargeOutcome | null>;
  /**
   * Captures an authorized charge once. The first capture counts, and a repeated call returns its outcome. Returns the
   * state of a charge that is not authorized, without a change. Rejects more than the authorized amount.
   */
  capture(request: CaptureRequest): Promise<ChargeOutcome>;
  /**
   * Cancels an attempt that waits for the payer (3-D Secure), or releases its authorization. True: the attempt never
   * takes money. False: the money is already taken, or the rail never received the attempt. A repeated call returns the
   * same.
   */
  cancelCharge(attemptId: string): Promise<boolean>;
  /** Refunds money of the charge `original`. */
  refund(order: SendOrder): Promise<SendOutcome>;
  /** The state of the refund. Null if the rail never received the order. */
  refundStatus(orderId: string, now: Date): Promise<SendOutcome | null>;
  /** Sends evidence. A repeated call changes nothing. Throws `illegal_state` for a decided dispute. */
  submitEvidence(answer: DisputeAnswer): Promise<void>;
  /** Accepts the loss of the dispute. A repeated call changes nothing. */
  acceptDispute(answer: Omit<DisputeAnswer, 'evidence'>): Promise<void>;
  /** The decision of the cardholder's bank; `open` before the decision. */
  disputeOutcome(dispute: string, now: Date): Promise<DisputeOutcome | 'open'>;
}
