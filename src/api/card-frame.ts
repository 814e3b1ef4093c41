/**
 * The messages between `<pay-checkout>` and the card frame.
 *
 * 1. The element adds `<iframe src="{frame_url}#session={22 characters or more}&parent={encodeURIComponent(origin)}">`.
 * 2. When the frame has loaded, the element posts one `CardFrameConnect` to the exact origin of `frame_url`, with one
 * `MessagePort`. The frame listens from its first script on. It accepts the first message from `window.parent` whose
 * origin and session equal `parent` and `session` in the frame's URL.
 * 3. All other messages use the port. The frame answers `ready` first. It ignores a second `CardFrameConnect`.
 *
 * No message is posted to `"*"`. Of a card number, the page gets only brand and last four digits. The frame sends the
 * number to its own origin only.
 */

/** `type` of the only window message of the protocol. */
export const cardFrameConnect = 'pay-card:connect';

/** Keys in the fragment of the frame's URL. */
export const cardFrameHash = { session: 'session', parent: 'parent' } as const;

/** Wallets of the payer's browser or phone that the frame can ask for a card. */
export const walletSchemes = ['apple_pay', 'google_pay'] as const;
export type WalletScheme = (typeof walletSchemes)[number];

/** `id` of a reply that follows the payer's press of a wallet button. No submit of the element precedes it. */
export const walletReply = 'wallet';

/** What the frame asks a wallet for. The document of the frame has it as JSON in `data-wallets`. */
export interface FrameWallets {
  /** Name of the payee. */
  readonly label: string;
  /** Decimal text, such as `128.40`. */
  readonly value: string;
  readonly currency: string;
  /** Identifier and data of each payment method of the browser's Payment Request. */
  readonly offers: readonly {
    readonly scheme: WalletScheme;
    readonly method: string;
    readonly data: Readonly<Record<string, unknown>>;
  }[];
}

/** The inputs of the frame, in their order. */
export const cardFields = ['number', 'expiry', 'cvc', 'name'] as const;
export type CardField = (typeof cardFields)[number];

/**
 * The look of the element as computed CSS values, so that the frame's fields look the same. The frame's background is
 * transparent. The document in the frame must have the `color-scheme` of its `<iframe>` element (`scheme`). Otherwise
 * browsers paint an opaque background.
 */
export interface CardFrameAppearance {
  readonly scheme: 'light' | 'dark';
  readonly ink: string;
  readonly inkSecond: string;
  readonly inkThird: string;
  readonly line: string;
  readonly field: string;
  readonly accent: string;
  /** Colour of the text and border of an invalid field. */
  readonly bad: string;
  /** Corner radius of a field, for example `10px`. */
  readonly fieldRadius: string;
  /** A `font-family` list. The frame loads no fonts, so it uses only fonts of the payer's device. */
  readonly fontFamily: string;
  /** The size of the element's normal text: `16px`, unless the payer or the shop sets another text size. */
  readonly fontSize: string;
}

/** Labels and hints of the fields. */
export interface CardFrameLabels {
  readonly number: string;
  readonly numberHint: string;
  readonly expiry: string;
  readonly expiryHint: string;
  readonly cvc: string;
  readonly cvcHint3: string;
  readonly cvcHint4: string;
  readonly name: string;
  readonly nameHint: string;
}

/** Texts of the frame. The frame contains English texts. For another language, the element sends all texts. */
export interface CardFrameStrings extends CardFrameLabels {
  readonly numberMissing: string;
  readonly numberInvalid: string;
  readonly numberUnsupported: string;
  readonly expiryMissing: string;
  readonly expiryInvalid: string;
  readonly expiryPast: string;
  readonly cvcMissing: string;
  readonly cvcInvalid: string;
  readonly nameMissing: string;
  readonly offline: string;
  readonly unavailable: string;
}

/** The only window message, which the element sends to the frame. It transfers the frame's `MessagePort`. */
export interface CardFrameConnect {
  readonly type: typeof cardFrameConnect;
  readonly session: string;
  readonly appearance: CardFrameAppearance;
  readonly locale: string;
  readonly dir: 'ltr' | 'rtl';
  /** Accepted card brands, as in `options.card.brands`: `visa`, `mastercard`, `amex` … */
  readonly brands: readonly string[];
  readonly strings: CardFrameStrings | null;
}

/** A message on the port, from the element to the frame. `id` identifies an attempt and its answer. */
export type CardFrameRequest =
  | { readonly type: 'appearance'; readonly appearance: CardFrameAppearance }
  | { readonly type: 'submit'; readonly id: string }
  | { readonly type: 'focus' }
  | { readonly type: 'disable'; readonly value: boolean };

/** An invalid field, which prevents a submit. `message` is the text that the frame shows below the field. */
export interface CardFieldProblem {
  readonly field: CardField;
  readonly message: string;
}

/**
 * A message on the port, from the frame to the element. Exactly one `token`, `invalid` or `error` answers a `submit`.
 * After a press of a wallet button, the frame sends a `token` or `error` with the id `walletReply`.
 */
export type CardFrameReply =
  | { readonly type: 'ready' }
  /** Height of the frame's content in CSS pixels. Sent at the start and after each change. */
  | { readonly type: 'resize'; readonly height: number }
  | { readonly type: 'change'; readonly complete: boolean; readonly brand: string | null; readonly empty: boolean }
  | {
      readonly type: 'token';
      readonly id: string;
      readonly token: string;
      readonly brand: string;
      readonly last4: string;
    }
  /** Sent after the frame has marked the invalid fields and focused the first of them. */
  | { readonly type: 'invalid'; readonly id: string; readonly fields: readonly CardFieldProblem[] }
  /** `code` is from the error catalogue, or `offline`. `message` is for the payer; empty: the element has its own. */
  | { readonly type: 'error'; readonly id: string; readonly code: string; readonly message: string }
  /** The payer pressed Enter in a field. */
  | { readonly type: 'submit-request' };

// An acquirer's own card form inside the card frame. Both sides check the other's origin. An acquirer whose form speaks
// otherwise brings a page of its own that translates.

/** From the frame to the form: the payer has pressed Pay. */
export interface CardFormRequest {
  readonly type: 'submit';
}

/** From the form to the frame. A `token` without a `submit` means that the payer used a button of the form. */
export type CardFormReply =
  | { readonly type: 'token'; readonly token: string }
  /** `message` is for the payer. */
  | { readonly type: 'error'; readonly message: string }
  /** Height of the form in CSS pixels. */
  | { readonly type: 'resize'; readonly height: number };
