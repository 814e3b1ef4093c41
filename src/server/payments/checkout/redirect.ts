import { PayError } from '../../../core/error.ts';
import { parseWebAddress } from '../../../core/web-address.ts';
import type { Merchant } from '../../merchants/merchant.ts';
import type { Caller } from '../../platform/http/access/caller.ts';

const loopback = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Refuses an address to which a payer must not be sent: anything but plain http(s), and in live mode, or where the
 * merchant keeps a list, any origin off the list. Throws `invalid_redirect_url`.
 */
export function assertRedirect(text: string, merchant: Merchant, livemode: boolean, param: string): void {
  const { origin } = parseAddress(text, param);
  const listed = [...merchant.redirectOrigins, ...merchant.allowedOrigins];
  const bound = livemode || merchant.redirectOrigins.length > 0;
  if (bound && !listed.includes(origin)) throw offTheList(origin, param);
}

/**
 * Refuses a `return_url` that would lead away from the shop. A payer, whose request is made in a browser, may name
 * only places the merchant has vouched for: the origins of the account, of the payment's own redirect_url, of the
 * service, and in test mode this machine.
 */
export function assertReturnUrl(
  text: string,
  caller: Pick<Caller, 'kind' | 'merchant' | 'livemode'>,
  known: { readonly redirectUrl: string | null; readonly publicUrl: string },
): void {
  if (caller.kind === 'secret') {
    assertRedirect(text, caller.merchant, caller.livemode, 'return_url');
    return;
  }
  const { origin } = parseAddress(text, 'return_url');
  const { redirectOrigins, allowedOrigins } = caller.merchant;
  const ofPayment = known.redirectUrl === null ? [] : [new URL(known.redirectUrl).origin];
  const vouched = [...redirectOrigins, ...allowedOrigins, ...ofPayment, new URL(known.publicUrl).origin];
  if (!vouched.includes(origin) && (caller.livemode || !loopback.test(origin))) throw offTheList(origin, 'return_url');
}

function parseAddress(text: string, param: string): URL {
  const url = parseWebAddress(text);
  if (url === null)
    throw new PayError('invalid_redirect_url', `${param} must be a plain http or https address.`, { param });
  return url;
}

function offTheList(origin: string, param: string): PayError {
  return new PayError('invalid_redirect_url', `${origin} is not one of the account's redirect origins.`, { param });
}
