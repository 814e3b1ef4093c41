import { css, html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { type CheckoutContext, isWaiting, localeOf, stateOf } from '../checkout-context.ts';
import { bars, note, problemText, type Remark } from '../controls/controls.ts';
import { adoptStyles, fetchView, viewOf } from '../lazy-views.ts';
import { assetText, moneyText } from '../money-text.ts';
import { type CheckoutState, dueOf } from '../state/checkout-state.ts';
import { situationStrings } from '../strings/en/situation.ts';
import { say } from '../strings/en.ts';
import { lastMinuteText, remarkOnRate } from './rate.ts';

export { renewButton } from './rate.ts';

const styles = css`
  .answer {
    border-radius: var(--control);
  }
  .steps b {
    font-size: 1.067em;
    font-weight: 600;
  }
  .steps small {
    color: var(--ink3);
    font-size: 0.934em;
  }
`;

type Words = typeof situationStrings;

const wordsOf = ({ strings }: CheckoutContext): Words => strings.parts?.situation ?? situationStrings;

/**
 * Notes about an open payment: connection, wrong asset, shortfall, rate, last attempt. While the payer can only wait,
 * the steps of the payment replace all notes except the note about the connection.
 */
export function situation(
  context: CheckoutContext,
  payment: Payment,
): { readonly drawn: unknown; readonly spoken: string } {
  adoptStyles(context, styles);
  const strings = wordsOf(context);
  const waiting = isWaiting(context, payment);
  const remarks = [
    connection(strings, stateOf(context)),
    ...(waiting
      ? []
      : [
          openPrompt(context, payment),
          wrongAsset(context, payment),
          shortfall(context, payment),
          remarkOnRate(context, payment),
        ]),
  ].filter(remark => remark !== null);
  return {
    drawn: [
      ...remarks.map(({ text, kind, drawing: below, isInTab, isAnswer }) => {
        const parts = [isInTab ? nothing : note(text, kind), below ?? nothing];
        return isAnswer ? html`<div class="answer" tabindex="-1">${parts}</div>` : parts;
      }),
      waiting ? steps(strings, payment) : setback(context, payment),
    ],
    spoken: [
      ...remarks.map(({ text }) => text.replace('|', ' ')),
      waiting ? strings.waiting : '',
      lastMinuteText(context),
    ]
      .join(' ')
      .trim(),
  };
}

/** One note for the lost connection and for the call that failed because of it. */
function connection(strings: Words, state: CheckoutState): Remark | null {
  const { up, problem } = state;
  if (up) return null;
  const words = navigator.onLine ? strings.unreachable : strings.offline;
  const { unanswered, lost, quiet } = words;
  const isAnswer = problem?.status === 0;
  return { text: isAnswer ? (mayHavePaid(state) ? unanswered : lost) : quiet, kind: 'warn', isAnswer };
}

/** Whether the unanswered call may have taken money: any call on the card tab, or one that asks a wallet or bank. */
const mayHavePaid = ({ method, problem }: CheckoutState) => method === 'card' || problem?.task === 'ask';

function steps(strings: Words, { method, next_action: action }: Payment): TemplateResult {
  const seen = method === 'crypto' ? strings.seenOnChain : strings.seen;
  const needed = action?.type === 'crypto_transfer' ? action.required_confirmations : 0;
  const count =
    needed > 1 && action?.type === 'crypto_transfer'
      ? say(strings.confirmations, { count: action.confirmations, needed })
      : '';
  return html`<div class="steps" part="steps" tabindex="-1">
    ${bars(2, strings.steps)}<b>${strings.waiting}</b><span>${seen} ${count}</span><small>${strings.leave}</small>
  </div>`;
}

const money = (context: CheckoutContext, minor: number, { currency }: Payment) =>
  moneyText(minor, currency, localeOf(context));

/** The warning of the mobile-money tab, in the other tabs: the payer could pay twice. */
function openPrompt(context: CheckoutContext, { open_prompt: open }: Payment): Remark | null {
  const state = stateOf(context);
  // Another device sent the prompt, so this page has not yet loaded the tab that has the words.
  if (open && !context.views.has('mobile_money')) void fetchView(context, 'mobile_money');
  const text = state.method === 'mobile_money' ? null : viewOf(context, 'mobile_money')?.warning?.(state);
  return text ? { text, kind: 'warn' } : null;
}

/** The note that the payer sent an asset that was not asked for. Such money does not count for the payment. */
function wrongAsset(context: CheckoutContext, { exception, received, next_action: action }: Payment): Remark | null {
  if (exception !== 'wrong_asset' && exception !== 'wrong_network') return null;
  const strings = wordsOf(context);
  const part = received.findLast(({ chain, credited }) => chain !== null && credited === 0);
  const isKnown = part && action?.type === 'crypto_transfer';
  if (!isKnown) return { text: strings.wrong, kind: 'warn' };
  const sent = assetText(part.amount, part.asset, localeOf(context), 7);
  const asked = action.asset.split(':')[0];
  return { text: say(strings.wrongAsset, { sent, asked }), kind: 'warn' };
}

function shortfall(context: CheckoutContext, payment: Payment): Remark | null {
  if (payment.amount_received === 0) return null;
  const values = {
    amount: money(context, dueOf(payment), payment),
    received: money(context, payment.amount_received, payment),
  };
  const isInTab = stateOf(context).method === 'bank_transfer' && payment.next_action?.type === 'bank_instructions';
  return { text: say(wordsOf(context).short, values), kind: 'warn', isInTab };
}

/** Why the last attempt failed. The note is above the form, where the payer can try again. */
function setback(context: CheckoutContext, { last_attempt, phase }: Payment): unknown {
  const { problem, busy, method } = stateOf(context);
  // The wallet's panel and the note about the rate show these problems.
  if (busy || /^(quote_expired|stellar_|wallet_)/.test(problem?.code ?? '')) return nothing;
  if (problem?.status === 0) return unanswered(context);
  // The tab of mobile money shows its own problems.
  if (method === 'mobile_money') return nothing;
  // The previous card is hidden while a new attempt waits for the payer.
  const attempt = phase === 'requires_action' || last_attempt?.method !== 'card' ? null : last_attempt;
  const refused = problem ? (problem.status === 402 || problem.status === 429) && problem : attempt;
  if (refused) return note(problemText(context, refused), 'bad', 'alert');
  return problem ? note(wordsOf(context).failed, 'bad', 'alert') : nothing;
}

/**
 * Asks the payer to press again after an unanswered call that cannot have taken money. The note appears when the
 * connection is back. The card tab has its own note.
 */
function unanswered(context: CheckoutContext): unknown {
  const state = stateOf(context);
  return state.up && !mayHavePaid(state) ? note(wordsOf(context).lost, 'bad', 'alert') : nothing;
}
