import type { WalletScheme } from '../../api/card-frame.ts';
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

/** The payment that a wallet or a form is asked to pay. */
interface WalletPayment {
  readonly merchantId: string;
  readonly payee: string;
  readonly currency: string;
}

/** A wallet that the acquirer takes, for the browser's Payment Request. */
export interface WalletOffer {
  readonly scheme: WalletScheme;
  /** The payment method's identifier, such as `https://google.com/pay`. */
  readonly method: string;
  /** The merchant's data for the payment method, such as networks, the gateway and the merchant's id at the wallet. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Addresses besides `method` that the browser reads to find the wallet. The card frame may then call them. */
  readonly manifests: readonly string[];
}

/** What a wallet hands over after the payer has agreed. Only the acquirer can read it. */
export interface WalletToken {
  readonly scheme: WalletScheme;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Wallets as a source of tokens, beside typed cards. */
interface CardWallets {
  /** The wallets that can pay the payment. */
  offers(payment: WalletPayment): readonly WalletOffer[];
  /**
   * Apple Pay's session of the merchant for a page of `host`. `url` comes from the browser: refuse hosts that are not
   * the wallet's. Throws `invalid_token` then.
   */
  openSession(request: WalletPayment & { readonly url: string; readonly host: string }): Promise<unknown>;
  /** Turns the wallet's payload into a single-use token. Throws `invalid_token` for an unreadable payload. */
  tokenize(wallet: WalletToken, now: Date): Promise<CardToken>;
}

/** The acquirer's own card fields: a page that the card frame shows inside. Its messages are in `api/card-frame.ts`. */
export interface CardForm {
  readonly url: string;
  /** When the page can no longer make a token. The frame then opens a new one. */
  readonly expiresAt: Date;
}

/** A charge for the acquirer. `attemptId` is its idempotency key: repeated requests charge the card once. */
export interface ChargeRequest {
  readonly attemptId: string;
  readonly merchantId: string;
  /** The payment, for the acquirer's reports and events. */
  readonly paymentId: string;
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

/** A cardholder's dispute, as the rail knows it. */
export interface CardDispute {
  /** The rail's reference of the disputed charge. */
  readonly charge: string;
  /** Minor units of the charge's currency. */
  readonly amount: bigint;
  readonly reason: string;
  /** The end of the time in which the merchant may answer. */
  readonly evidenceDueAt: Date;
  /** The decision of the cardholder's bank; `open` before the decision. */
  readonly outcome: DisputeOutcome | 'open';
}

/**
 * News about one object of the acquirer. Only a hint: the service asks the rail for the object's state. Events may be
 * repeated, late, and in any order.
 */
export interface CardEvent {
  /** The acquirer's own id of the event. */
  readonly id: string;
  readonly merchantId: string;
  readonly about: 'charge' | 'refund' | 'dispute';
  /** The attempt's id, the id of the refund's order, or the rail's reference of the dispute. */
  readonly reference: string;
  /** The payment of a charge. Null for other events. */
  readonly paymentId: string | null;
}

/** A list of events. The service reads it from a cursor, oldest first. A null cursor starts at the beginning. */
export interface CardEventFeed {
  findEvents(
    cursor: string | null,
    limit: number,
  ): Promise<{ readonly events: readonly CardEvent[]; readonly cursor: string | null }>;
}

/** Events that the acquirer sends to `/rails/<id>/events`. */
export interface CardWebhook {
  /** The events of a request. Null unless the acquirer has signed it. */
  verify(headers: Readonly<Record<string, unknown>>, body: Buffer): readonly CardEvent[] | null;
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
  /**
   * Opens the acquirer's own card fields, in place of the frame's. `parent` is the origin that frames them. Without it,
   * the frame's fields and `tokenize` are used.
   */
  openForm?(request: WalletPayment & { readonly parent: string; readonly now: Date }): Promise<CardForm>;
  /** Wallets that the acquirer takes. Without it, the acquirer takes typed cards only. */
  readonly wallets?: CardWallets;
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
  /** The dispute with the rail's reference, or null. */
  findDispute(dispute: string, now: Date): Promise<CardDispute | null>;
  /** How the acquirer reports changes. Without events, the service asks about open attempts and disputes from time to time. */
  readonly events?: CardEventFeed | CardWebhook;
}
