/**
 * What the pocket wallet and its server say to each other under `/demo/api/wallet/`. Assets are `XLM` or `CODE:ISSUER`;
 * amounts are decimal text with up to 7 decimals.
 */

/** Something the account holds. */
export interface Holding {
  readonly asset: string;
  readonly balance: string;
  /** What may leave: without what the network holds back and what open offers promise. */
  readonly spendable: string;
  /** The words for it; null: an asset that the wallet does not know, whatever it calls itself. */
  readonly name: string | null;
}

/** A test asset of the network, and what the faucet gives of it at a time. */
export interface Gift {
  readonly asset: string;
  readonly name: string;
  readonly amount: string;
}

/** Money that somebody has set aside for the account: it has only to take it (CAP-23). */
export interface SetAside {
  readonly id: string;
  readonly asset: string;
  readonly amount: string;
}

/** An account as the ledger knows it. */
export interface WalletAccount {
  readonly address: string;
  /** False: nobody has sent it anything yet, and the ledger does not know it. */
  readonly exists: boolean;
  /** XLM first, then by code. */
  readonly holdings: readonly Holding[];
  /** XLM that the network holds back as long as the account is there. */
  readonly reserve: string;
  readonly gifts: readonly Gift[];
  readonly setAside: readonly SetAside[];
}

/** One movement of money in the account's history. */
export interface Movement {
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly asset: string;
  readonly amount: string;
  /** What left for it, where that was another asset. */
  readonly spent: { readonly asset: string; readonly amount: string } | null;
  /** The other account; the muxed address where one was paid. */
  readonly with: string;
  readonly memo: string | null;
  readonly hash: string;
}

/** Answer to `GET …/accounts/:address/history`: newest first. */
export interface History {
  readonly movements: readonly Movement[];
}

/** A memo to send along, in the words of SEP-7; `hash` and `return` as hex. */
export interface LinkMemo {
  readonly type: 'text' | 'id' | 'hash' | 'return';
  readonly value: string;
}

/** What is to arrive, where, and with which memo. */
export interface PaymentWish {
  /** G… or M… */
  readonly to: string;
  readonly asset: string;
  readonly amount: string;
  readonly memo: LinkMemo | null;
}

/** One way to make it arrive. */
export interface PayWay {
  /** What leaves the account. */
  readonly asset: string;
  /** About how much of it. */
  readonly amount: string;
  /** At most, should the price move. Equal to `amount` where the asset itself is sent. */
  readonly atMost: string;
  /** Assets in between. */
  readonly path: readonly string[];
  readonly spendable: string;
}

/** Answer to `POST …/ways`: the asset itself first, then the rest by code. Empty: nothing held leads there. */
export interface PayWays {
  readonly ways: readonly PayWay[];
}

/** Body of `POST …/drafts`: what a transaction is wanted for. */
export type DraftWish =
  | { readonly kind: 'payment'; readonly from: string; readonly wish: PaymentWish; readonly way: PayWay }
  | { readonly kind: 'add_asset'; readonly from: string; readonly asset: string }
  | { readonly kind: 'test_money'; readonly from: string; readonly asset: string }
  | { readonly kind: 'claim'; readonly from: string; readonly claim: SetAside }
  | { readonly kind: 'envelope'; readonly from: string; readonly link: EnvelopeLink };

/** A transaction that a SEP-7 link brings along. */
export interface EnvelopeLink {
  /** Base64. */
  readonly xdr: string;
  readonly networkPassphrase: string | null;
  /** Fields for the wallet to fill in (SEP-11 names). */
  readonly replace: readonly string[];
}

/** A transaction ready to be signed. */
export interface Draft {
  /** Hex of the 32 bytes that are signed. */
  readonly hash: string;
  /** Base64. */
  readonly envelopeXdr: string;
  /** What each operation does, in plain words. */
  readonly steps: readonly string[];
  readonly memo: string | null;
  /** At most, in XLM. */
  readonly fee: string;
  /** RFC 3339; null: it never ends. */
  readonly expiresAt: string | null;
}

/** Body of `POST …/submissions`. */
export interface Submission {
  readonly from: string;
  readonly envelopeXdr: string;
  /** Base64 of the 64 bytes. */
  readonly signature: string;
}

/** Where a transaction stands. `waiting`: not in a ledger yet; `retry`: hand in the same again. */
export type Progress =
  | { readonly state: 'waiting' | 'retry'; readonly hash: string }
  | { readonly state: 'applied'; readonly hash: string; readonly ledger: number }
  | { readonly state: 'failed'; readonly hash: string; readonly problem: WalletProblem };

/** What went wrong, for a person; `code` for the page. */
export interface WalletProblem {
  readonly code: ProblemCode;
  readonly message: string;
}

/** What can go wrong. */
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

/** The shop's account on the ledger, into which its takings are settled. */
export interface ShopTakings {
  readonly name: string;
  /** Null: the shop has none yet. */
  readonly account: WalletAccount | null;
  readonly movements: readonly Movement[];
}
