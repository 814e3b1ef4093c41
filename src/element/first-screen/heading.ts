import { html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { assetText, moneyText } from '../money-text.ts';
import { dueOf } from '../state/checkout-state.ts';
import { type Strings, say } from '../strings/en.ts';

/** How long the rate is still held: seconds, the share of its whole time, and whether it is over. */
export interface Hold {
  readonly seconds: number;
  readonly share: number;
  readonly over: boolean;
}

/** Language of the heading. */
export interface HeadingLanguage {
  readonly strings: Strings;
  readonly locale: string;
}

const twoDigits = (count: number) => String(count).padStart(2, '0');

/** `14:32`; with an hour or more `1:04:32`. */
export function clockText(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const rest = `${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** Merchant, order, remaining amount, and how long the rate is held. */
export function heading(payment: Payment, hold: Hold | null, language: HeadingLanguage): TemplateResult {
  const { strings, locale } = language;
  const name = payment.merchant?.name ?? '';
  const logo = payment.merchant?.logo;
  const isShort = payment.amount_received > 0;
  return html`<header part="header">
    <div class="who" part="payee">
      ${
        logo
          ? html`<img class="logo" part="logo" src=${logo} alt="" />`
          : html`<span class="logo" part="logo" aria-hidden="true">${name.slice(0, 1).toUpperCase()}</span>`
      }
      <div><b>${name}</b><span>${orderLine(payment, strings)}</span></div>
    </div>
    ${amount(dueOf(payment), payment.currency, isShort ? strings.stillDue : payment.currency, locale)}
    ${hold || isShort ? holdLine(payment, hold, language) : nothing}
  </header>`;
}

/** The amount in large type. */
export function amount(minor: number, currency: string, beside: string, locale: string): TemplateResult {
  const text = moneyText(minor, currency, locale);
  return html`<p class="amount" part="amount"><b class=${text.length > 10 ? 'long' : ''}>${text}</b> ${beside}</p>`;
}

function orderLine({ reference, description, line_items: lines }: Payment, strings: Strings): string {
  const count = lines.reduce((sum, line) => sum + line.quantity, 0);
  const first = reference ? say(strings.order, { reference }) : description;
  const items = count === 1 ? strings.oneItem : count > 1 && say(strings.items, { count });
  return [first, items].filter(Boolean).join(' · ');
}

function holdLine(payment: Payment, hold: Hold | null, { strings, locale }: HeadingLanguage): TemplateResult {
  const { amount, amount_received: received, currency, quote } = payment;
  const values = { amount: moneyText(amount, currency, locale), received: moneyText(received, currency, locale) };
  const isHeld = hold && !hold.over;
  const sentence = say(
    received ? (isHeld ? strings.receivedHeld : strings.received) : isHeld ? strings.held : strings.over,
    {
      ...values,
      time: '|',
    },
  );
  const [before, after] = sentence.split('|');
  return html`<p class="hold ${hold && hold.share < 0.25 ? 'firm' : ''}" part="hold" role="timer" aria-live="off">
    ${hold ? ring(hold.share) : nothing}
    <span>${before}${isHeld ? html`<b>${clockText(hold.seconds)}</b>` : nothing}${after}${
      isHeld && !received ? ` (≈\u00a0${assetText(quote.settlement_amount, quote.settlement_asset, locale)})` : nothing
    }</span>
  </p>`;
}

const ring = (share: number) => html`<svg class="ring" viewBox="0 0 16 16" aria-hidden="true">
  <circle cx="8" cy="8" r="6.5"></circle>
  <circle cx="8" cy="8" r="6.5" pathLength="1" stroke-dasharray="${share} 1"></circle>
</svg>`;
