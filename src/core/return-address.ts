import { parseWebAddress } from './web-address.ts';

/**
 * The URL to which a payer returns: the merchant's `redirect_url`, with `payment_id` and `status` at the end of its
 * query. The rest of the URL is unchanged. Null without a `redirect_url`, or if it is not safe to open.
 */
export function returnAddress(
  redirectUrl: string | null,
  payment: { readonly id: string; readonly status: string },
): URL | null {
  const url = redirectUrl === null ? null : parseWebAddress(redirectUrl);
  if (!url) return null;
  const added = `payment_id=${encodeURIComponent(payment.id)}&status=${encodeURIComponent(payment.status)}`;
  url.search += url.search.length > 1 ? `&${added}` : `?${added}`;
  return url;
}
