import { css, html, type TemplateResult } from 'lit';
import type { Payment, PaymentQuote } from '../../api/payment.ts';
import { dueOf } from '../checkout-selectors.ts';
import { type Desk, isQuoteOver, localeOf, rootOf, stateOf } from '../desk.ts';
import { confirm } from '../desk-work.ts';
import { assetText, moneyText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import { rateStrings } from '../strings/en-rate.ts';
import { wear } from '../view-rack.ts';
import { mainButton } from './furniture.ts';
import { drawing } from './icon.ts';
import type { Remark } from './situation.ts';

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

const rateWords = ({ strings }: Desk): typeof rateStrings => strings.parts?.rate ?? rateStrings;

const money = (desk: Desk, minor: number, { currency }: Payment) => moneyText(minor, currency, localeOf(desk));

/** The price is held no longer, or is held anew: then the one before is shown beside it. */
export function remarkOnRate(desk: Desk, payment: Payment): Remark | null {
  wear(desk, styles);
  const strings = rateWords(desk);
  const { quoteBefore: before, busy } = stateOf(desk);
  if (isQuoteOver(desk)) {
    const drawing = mainButton(strings.refresh, () => void renew(desk), busy !== null);
    const isTransfer = payment.phase === 'awaiting_funds';
    return isTransfer
      ? { text: strings.overWaiting, kind: '', drawing }
      : { text: strings.over, kind: 'warn', drawing };
  }
  if (!before) return null;
  const text = say(strings.renewed, { amount: money(desk, dueOf(payment), payment) });
  if (before.settlement_amount === payment.quote.settlement_amount) return { text, kind: '', isAnswer: true };
  const values = { amount: money(desk, payment.amount, payment) };
  const prices = html`<div class="prices" part="prices">
    ${price(desk, say(strings.before, values), before)} ${drawing('M5 12h14m-5-5 5 5-5 5')}
    ${price(desk, say(strings.now, values), payment.quote)}
  </div>`;
  return { text, kind: '', drawing: prices, isAnswer: true };
}

/** Takes today's rate, and leads who pressed to the answer. */
async function renew(desk: Desk): Promise<void> {
  await confirm(desk);
  await desk.element.updateComplete;
  rootOf(desk).querySelector<HTMLElement>('.answer')?.focus();
}

function price(desk: Desk, label: string, { settlement_amount, settlement_asset }: PaymentQuote): TemplateResult {
  return html`<p><span>${label}</span><b>${assetText(settlement_amount, settlement_asset, localeOf(desk), 7)}</b></p>`;
}
