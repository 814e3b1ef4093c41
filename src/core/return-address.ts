import { parseWebAddress } from './web-address.ts';

/**
 * Where a payer goes after paying: the merchant's `redirect_url` with `payment_id` and `status` added at the end of its
 * query, which otherwise stays as it was written, letter for letter. Null when there is none or a browser must not be
 * sent there.
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
