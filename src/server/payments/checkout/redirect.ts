import { PayError } from '../../../core/error.ts';
import { parseWebAddress } from '../../../core/web-address.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Merchant } from '../../platform/merchant.ts';

const loopback = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Rejects URLs without http(s), and origins that are not listed. In test mode, an empty list allows all origins. */
export function assertRedirect(text: string, merchant: Merchant, livemode: boolean, param: string): void {
  const { origin } = parseAddress(text, param);
  const listed = [...merchant.redirectOrigins, ...merchant.allowedOrigins];
  const bound = livemode || merchant.redirectOrigins.length > 0;
  if (bound && !listed.includes(origin)) throw offTheList(origin, param);
}

/**
 * Rejects a `return_url` outside of the shop. A payer may use only the origins of the account, of the payment's
 * `redirect_url` and of the hosted pages. In test mode, URLs of this machine are also allowed.
 */
export function assertReturnUrl(
  text: string,
  caller: Pick<Caller, 'kind' | 'merchant' | 'livemode'>,
  known: { readonly redirectUrl: string | null; readonly pageOrigins: readonly string[] },
): void {
  if (caller.kind === 'secret') {
    assertRedirect(text, caller.merchant, caller.livemode, 'return_url');
    return;
  }
  const { origin } = parseAddress(text, 'return_url');
  const { redirectOrigins, allowedOrigins } = caller.merchant;
  const ofPayment = known.redirectUrl === null ? [] : [new URL(known.redirectUrl).origin];
  const vouched = [...redirectOrigins, ...allowedOrigins, ...ofPayment, ...known.pageOrigins];
  if (!vouched.includes(origin) && (caller.livemode || !loopback.test(origin))) throw offTheList(origin, 'return_url');
}

function parseAddress(text: string, param: string): URL {
  const url = parseWebAddress(text);
  if (url !== null) return url;
  throw new PayError('invalid_redirect_url', `${param} must be a plain http or https address.`, { param });
}

function offTheList(origin: string, param: string): PayError {
  return new PayError('invalid_redirect_url', `${origin} is not one of the account's redirect origins.`, { param });
}
