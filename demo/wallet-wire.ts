/**
 * Messages between the demo wallet and its server under `/demo/api/wallet/`. Assets are `XLM` or `CODE:ISSUER`. Amounts
 * are decimal text with up to 7 decimals.
 */

export interface Holding {
  readonly asset: string;
  readonly balance: string;
  /** The balance without the reserve and the amounts of open offers. */
  readonly spendable: string;
  /** Null for an asset that the wallet does not know. */
  readonly name: string | null;
}

/** A gift of the faucet. */
export interface Gift {
  readonly asset: string;
  readonly name: string;
  readonly amount: string;
}

/** A claimable balance of the account (CAP-23). */
export interface SetAside {
  readonly id: string;
  readonly asset: string;
  readonly amount: string;
}

/** An account on the ledger. */
export interface WalletAccount {
  readonly address: string;
  /** False until the account receives its first XLM. */
  readonly exists: boolean;
  /** XLM first, then by code. */
  readonly holdings: readonly Holding[];
  /** XLM that must stay in the account. */
  readonly reserve: string;
  readonly gifts: readonly Gift[];
  readonly setAside: readonly SetAside[];
}

/** A payment in the account's history. */
export interface Movement {
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly asset: string;
  readonly amount: string;
  /** The amount sent, when it was in another asset. */
  readonly spent: { readonly asset: string; readonly amount: string } | null;
  /** The other account, with its muxed address when one was used. */
  readonly with: string;
  readonly memo: string | null;
  readonly hash: string;
}

/** Answer to `GET …/accounts/:address/history`: newest first. */
export interface History {
  readonly movements: readonly Movement[];
}

/** A memo of SEP-7. Values of `hash` and `return` are hex. */
export interface LinkMemo {
  readonly type: 'text' | 'id' | 'hash' | 'return';
  readonly value: string;
}

/** A payment to deliver. */
export interface PaymentWish {
  /** G… or M… */
  readonly to: string;
  readonly asset: string;
  readonly amount: string;
  readonly memo: LinkMemo | null;
}

/** A way to pay. */
export interface PayWay {
  /** The asset that leaves the account. */
  readonly asset: string;
  /** Expected amount. */
  readonly amount: string;
  /** Largest amount. Equals `amount` when no exchange is needed. */
  readonly atMost: string;
  /** Assets between the sent and the delivered one. */
  readonly path: readonly string[];
  readonly spendable: string;
}

/** Answer to `POST …/ways`: the requested asset first, then by code. Empty when no holding can pay. */
export interface PayWays {
  readonly ways: readonly PayWay[];
}

/** Body of `POST …/drafts`. */
export type DraftWish =
  | { readonly kind: 'payment'; readonly from: string; readonly wish: PaymentWish; readonly way: PayWay }
  | { readonly kind: 'add_asset'; readonly from: string; readonly asset: string }
  | { readonly kind: 'test_money'; readonly from: string; readonly asset: string }
  | { readonly kind: 'claim'; readonly from: string; readonly claim: SetAside }
  | { readonly kind: 'envelope'; readonly from: string; readonly link: EnvelopeLink };

/** A transaction from a SEP-7 link. */
export interface EnvelopeLink {
  /** Base64. */
  readonly xdr: string;
  readonly networkPassphrase: string | null;
  /** Fields that the wallet fills in (SEP-11 names). */
  readonly replace: readonly string[];
}

/** A transaction to sign. */
export interface Draft {
  /** Hex of the 32 bytes to sign. */
  readonly hash: string;
  /** Base64. */
  readonly envelopeXdr: string;
  /** A sentence for each operation. */
  readonly steps: readonly string[];
  readonly memo: string | null;
  /** Largest fee in XLM. */
  readonly fee: string;
  /** RFC 3339. Null when the transaction does not expire. */
  readonly expiresAt: string | null;
}

/** Body of `POST …/submissions`. */
export interface Submission {
  readonly from: string;
  readonly envelopeXdr: string;
  /** Base64 of the 64 bytes. */
  readonly signature: string;
}

/** State of a transaction. `waiting`: not in a ledger yet. `retry`: submit the same envelope again. */
export type Progress =
  | { readonly state: 'waiting' | 'retry'; readonly hash: string }
  | { readonly state: 'applied'; readonly hash: string; readonly ledger: number }
  | { readonly state: 'failed'; readonly hash: string; readonly problem: WalletProblem };

/** An error: `message` for the user, `code` for the page. */
export interface WalletProblem {
  readonly code: ProblemCode;
  readonly message: string;
}

export type ProblemCode =
  | 'no_network'
  | 'account_missing'
  | 'underfunded'
  | 'asset_missing'
  | 'receiver_missing'
  | 'receiver_asset_missing'
  | 'memo_required'
  | 'no_path'
  | 'price_moved'
  | 'expired'
  | 'out_of_turn'
  | 'wrong_network'
  | 'unreadable'
  | 'refused';

/** The shop's settlement account. */
export interface ShopTakings {
  readonly name: string;
  /** Null until the shop has one. */
  readonly account: WalletAccount | null;
  readonly movements: readonly Movement[];
}
