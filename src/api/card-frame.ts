/**
 * The conversation between `<pay-checkout>` and the card frame: types and constants, nothing else.
 *
 * 1. The element makes `<iframe src="{frame_url}#session={22 characters}&parent={encodeURIComponent(origin)}">`.
 * 2. When the frame has loaded, the element posts one `CardFrameConnect` to the exact origin of `frame_url`, with one
 *    `MessagePort`. The frame listens from its first script on and takes only the first such message whose `source` is
 *    `window.parent`, whose `origin` is the `parent` of its own address and whose `session` is its own.
 * 3. Everything else goes over the port. The frame answers `ready` first. A second connect is ignored.
 *
 * Nothing is ever posted to `"*"`. No digit of a card but the last four of an accepted one leaves the frame.
 */

/** `type` of the one window message of the protocol. */
export const cardFrameConnect = 'pay-card:connect';

/** Keys in the fragment of the frame's address. */
export const cardFrameHash = { session: 'session', parent: 'parent' } as const;

/** The inputs of the frame, in the order in which they stand. */
export const cardFields = ['number', 'expiry', 'cvc', 'name'] as const;
export type CardField = (typeof cardFields)[number];

/**
 * How the element looks, as computed values ready for CSS (colours, lengths in px), so that the frame's fields match.
 * The frame's own background stays transparent; it sets `color-scheme` to `scheme`, as the element does on the iframe
 * (a different scheme would make the browser paint the frame opaque).
 */
export interface CardFrameAppearance {
  readonly scheme: 'light' | 'dark';
  readonly ink: string;
  readonly inkSecond: string;
  readonly inkThird: string;
  readonly line: string;
  readonly field: string;
  readonly accent: string;
  /** Text and border of a field that is wrong. */
  readonly bad: string;
  /** Corner radius of a field, `10px`. */
  readonly fieldRadius: string;
  /** A `font-family` list. Only fonts that the payer's device has: the frame loads none. */
  readonly fontFamily: string;
  /** The size that 16 px stands for here, `16px`; larger when the payer or the shop asks for larger text. */
  readonly fontSize: string;
}

/** Texts of the frame. The frame has English of its own; the element sends another language's as a whole. */
export interface CardFrameStrings {
  readonly number: string;
  readonly numberHint: string;
  readonly expiry: string;
  readonly expiryHint: string;
  readonly cvc: string;
  readonly cvcHint3: string;
  readonly cvcHint4: string;
  readonly name: string;
  readonly nameHint: string;
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

/** The one window message, element to frame, with the frame's `MessagePort` transferred. */
export interface CardFrameConnect {
  readonly type: typeof cardFrameConnect;
  readonly session: string;
  readonly appearance: CardFrameAppearance;
  readonly locale: string;
  readonly dir: 'ltr' | 'rtl';
  /** Card brands that are taken, as in `options.card.brands`: `visa`, `mastercard`, `amex` … */
  readonly brands: readonly string[];
  readonly strings: CardFrameStrings | null;
}

/** Over the port, element to frame. `id` names one attempt; its answer carries the same one. */
export type CardFrameRequest =
  | { readonly type: 'appearance'; readonly appearance: CardFrameAppearance }
  | { readonly type: 'submit'; readonly id: string }
  | { readonly type: 'focus' }
  | { readonly type: 'disable'; readonly value: boolean };

/** One field that stops a submit; `message` is the text that the frame shows below it. */
export interface CardFieldProblem {
  readonly field: CardField;
  readonly message: string;
}

/** Over the port, frame to element. Every `submit` is answered by exactly one of `token`, `invalid`, `error`. */
export type CardFrameReply =
  | { readonly type: 'ready' }
  /** Height of the frame's content in CSS px, at first and whenever it changes. */
  | { readonly type: 'resize'; readonly height: number }
  | { readonly type: 'change'; readonly complete: boolean; readonly brand: string | null; readonly empty: boolean }
  | {
      readonly type: 'token';
      readonly id: string;
      readonly token: string;
      readonly brand: string;
      readonly last4: string;
    }
  /** The frame has marked the fields and moved the focus to the first of them. */
  | { readonly type: 'invalid'; readonly id: string; readonly fields: readonly CardFieldProblem[] }
  /** `code` is one of the error catalogue, or `offline`; `message` is for the payer. */
  | { readonly type: 'error'; readonly id: string; readonly code: string; readonly message: string }
  /** Enter was pressed in a field. */
  | { readonly type: 'submit-request' };
