import type { PaymentOptions } from '../../../api/payment.ts';
import type { Merchant } from '../../merchants/merchant.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { PaymentRow } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';

/** How long a card frame may be opened and used: as long as a payment's session by default. */
const lifeSeconds = 24 * 60 * 60;

const tokenLength = 66;

/**
 * A ticket that opens the card frame of one payment for 24 hours: 66 characters of token and the second at which it
 * ends, in base 36, which the token covers. It lets its holder turn card data into a token, nothing more; it cannot
 * read or pay the payment. `now` is the real time, not a test clock.
 */
export function issueFrameTicket(
  secrets: Pick<Secrets, 'paymentToken'>,
  { merchantId, paymentId, now }: { merchantId: string; paymentId: string; now: Date },
): string {
  const expiry = (Math.floor(now.getTime() / 1000) + lifeSeconds).toString(36);
  return secrets.paymentToken(`frame:${expiry}`, merchantId, paymentId) + expiry;
}

/** The payment whose card frame the ticket opens, or null when it is forged or its time is over. */
export function openFrameTicket(
  secrets: Pick<Secrets, 'openPaymentToken'>,
  ticket: string,
  now: Date,
): { merchantId: string; paymentId: string } | null {
  const expiry = ticket.slice(tokenLength);
  if (!/^[0-9a-z]{6,8}$/.test(expiry) || Number.parseInt(expiry, 36) * 1000 <= now.getTime()) return null;
  return secrets.openPaymentToken(`frame:${expiry}`, ticket.slice(0, tokenLength));
}

/** Path of the card frame for a ticket, to be put after the service's public address. */
export function framePath(ticket: string): string {
  return `/card-frame/?ticket=${ticket}`;
}

/** The card as a way to pay; null when the service takes no cards. */
export function cardOption(
  deps: PaymentDeps,
  merchant: Merchant,
  payment: PaymentRow,
  due: bigint,
): NonNullable<PaymentOptions['card']> | null {
  if (deps.rails.card === null) return null;
  const ticket = issueFrameTicket(deps.secrets, {
    merchantId: merchant.id,
    paymentId: payment.id,
    now: deps.clock.now(),
  });
  return {
    brands: [...deps.rails.card.brands],
    frame_url: `${deps.publicUrl()}${framePath(ticket)}`,
    amount: Number(due),
    currency: payment.currency,
  };
}
