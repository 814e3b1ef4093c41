import { css, html, nothing, type TemplateResult } from 'lit';
import type { OpenPrompt } from '../../api/payments/prompt.ts';
import { choose } from '../checkout-actions.ts';
import { type CheckoutContext, localeOf } from '../checkout-context.ts';
import { focusOn, note, plainButton } from '../controls/controls.ts';
import type { createRows } from '../controls/rows.ts';
import { clockText, ring } from '../first-screen/heading.ts';
import { icon } from '../first-screen/icon.ts';
import { moneyText } from '../money-text.ts';
import { type CheckoutState, dueOf, methodsOf } from '../state/checkout-state.ts';
import { phonePromptStrings } from '../strings/en/phone-prompt.ts';
import { say } from '../strings/en.ts';

export const styles = css`
  .prompt {
    display: grid;
    gap: 6px;
    justify-items: center;
    padding-block-start: 6px;
    text-align: center;
  }
  .prompt span {
    display: grid;
    place-items: center;
    inline-size: 52px;
    block-size: 52px;
    border-radius: 50%;
    background: var(--soft);
    color: var(--accent-text);
    font-size: 1.334em;
  }
  .prompt h2 {
    color: var(--ink);
    font-size: 1.2em;
    font-weight: 650;
  }
  .prompt h2:focus {
    outline: 0;
  }
  .prompt p,
  .fine,
  details p {
    color: var(--ink2);
  }
  .fine,
  details p {
    font-size: 0.934em;
  }
  .fine {
    text-align: center;
  }
  .until {
    justify-content: center;
    min-block-size: 24px;
  }
  summary {
    padding-block: 11px;
    color: var(--ink2);
    cursor: pointer;
  }
`;

export type PromptWords = typeof phonePromptStrings;

/** The sentences of a translation, or the English ones. */
export const promptWords = (words: Partial<PromptWords>): PromptWords => ({ ...phonePromptStrings, ...words });

/** What the view of a prompt needs. */
export interface PromptParts {
  readonly context: CheckoutContext;
  readonly words: PromptWords;
  /** Why the service refused another prompt. Blank if it did not. */
  readonly refusal: string;
  readonly rows: ReturnType<typeof createRows>;
  /** The prompt's whole time in milliseconds, as far as this page has seen it. */
  readonly wholeMs: number;
  readonly msLeft: number;
}

/** The state of the payment. With an open prompt, the only thing to do is on the phone. */
export function promptView(parts: PromptParts, prompt: OpenPrompt, state: CheckoutState): TemplateResult {
  const { context, words, rows, refusal } = parts;
  const { payment, options } = state;
  const locale = localeOf(context);
  const known = options?.mobile_money?.operators.find(({ provider }) => provider === prompt.provider);
  const operator = known?.name ?? prompt.provider;
  const amount = moneyText(prompt.amount, prompt.currency, locale);
  const number = isolated(prompt.number);
  const isConverted = payment && payment.currency !== prompt.currency;
  return html`${refusal ? note(refusal, 'warn', 'alert') : ''}
    <div class="prompt">
      <span>${icon('mobile_money')}</span>
      <h2 tabindex="-1">${words.title}</h2>
      <p>${say(words.text, { operator, number, amount })}</p>
    </div>
    ${untilText(parts, operator)}
    ${rows(
      [
        { label: words.amount, value: amount },
        ...(isConverted ? [{ label: words.due, value: moneyText(dueOf(payment), payment.currency, locale) }] : []),
        { label: words.to, value: number },
      ],
      words.details,
    )}
    <details>
      <summary>${words.help}</summary>
      <p>${words.helpText}</p>
    </details>`;
}

/** The way to another method. The operator cannot withdraw a prompt, so the payer should refuse it first. */
export function elsewhere(context: CheckoutContext, words: PromptWords, state: CheckoutState): unknown {
  const other = methodsOf(state).find(method => method !== 'mobile_money');
  if (!other) return nothing;
  const leave = async () => {
    choose(context, other);
    await context.element.updateComplete;
    focusOn(context, '[aria-selected=true]');
  };
  return html`${plainButton(words.other, leave)}
    <p class="fine">${words.twice}</p>`;
}

/** Keeps the number in one piece and left-to-right in Arabic sentences. */
const isolated = (number: string) => `\u2066${number}\u2069`;

/** The countdown, or the wait for the operator's answer after the end. Both have the same height on wide cards. */
function untilText({ words, msLeft, wholeMs }: PromptParts, operator: string): TemplateResult {
  if (msLeft === 0) return note(say(words.ended, { operator }), '', 'status');
  const [before, after] = say(words.ends, { time: '|' }).split('|');
  return html`<p class="hold until" role="timer" aria-live="off">
    ${ring(Math.min(1, msLeft / wholeMs))}
    <span>${before}<b>${clockText(Math.ceil(msLeft / 1000))}</b>${after}</span>
  </p>`;
}
