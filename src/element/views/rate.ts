import { css, html, type TemplateResult } from 'lit';
import type { Payment, PaymentQuote } from '../../api/payment.ts';
import { type CheckoutContext, localeOf, msHeld, stateOf } from '../checkout-context.ts';
import { confirm, mainButton, type Remark } from '../controls/controls.ts';
import { drawing } from '../first-screen/icon.ts';
import { adoptStyles, isRateOver, quotedText, viewOf } from '../lazy-views.ts';
import { assetText, moneyText } from '../money-text.ts';
import type { PaymentHandle } from '../state/checkout-api.ts';
import type { CheckoutSession } from '../state/checkout-session.ts';
import { dueOf } from '../state/checkout-state.ts';
import { rateStrings } from '../strings/en/rate.ts';
import { say } from '../strings/en.ts';

const styles = css`
  .answer {
    display: grid;
    gap: 14px;
  }
  .prices {
    display: grid;
    grid-template-columns: 1fr auto 1fr;
    gap: 4px 12px;
    align-items: center;
    padding: 12px 14px;
    border: 1px solid var(--line);
    border-radius: var(--control);
    font-variant-numeric: tabular-nums;
  }
  .prices span {
    display: block;
    color: var(--ink3);
    font-size: 0.867em;
  }
  .prices b {
    font-weight: 500;
  }
  .prices p:first-child b {
    color: var(--ink3);
    text-decoration: line-through;
  }
  .prices svg:dir(rtl) {
    transform: scaleX(-1);
  }
`;

const rateWords = ({ strings }: CheckoutContext): typeof rateStrings => strings.parts?.rate ?? rateStrings;

const money = (context: CheckoutContext, minor: number, { currency }: Payment) =>
  moneyText(minor, currency, localeOf(context));

/**
 * A note that the rate has ended, or a note about the new rate. Null if there is neither. If the payer's amount does
 * not depend on the rate, there is no note, and an ended rate is renewed in the background.
 */
export function remarkOnRate(context: CheckoutContext, payment: Payment): Remark | null {
  adoptStyles(context, styles);
  const strings = rateWords(context);
  const { quoteBefore: before } = stateOf(context);
  if (isRateOver(context)) {
    const isTransfer = payment.phase === 'awaiting_funds';
    return isTransfer ? { text: strings.overWaiting, kind: '' } : { text: strings.over, kind: 'warn' };
  }
  if (!quotedText(context)) {
    if (msHeld(context) === 0) void renewUnseen(context, payment);
    return null;
  }
  if (!before) return null;
  const text = say(strings.renewed, { amount: money(context, dueOf(payment), payment) });
  if (before.settlement_amount === payment.quote.settlement_amount) return { text, kind: '', isAnswer: true };
  const values = { amount: money(context, payment.amount, payment) };
  const prices = html`<div class="prices" part="prices">
    ${price(context, say(strings.before, values), before)} ${drawing('M5 12h14m-5-5 5 5-5 5')}
    ${price(context, say(strings.now, values), payment.quote)}
  </div>`;
  return { text, kind: '', drawing: prices, isAnswer: true };
}

/** Whether the payer's amount is valid for at most another minute. */
const isLastMinute = (context: CheckoutContext) => {
  const left = msHeld(context);
  return Boolean(left && left <= 60_000 && quotedText(context));
};

/** The announcement for screen readers in the last minute of the rate. */
export const lastMinuteText = (context: CheckoutContext): string =>
  isLastMinute(context) ? rateWords(context).lastMinute : '';

/** The button for a new rate. It replaces the main button. */
export function renewButton(context: CheckoutContext): TemplateResult {
  return mainButton(rateWords(context).refresh, () => void confirm(context), stateOf(context).busy !== null);
}

/** Milliseconds before another attempt. */
const retryMs = 20_000;
const renewing = new WeakSet<CheckoutContext>();

/**
 * Gets a new rate for a payer whose amount stays the same. Shows nothing and blocks no press. A hidden page waits until
 * it is visible, because each new rate is an event for the shop.
 */
async function renewUnseen(context: CheckoutContext, { phase }: Payment): Promise<void> {
  const { session } = context;
  const { method, busy } = stateOf(context);
  const { handle } = session?.store ?? {};
  // While the payer is at the bank (3-D Secure), the charge uses the old rate.
  const isLater = busy || phase === 'requires_action' || !method || !viewOf(context, method);
  if (!session || !handle || isLater || renewing.has(context)) return;
  renewing.add(context);
  try {
    if (document.visibilityState === 'hidden') await pageIsSeen();
    else await receiveQuote(session, handle);
  } catch {
    await new Promise(done => setTimeout(done, retryMs));
  }
  renewing.delete(context);
  context.element.requestUpdate();
}

const pageIsSeen = () => new Promise(seen => document.addEventListener('visibilitychange', seen, { once: true }));

async function receiveQuote({ store, api }: CheckoutSession, handle: PaymentHandle): Promise<void> {
  const { value } = await api.ask<Payment & { previous_quote?: PaymentQuote }>(handle, '/quotes', {});
  const { previous_quote: _before, ...payment } = value;
  store.receive(payment);
}

function price(
  context: CheckoutContext,
  label: string,
  { settlement_amount, settlement_asset }: PaymentQuote,
): TemplateResult {
  const amount = assetText(settlement_amount, settlement_asset, localeOf(context), 7);
  // An ordinary blank lets the asset move below the number on a narrow phone.
  return html`<p><span>${label}</span><b>${amount.replace('\u00a0', ' ')}</b></p>`;
}
