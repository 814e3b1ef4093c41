import { css, html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { confirm } from '../checkout-actions.ts';
import {
  announce,
  type CheckoutContext,
  isQuoteOver,
  isWaiting,
  localeOf,
  stateOf,
  type View,
} from '../checkout-context.ts';
import { bars, mainButton, note, problemText, type Remark } from '../controls/controls.ts';
import { buttonSkeleton } from '../first-screen/skeleton.ts';
import { fetchView, renderView, viewOf } from '../lazy-views.ts';
import { moneyText } from '../money-text.ts';
import { type CheckoutMethod, type CheckoutState, dueOf, methodsOf } from '../state/checkout-state.ts';
import { situationStrings } from '../strings/en/situation.ts';
import { say } from '../strings/en.ts';

export const styles = css`
  .steps b {
    font-size: 1.067em;
    font-weight: 600;
  }
  .steps small {
    color: var(--ink3);
    font-size: 0.934em;
  }
`;

/** Delay in ms before later views are loaded. They are loaded before their use, in case the connection is lost. */
const preloadMs = 5000;

/** Everything below the tabs: notes about the payment, the methods' panels and the main button. */
export function createView(context: CheckoutContext): View {
  let said = '';
  setTimeout(() => {
    void fetchRate(context);
    if (context.session) void fetchView(context, 'outcome');
  }, preloadMs);
  return {
    render({ payment }) {
      if (!payment) return nothing;
      const { drawn, spoken } = situation(context, payment);
      // Lit ignores an update that is requested during a render.
      if (spoken !== said) void context.element.updateComplete.then(() => announce(context, spoken));
      said = spoken;
      return html`${drawn}${isWaiting(context, payment) ? nothing : panels(context, payment)}`;
    },
  };
}

function panels(
  context: CheckoutContext,
  { cancel_url: back, merchant, amount_received: received }: Payment,
): TemplateResult {
  const state = stateOf(context);
  const { method, busy } = state;
  const methods = methodsOf(state);
  const view = method ? viewOf(context, method) : undefined;
  const isOver = isQuoteOver(context);
  const action = isOver ? null : view?.action?.(state);
  const isBusy = busy === 'confirm' || busy === 'quote' || view?.isBusy?.();
  return html`${methods.map(known => (context.visited.has(known) ? panel(context, known, methods.length > 1) : nothing))}
    ${action ? mainButton(action, () => void confirm(context), isBusy) : view ? nothing : buttonSkeleton()}
    ${(!isOver && view?.below?.(state)) || nothing}
    ${back && merchant && !received ? html`<a class="plain" part="back" href=${back}>${say(wordsOf(context).backTo, merchant)}</a>` : nothing}`;
}

/** The panel of a method. It stays in the page when another method is chosen, so that typed text is kept. */
function panel(context: CheckoutContext, method: CheckoutMethod, hasTab: boolean): TemplateResult {
  return html`<div
    class="panel"
    part="panel"
    id="panel-${method}"
    role=${hasTab ? 'tabpanel' : nothing}
    aria-labelledby=${hasTab ? `tab-${method}` : nothing}
    ?hidden=${method !== stateOf(context).method}
  >
    ${renderView(context, method)}
  </div>`;
}

type Words = typeof situationStrings;

const wordsOf = ({ strings }: CheckoutContext): Words => strings.parts?.situation ?? situationStrings;

/**
 * Notes about an open payment: connection, wrong asset, shortfall, rate, the last attempt. While the payer can only
 * wait, the steps of the payment replace all notes but the one about the connection.
 */
function situation(context: CheckoutContext, payment: Payment): { readonly drawn: unknown; readonly spoken: string } {
  const strings = wordsOf(context);
  const waiting = isWaiting(context, payment);
  const remarks = [
    connection(strings, stateOf(context)),
    ...(waiting ? [] : [wrongAsset(strings, payment), shortfall(context, payment), rateRemark(context, payment)]),
  ].filter(remark => remark !== null);
  return {
    drawn: [
      ...remarks.map(({ text, kind, drawing: below, isInTab, isAnswer }) => {
        const parts = [isInTab ? nothing : note(text, kind), below ?? nothing];
        return isAnswer ? html`<div class="answer" tabindex="-1">${parts}</div>` : parts;
      }),
      waiting ? steps(strings, payment) : setback(context, payment),
    ],
    spoken: [...remarks.map(({ text }) => text.replace('|', ' ')), waiting ? strings.waiting : ''].join(' ').trim(),
  };
}

/** One note for the lost connection and for the call that failed because of it. */
function connection(strings: Words, state: CheckoutState): Remark | null {
  const { up, problem } = state;
  if (up) return null;
  const words = navigator.onLine ? strings.unreachable : strings.offline;
  const { unanswered, lost, quiet } = words;
  return { text: problem?.status === 0 ? (mayHavePaid(state) ? unanswered : lost) : quiet, kind: 'warn' };
}

/** Whether the call without an answer may have taken money: a card payment, or a wallet's transaction. */
const mayHavePaid = ({ method, problem }: CheckoutState) => method === 'card' || problem?.task === 'ask';

function steps(strings: Words, { method, next_action: action }: Payment): TemplateResult {
  const seen = method === 'crypto' ? strings.seenOnChain : strings.seen;
  const needed = action?.type === 'crypto_transfer' ? action.required_confirmations : 0;
  const count =
    needed > 1 && action?.type === 'crypto_transfer'
      ? say(strings.confirmations, { count: action.confirmations, needed })
      : '';
  return html`<div class="steps" part="steps">
    ${bars(2, strings.steps)}<b>${strings.waiting}</b><span>${seen} ${count}</span><small>${strings.leave}</small>
  </div>`;
}

const money = (context: CheckoutContext, minor: number, { currency }: Payment) =>
  moneyText(minor, currency, localeOf(context));

function wrongAsset(strings: Words, { exception }: Payment): Remark | null {
  return exception === 'wrong_asset' || exception === 'wrong_network' ? { text: strings.wrong, kind: 'warn' } : null;
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

/** Loaded separately, because most card payers never see a note on the rate. */
const rateChunk = () => import('./rate.ts');
let rate: Awaited<ReturnType<typeof rateChunk>> | undefined;

/** Loads the notes on the rate. After a failure the next render that needs them tries again. */
async function fetchRate(context: CheckoutContext): Promise<void> {
  try {
    rate ??= await rateChunk();
  } catch {
    return;
  }
  context.element.requestUpdate();
}

function rateRemark(context: CheckoutContext, payment: Payment): Remark | null {
  if (!rate && isQuoteOver(context)) void fetchRate(context);
  return rate?.remarkOnRate(context, payment) ?? null;
}

/** The reason why the last attempt failed. The note is above the form, where the payer can try again. */
function setback(context: CheckoutContext, { last_attempt, phase }: Payment): unknown {
  const { problem, busy } = stateOf(context);
  // The wallet's panel and the quote show their own problems.
  if (busy || /^(quote_expired|stellar_|wallet_)/.test(problem?.code ?? '')) return nothing;
  if (problem?.status === 0) return unanswered(context);
  // While a new attempt waits for the payer's bank, the previous attempt is not shown.
  const attempt = phase === 'requires_action' ? null : last_attempt;
  const refused = problem ? (problem.status === 402 || problem.status === 429) && problem : attempt;
  if (refused) return note(problemText(context, refused), 'bad', 'alert');
  return problem ? note(wordsOf(context).failed, 'bad', 'alert') : nothing;
}

/**
 * Asks to press again, once the connection is back after a call without an answer that could not take money. The card
 * tab has its own note.
 */
function unanswered(context: CheckoutContext): unknown {
  const state = stateOf(context);
  return state.up && !mayHavePaid(state) ? note(wordsOf(context).lost, 'bad', 'alert') : nothing;
}
