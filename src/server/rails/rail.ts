/**
 * The contract of every payment rail. A rail that cannot do a thing leaves the property out; nothing pretends.
 * A rail has no database of the service and no clock of its own: the moment is passed in.
 */

/** Card data in the shape the card frame sends it; lives in memory for one call, never logged or stored. */
export interface CardDetails {
  readonly number: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly cvc: string;
  readonly name: string | null;
}

/** A single-use stand-in for a card. */
export interface CardToken {
  readonly token: string;
  readonly brand: string;
  readonly last4: string;
}

/** What the acquirer is asked to take. `attemptId` is its idempotency key: the same attempt is charged once, however often asked. */
export interface ChargeRequest {
  readonly attemptId: string;
  readonly merchantId: string;
  /** The merchant's name, for the payer's statement and the rail's own page. */
  readonly payee: string;
  readonly token: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /** Absolute URL to which the rail's own page (3-D Secure) sends the payer back. */
  readonly returnUrl: string;
  readonly now: Date;
}

/**
 * Why a charge did not go through: `code` is one of the catalogue, `message` is for the payer. `invalid_token`: the
 * token is unknown, or another attempt has used it.
 */
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

/** Where a charge stands. `unknown` means: not answered, ask `chargeStatus` again; never treated as any other state. */
export type ChargeOutcome =
  | { readonly state: 'captured'; readonly railReference: string; readonly brand: string; readonly last4: string }
  | { readonly state: 'capturing'; readonly railReference: string; readonly brand: string; readonly last4: string }
  | {
      readonly state: 'requires_action';
      readonly railReference: string;
      readonly url: string;
      readonly brand: string;
      readonly last4: string;
    }
  | { readonly state: 'declined'; readonly railReference: string | null; readonly decline: Decline }
  | { readonly state: 'unknown' };

/** Money that a rail is asked to send. `id` is its idempotency key: the same order is carried out once. */
export interface SendOrder {
  readonly id: string;
  readonly merchantId: string;
  /** The rail's reference of the charge or credit that is given back; null: the money goes to `destination`. */
  readonly original: string | null;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /** The account to pay, in the fields of the rail. Null: back to where `original` came from. */
  readonly destination: Readonly<Record<string, string>> | null;
  readonly now: Date;
}

/** Where an order stands. `pending`: the rail reports later. `unknown`: no answer; the same order goes again. */
export type SendOutcome =
  | { readonly state: 'completed'; readonly railReference: string }
  | { readonly state: 'pending'; readonly railReference: string }
  | { readonly state: 'failed'; readonly code: string; readonly message: string }
  | { readonly state: 'unknown' };

/** A card acquirer: money is pulled. */
export interface CardRail {
  readonly id: string;
  readonly brands: readonly string[];
  /**
   * Turns card data into a single-use token. Throws `incorrect_number`, `invalid_expiry`, `expired_card` or
   * `incorrect_cvc`, with the field (`number`, `expiry`, `cvc`) as param, when it cannot be a card at the moment `now`.
   */
  tokenize(card: CardDetails, now: Date): Promise<CardToken>;
  /** Whether the token could be charged (known, unused, a test token); says nothing about the outcome. */
  isToken(token: string): Promise<boolean>;
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  /** Where the charge of the attempt stands, or `null` when the rail never saw it. */
  chargeStatus(attemptId: string, now: Date): Promise<ChargeOutcome | null>;
  /**
   * Gives up on an attempt that still waits for the payer (3-D Secure); asked again it answers the same. True: the
   * attempt will never take money. False: it is too late, or the rail never saw it.
   */
  cancelCharge(attemptId: string): Promise<boolean>;
  /** Gives back money of the charge `original`. */
  refund(order: SendOrder): Promise<SendOutcome>;
  /** Where the refund stands at the moment, or null when the rail never saw the order. */
  refundStatus(orderId: string, now: Date): Promise<SendOutcome | null>;
}

/** One row of what the payer types into the bank's form. `name` is stable, `label` is English. */
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
  /** The bank's own id of the entry: the same one twice is the same money. */
  readonly railReference: string;
  readonly merchantId: string;
  readonly amount: bigint;
  readonly currency: string;
  /** The remittance text as the payer typed it, or null. */
  readonly reference: string | null;
  readonly sender: string | null;
}

/** A bank account that receives and sends: money is pushed. */
export interface BankRail {
  /** `sepa`, `ach` … */
  readonly id: string;
  /** Whether its money is real. */
  readonly livemode: boolean;
  readonly currency: string;
  /** Bank days until a transfer arrives; 0 is the same day. */
  readonly settlementDays: number;
  /** A new reference, short enough for a bank form and hard to mistype; unique by chance (at least 60 bits). */
  newReference(): string;
  /**
   * What may be references in a remittance text, as `newReference` writes them: case, spacing and look-alike characters
   * are forgiven; one whose check character is wrong is not among them. At most 20, and not all need exist.
   */
  findReferences(text: string): readonly string[];
  instructions(request: {
    readonly merchantId: string;
    readonly payee: string;
    readonly reference: string;
    readonly amount: bigint;
  }): TransferInstructions;
  /** Credits after the cursor, oldest first, and the cursor after them; `null` starts at the beginning. */
  findCredits(
    cursor: string | null,
    limit: number,
  ): Promise<{ readonly credits: readonly BankCredit[]; readonly cursor: string | null }>;
  /** Gives a credit back, or pays an account. */
  send(order: SendOrder): Promise<SendOutcome>;
  /** Where the order stands at the moment, or null when the rail never saw it. */
  sendStatus(orderId: string, now: Date): Promise<SendOutcome | null>;
}

/** Every rail the service was composed with. */
export interface Rails {
  readonly card: CardRail | null;
  readonly banks: readonly BankRail[];
}
