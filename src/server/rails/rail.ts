import type { TransferInstructions } from '../../core/bank/rails.ts';
import type { Sender, SendOrder, SendOutcome } from '../outbound/sender.ts';

/** The contract of bank and payout rails. A rail has no clock: `now` is passed in. */

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

/**
 * A rail that pays accounts from the service's own account: banks and mobile money. The `original` of its orders is
 * null. The reference of a `pending` order is its id, a bank file's id or the provider's own reference.
 */
export interface PayoutRail extends Sender {
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
  /** The least amount of one order in the currency, in minor units. Default: one step. */
  readonly leastOf?: (currency: string) => bigint;
  /** The largest amount of one order in the currency, in minor units. Null, or no function: no limit. */
  readonly mostOf?: (currency: string) => bigint | null;
  /** Whether the rail pays on the day (`YYYY-MM-DD`). Default: every day. */
  readonly paysOn?: (day: string) => boolean;
  /** When the money of an order sent at `now` arrives. Depends on bank days, holidays and cut-off times. */
  etaOf(now: Date): Date;
  /**
   * The table of the returns, by `rail` and `position`, for a rail that stores them in the database. Its returns are
   * noticed within a second. Other rails are asked every minute.
   */
  readonly returnsTable?: string;
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
