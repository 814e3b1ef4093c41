import { css, html, type TemplateResult } from 'lit';
import type { Payment, PaymentQuote } from '../../api/payment.ts';
import { confirm } from '../checkout-actions.ts';
import { type CheckoutContext, isQuoteOver, localeOf, rootOf, stateOf } from '../checkout-context.ts';
import { mainButton, type Remark } from '../controls/controls.ts';
import { drawing } from '../first-screen/icon.ts';
import { adoptStyles } from '../lazy-views.ts';
import { assetText, moneyText } from '../money-text.ts';
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

/** A note that the rate has expired, or the new and the previous rate. */
export function remarkOnRate(context: CheckoutContext, payment: Payment): Remark | null {
  adoptStyles(context, styles);
  const strings = rateWords(context);
  const { quoteBefore: before, busy } = stateOf(context);
  if (isQuoteOver(context)) {
    const drawing = mainButton(strings.refresh, () => void renew(context), busy !== null);
    const isTransfer = payment.phase === 'awaiting_funds';
    return isTransfer
      ? { text: strings.overWaiting, kind: '', drawing }
      : { text: strings.over, kind: 'warn', drawing };
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

/** Gets a new rate and moves the focus to the answer. */
async function renew(context: CheckoutContext): Promise<void> {
  await confirm(context);
  await context.element.updateComplete;
  rootOf(context).querySelector<HTMLElement>('.answer')?.focus();
}

function price(
  context: CheckoutContext,
  label: string,
  { settlement_amount, settlement_asset }: PaymentQuote,
): TemplateResult {
  return html`<p><span>${label}</span><b>${assetText(settlement_amount, settlement_asset, localeOf(context), 7)}</b></p>`;
}
