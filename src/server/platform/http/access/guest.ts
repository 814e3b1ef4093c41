import type { Merchant } from '../../merchant.ts';

/**
 * Kinds of callers that modules bring beside keys and people. The module's folder extends this interface
 * (`declare module`). The kind is also the `access` of the routes that admit such callers.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules extend it
export interface GuestKinds {}

/** Merchant and mode of a payment, a link or another object that a guest may use. */
export interface GuestOwner {
  readonly merchant: Merchant;
  readonly livemode: boolean;
}

/** A secret text that gives access to one object. */
export interface GuestSecret {
  /** Its name in messages, for example `client secret`. */
  readonly name: string;
  /** How it begins. As a Bearer token, it needs no key beside it. */
  readonly prefix: string;
  /** The header in which it is sent beside a publishable key. */
  readonly header: string;
  /** The object of a genuine secret. Null for other texts. */
  readonly open: (text: string) => { readonly merchantId: string; readonly id: string } | null;
}

/** A credential of people without a key: payers and visitors. Their browsers may call from the merchant's origins. */
export interface GuestCredential {
  /** The kind of object in messages, for example `payment`. */
  readonly object: string;
  /** Null: the object's id in the path is the credential. */
  readonly secret: GuestSecret | null;
  /** The owner of the object. `merchantId`: that of the secret. Null for an unknown object. */
  readonly find: (id: string, merchantId: string | null) => Promise<GuestOwner | null>;
}

/** A kind of guest in the manifest of its module. */
export interface GuestKind<Deps> {
  /** Alternatives to a secret key in the documentation: the schemes that a call needs together. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly create: (deps: Deps) => GuestCredential;
}

/** The guests that a module brings, or all of them. */
export type Guests<Deps> = { readonly [Kind in keyof GuestKinds]?: GuestKind<Deps> };
