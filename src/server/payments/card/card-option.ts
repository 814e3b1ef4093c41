import type { PaymentOptions } from '../../../api/payment.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { chooseCardRail } from '../../rails/rails.ts';
import type { PaymentKey } from '../payment.store.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';

/** Lifetime of a ticket in seconds: the default session of a payment. */
const lifeSeconds = 24 * 60 * 60;

const tokenLength = 66;

/**
 * A ticket for the card frame of one payment: a signature of 66 characters, then the expiry second in base 36. The
 * signature covers the expiry. A ticket allows to exchange card data for a card token, but not to read or pay the
 * payment. `now` is the real time.
 */
export function issueFrameTicket(
  secrets: Pick<Secrets, 'paymentToken'>,
  { merchantId, paymentId, now }: { merchantId: string; paymentId: string; now: Date },
): string {
  const expiry = (Math.floor(now.getTime() / 1000) + lifeSeconds).toString(36);
  return secrets.paymentToken(`frame:${expiry}`, merchantId, paymentId) + expiry;
}

/** The payment of a ticket. Null if the ticket is forged or expired. */
export function openFrameTicket(
  secrets: Pick<Secrets, 'openPaymentToken'>,
  ticket: string,
  now: Date,
): { merchantId: string; paymentId: string } | null {
  const expiry = ticket.slice(tokenLength);
  if (!/^[0-9a-z]{6,8}$/.test(expiry) || Number.parseInt(expiry, 36) * 1000 <= now.getTime()) return null;
  return secrets.openPaymentToken(`frame:${expiry}`, ticket.slice(0, tokenLength));
}

/** A rail's token. `rail` is null for a test token such as `tok_visa`, which comes from no card frame. */
export interface CardToken {
  readonly rail: string | null;
  readonly token: string;
}

/** A card token for one payment. It seals the rail's token with the payment's key, so other payments cannot use it. */
export function issueCardToken(secrets: Pick<Secrets, 'seal'>, payment: PaymentKey, made: CardToken): string {
  return `tok_${secrets.seal(`${made.rail} ${made.token}`, cardContext(payment)).toString('base64url')}`;
}

/** The rail's token. Other texts are returned unchanged, as test tokens. */
export function openCardToken(secrets: Pick<Secrets, 'open'>, payment: PaymentKey, token: string): CardToken {
  try {
    const sealed = Buffer.from(token.replace(/^tok_/, ''), 'base64url');
    const [rail = null, opened = ''] = secrets.open(sealed, cardContext(payment)).split(' ');
    return { rail, token: opened };
  } catch {
    return { rail: null, token };
  }
}

function cardContext({ merchantId, paymentId }: PaymentKey): string {
  return `card ${merchantId} ${paymentId}`;
}

/** Path of the card frame with the ticket, below the service's public URL. */
export function framePath(ticket: string): string {
  return `/card-frame/?ticket=${ticket}`;
}

/** The card option of the checkout. Null if no acquirer takes the payment. */
export function cardOption(
  deps: PaymentDeps,
  merchant: Merchant,
  payment: PaymentRow,
  due: bigint,
): NonNullable<PaymentOptions['card']> | null {
  const rail = chooseCardRail(deps.rails.cards, payment);
  if (rail === null) return null;
  const now = deps.clock.now();
  const ticket = issueFrameTicket(deps.secrets, { merchantId: merchant.id, paymentId: payment.id, now });
  return {
    brands: [...rail.brands],
    frame_url: `${deps.publicUrl()}${framePath(ticket)}`,
    amount: Number(due),
    currency: payment.currency,
  };
}
