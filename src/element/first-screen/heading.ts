import { html, nothing, type TemplateResult } from 'lit';
import type { Payment, PaymentQuote } from '../../api/payment.ts';
import { amountNotes } from '../../core/locale/amount-notes.ts';
import { type CheckoutContext, localeOf, msHeld } from '../checkout-context.ts';
import { isRateOver, quotedText } from '../lazy-views.ts';
import { assetText, moneyText } from '../money-text.ts';
import { dueOf } from '../state/checkout-state.ts';
import { type Strings, say } from '../strings/en.ts';

/** Merchant, order, remaining amount, and the time for which the rate is held. */
export function heading(context: CheckoutContext, payment: Payment): TemplateResult {
  const { strings } = context;
  const { currency, merchant, amount_received: received } = payment;
  return html`<header part="header">
    <div class="who" part="payee">
      ${logo(context, merchant)}
      <div><b>${merchant?.name}</b><span>${orderLine(payment, strings)}</span></div>
    </div>
    ${amount(dueOf(payment), currency, localeOf(context), received > 0 ? strings.stillDue : '')}
    ${holdLine(context, payment)}
  </header>`;
}

/** URLs of logos that could not be loaded. */
const broken = new Set<string>();

/** The merchant's logo. Without a loadable logo, the first letter of the merchant's name. */
export function logo({ element }: CheckoutContext, merchant: Payment['merchant']): TemplateResult {
  const { logo: url, name = '' } = merchant ?? {};
  if (!url || broken.has(url))
    return html`<span class="logo" part="logo" aria-hidden="true">${name.slice(0, 1).toUpperCase()}</span>`;
  const fail = () => {
    broken.add(url);
    element.requestUpdate();
  };
  return html`<img class="logo" part="logo" src=${url} alt="" @error=${fail} />`;
}

/** The amount in large type, with its currency's code and a note. */
export function amount(minor: number, currency: string, locale: string, note = ''): TemplateResult {
  const text = moneyText(minor, currency, locale);
  const notes = amountNotes(text, currency, note).join(' ');
  return html`<p class="amount" part="amount"><b class=${text.length > 10 ? 'long' : ''}>${text}</b> ${notes}</p>`;
}

function orderLine({ reference, description, line_items: lines }: Payment, strings: Strings): string {
  const count = lines.reduce((sum, { type, quantity }) => ((type ?? 'item') === 'item' ? sum + quantity : sum), 0);
  const first = reference ? say(strings.order, { reference }) : description;
  const items = count === 1 ? strings.oneItem : count > 1 && say(strings.items, { count });
  return [first, items].filter(Boolean).join(' · ');
}

/**
 * The line below the amount: the time until the rate ends, the received amount, and the amount at the rate. After a
 * partial payment, the shop's amount is left out, because the quote's amount is for the whole price.
 */
function holdLine(context: CheckoutContext, payment: Payment): unknown {
  const left = msHeld(context);
  const { amount_received: received, currency, quote } = payment;
  if (left === null && !received) return nothing;
  const { strings } = context;
  const locale = localeOf(context);
  const quoted = quotedText(context);
  const share = Math.min(1, (left ?? 0) / (Date.parse(quote.expires_at) - Date.parse(quote.created_at)));
  const isHeld = left !== null && !isRateOver(context);
  const sentence = received ? (isHeld ? strings.receivedHeld : strings.received) : isHeld ? strings.held : strings.over;
  const [before, after] = say(sentence, {
    amount: moneyText(payment.amount, currency, locale),
    received: moneyText(received, currency, locale),
    time: '|',
  }).split('|');
  return html`<p class="hold ${quoted && share < 0.25 ? 'firm' : ''}" part="hold" role="timer" aria-live="off">
    ${left === null ? nothing : ring(share)}
    <span>${before}${isHeld ? html`<b>${clockText(Math.ceil(left / 1000))}</b>` : nothing}${after}${
      isHeld && (quoted || !received) ? html`<small>${rateText(quote, quoted, strings, locale)}</small>` : nothing
    }</span>
  </p>`;
}

/** The amount that the payer pays, if it depends on the rate. Otherwise the amount that the shop receives. */
function rateText(quote: PaymentQuote, quoted: string | null | undefined, strings: Strings, locale: string): string {
  const amount = quoted ?? assetText(quote.settlement_amount, quote.settlement_asset, locale);
  return say(quoted ? strings.youPay : strings.shopGets, { amount });
}

/** Minutes and seconds, `14:32`; from an hour on, `1:04:32`. For less than a day. */
export const clockText = (seconds: number) =>
  new Date(seconds * 1000)
    .toISOString()
    .slice(11, 19)
    .replace(/^0(0:)?/, '');

/** The remaining share of the rate's time, as a ring. */
export const ring = (share: number) => html`<svg class="ring" viewBox="0 0 16 16" aria-hidden="true">
  <circle cx="8" cy="8" r="6.5"></circle>
  <circle cx="8" cy="8" r="6.5" pathLength="1" stroke-dasharray="${share} 1"></circle>
</svg>`;
