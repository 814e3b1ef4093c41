import type { DisputeOutcome, SubmitEvidence } from '../../api/disputes/dispute.ts';
import type { PaymentCard } from '../../api/payment.ts';

/** The contract of every payment rail. A rail has no clock: `now` is passed in. */

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

/** Money that a rail shall send. `id` is its idempotency key: the rail executes repeated orders once. */
export interface SendOrder {
  readonly id: string;
  readonly merchantId: string;
  /** The rail's reference of the charge or credit to refund. Null: the money goes to `destination`. */
  readonly original: string | null;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /** The account to pay, in the fields of the rail. Null: the sender of `original`. */
  readonly destination: Readonly<Record<string, string>> | null;
  /** For the recipient's statement, if the rail supports it: at most 140 characters. */
  readonly text?: string | null;
  readonly now: Date;
}

/** The state of an order. `pending`: the rail decides later. `unknown`: no answer, so the order must be repeated. */
export type SendOutcome =
  | { readonly state: 'completed' | 'pending'; readonly railReference: string }
  | { readonly state: 'failed'; readonly code: string; readonly message: string }
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

/** One field of the bank's transfer form. `name` is stable, `label` is English. */
export interface InstructionRow {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly copyable: boolean;
}

/** How to transfer to the merchant's account at the rail. */
export interface TransferInstructions {
  readonly rows: readonly InstructionRow[];
  readonly qr: { readonly format: string; readonly payload: string } | null;
}

/** Money that arrived at the bank. */
export interface BankCredit {
  /** The bank's own id of the entry. Two credits with one id are the same money. */
  readonly railReference: string;
  readonly merchantId: string;
  readonly amount: bigint;
  readonly currency: string;
  /** The remittance text as the payer typed it, or null. */
  readonly reference: string | null;
  readonly sender: string | null;
}

/** A bank account to which payers send money, and from which the service sends money. */
export interface BankRail {
  /** `sepa`, `ach` … */
  readonly id: string;
  readonly livemode: boolean;
  readonly currency: string;
  /** Bank days until a transfer arrives; 0 means the same day. */
  readonly settlementDays: number;
  /** A new reference: short enough for a bank form, hard to mistype, and random (at least 60 bits), so unique. */
  newReference(): string;
  /**
   * Possible references in a remittance text, in the form of `newReference`; at most 20. Corrects case, spacing and
   * look-alike characters. Omits references with a wrong check character.
   */
  findReferences(text: string): readonly string[];
  instructions(request: {
    readonly merchantId: string;
    readonly payee: string;
    readonly reference: string;
    /** Null: the sender chooses the amount. */
    readonly amount: bigint | null;
  }): TransferInstructions;
  /** Credits after the cursor, oldest first, and the cursor after them. A null cursor starts at the beginning. */
  findCredits(
    cursor: string | null,
    limit: number,
  ): Promise<{ readonly credits: readonly BankCredit[]; readonly cursor: string | null }>;
  /** Refunds a credit, or pays an account. */
  send(order: SendOrder): Promise<SendOutcome>;
  /** The state of the order. Null if the rail never received the order. */
  sendStatus(orderId: string, now: Date): Promise<SendOutcome | null>;
}

/** The kind of account that a payout rail pays. */
export type PayoutRailType = 'bank_account' | 'mobile_money';

/** Returned money of an order that the rail had paid out. */
export interface PayoutReturn {
  readonly merchantId: string;
  /** The order that was paid out. */
  readonly orderId: string;
  /** Minor units of the order's currency. May be less than the order's amount. */
  readonly amount: bigint;
  readonly code: string;
  readonly message: string;
}

/** A rail that pays accounts from the service's own account: banks and mobile money. It executes each order once. */
export interface PayoutRail {
  /** `sepa`, `ach`, `swift`, `mtn`, `mpesa` … */
  readonly id: string;
  readonly livemode: boolean;
  readonly type: PayoutRailType;
  /**
   * The currency in which the rail pays the destination when `currency` is asked for. Null if the rail cannot pay the
   * destination, whose fields are those of `SendOrder.destination`. The service exchanges into the returned currency
   * before it sends the order.
   */
  currencyFor(destination: Readonly<Record<string, string>>, currency: string): string | null;
  /** Every amount that the rail pays is a multiple of this. Default: one minor unit. */
  readonly step?: bigint;
  /** When the money of an order sent at `now` arrives. Depends on bank days, holidays and cut-off times. */
  etaOf(now: Date): Date;
  /**
   * Takes orders, whose `original` is null. Returns their outcomes in the same sequence. Executes a repeated order
   * once. The reference of `pending` is the order's id, a bank file's id or the provider's own reference.
   */
  sendAll(orders: readonly SendOrder[]): Promise<readonly SendOutcome[]>;
  /** The states of the orders, in the sequence of `orderIds`. Null for an order that the rail never received. */
  statusAll(orderIds: readonly string[], now: Date): Promise<readonly (SendOutcome | null)[]>;
  /** Returned money after the cursor, oldest first, and the cursor after it. A null cursor starts at the beginning. */
  findReturns(
    cursor: string | null,
    limit: number,
  ): Promise<{ readonly returns: readonly PayoutReturn[]; readonly cursor: string | null }>;
}

/** Maximum number of rows in one answer of a feed (credits or returns). */
const mostOfFeed = 1000;

/** The rows of a feed to read: at most `limit` rows after `position`. */
export interface FeedPage {
  readonly position: bigint;
  readonly limit: number;
}

/** The page after a cursor, for rails whose cursors are positions. Throws RangeError for another text. */
export function feedPage(cursor: string | null, limit: number): FeedPage {
  if (cursor !== null && !/^[0-9]{1,18}$/.test(cursor)) throw new RangeError(`not a cursor of a feed: ${cursor}`);
  return { position: BigInt(cursor ?? 0), limit: Math.min(limit, mostOfFeed) };
}

/** All rails of the service. */
export interface Rails {
  readonly card: CardRail | null;
  readonly banks: readonly BankRail[];
  readonly payouts: readonly PayoutRail[];
}
