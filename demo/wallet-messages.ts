import { type Static, Type } from 'typebox';

/**
 * Messages between the demo wallet and its server under `/demo/api/wallet/`. Assets are `XLM` or `CODE:ISSUER`. Amounts
 * are decimal text with up to 7 decimals.
 */
const Text = Type.String({ maxLength: 120 });
const AmountText = Type.String({ pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,7})?$' });
const AssetText = Type.String({ pattern: '^(XLM|[A-Za-z0-9]{1,12}:G[A-Z2-7]{55})$' });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** A memo of SEP-7. Values of `hash` and `return` are hex. */
const LinkMemo = Type.Union([
  Type.Object({ type: Type.Union([Type.Literal('text'), Type.Literal('id')]), value: Text }),
  Type.Object({ type: Type.Union([Type.Literal('hash'), Type.Literal('return')]), value: Hash }),
]);
export type LinkMemo = Static<typeof LinkMemo>;

/** A payment to deliver to `to` (G… or M…). */
const PaymentWish = Type.Object({
  to: Text,
  asset: AssetText,
  amount: AmountText,
  memo: Type.Union([Type.Null(), LinkMemo]),
});
export type PaymentWish = Static<typeof PaymentWish>;

/**
 * A way to pay with `asset`. `amount` is the expected amount, and `atMost` the largest; without an exchange they are
 * equal. `path` has the assets between the sent and the delivered asset.
 */
const PayWay = Type.Object({
  asset: AssetText,
  amount: AmountText,
  atMost: AmountText,
  path: Type.Array(AssetText, { maxItems: 5 }),
  spendable: AmountText,
});
export type PayWay = Static<typeof PayWay>;

/** A claimable balance of the account (CAP-23). */
const ClaimableBalance = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f]{72}$' }),
  asset: AssetText,
  amount: AmountText,
});
export type ClaimableBalance = Static<typeof ClaimableBalance>;

/** A transaction from a SEP-7 link, in base64. The wallet fills in the fields of `replace` (SEP-11 names). */
const EnvelopeLink = Type.Object({
  xdr: Type.String({ maxLength: 20_000 }),
  networkPassphrase: Type.Union([Type.Null(), Text]),
  replace: Type.Array(Text, { maxItems: 110 }),
});
export type EnvelopeLink = Static<typeof EnvelopeLink>;

/** Bodies of `POST …/lumens`, `…/ways`, `…/drafts` and `…/submissions`. `signature` is base64 of 64 bytes. */
export const requestBodies = {
  lumens: Type.Object({ from: Text }),
  ways: Type.Object({ from: Text, wish: PaymentWish, network: Type.Union([Type.Null(), Text]) }),
  draft: Type.Union([
    Type.Object({ kind: Type.Literal('payment'), from: Text, wish: PaymentWish, way: PayWay }),
    Type.Object({ kind: Type.Literal('add_asset'), from: Text, asset: AssetText }),
    Type.Object({ kind: Type.Literal('test_money'), from: Text, asset: AssetText }),
    Type.Object({ kind: Type.Literal('claim'), from: Text, claim: ClaimableBalance }),
    Type.Object({ kind: Type.Literal('envelope'), from: Text, link: EnvelopeLink }),
  ]),
  submission: Type.Object({ from: Text, envelopeXdr: Type.String({ maxLength: 20_000 }), signature: Text }),
} as const;
export type DraftWish = Static<typeof requestBodies.draft>;
export type Submission = Static<typeof requestBodies.submission>;

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
  readonly claimableBalances: readonly ClaimableBalance[];
}

/** A payment in the account's history. */
export interface Movement {
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly asset: string;
  readonly amount: string;
  /** The sent amount, if the payment exchanged another asset. */
  readonly spent: { readonly asset: string; readonly amount: string } | null;
  /** The sender or the receiver; its muxed address if the payment used one. */
  readonly with: string;
  readonly memo: string | null;
  readonly hash: string;
}

/** Answer to `GET …/accounts/:address/history`: newest first. */
export interface History {
  readonly movements: readonly Movement[];
}

/**
 * Answer to `POST …/ways`: the requested asset first, then XLM, then by code. Empty when the account holds neither the
 * requested asset nor one that can be exchanged for it. A way may cost more than is spendable.
 */
export interface PayWays {
  readonly ways: readonly PayWay[];
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
  /** Null until the shop has a settlement account. */
  readonly account: WalletAccount | null;
  readonly movements: readonly Movement[];
}
