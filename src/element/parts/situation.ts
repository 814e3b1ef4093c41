import { css, html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { dueOf } from '../checkout-selectors.ts';
import type { CheckoutState } from '../checkout-store.ts';
import { type Desk, isQuoteOver, isWaiting, localeOf, stateOf } from '../desk.ts';
import { moneyText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import { situationStrings } from '../strings/en-situation.ts';
import { bars, note, problemText } from './furniture.ts';
import { rateChunk } from './panels-chunks.ts';

export const situationStyles = css`
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

/** What is said of it, in the element's language. */
export const situationWords = ({ strings }: Desk): Words => strings.parts?.situation ?? situationStrings;

/** One thing that is unusual: its sentence, how it looks, and what is drawn below it. */
export interface Remark {
  readonly text: string;
  readonly kind: '' | 'warn';
  readonly drawing?: TemplateResult;
  /** The chosen tab says it, too: here it is only spoken. */
  readonly isInTab?: boolean;
  /** It answers a press, and gets the focus of the button that has gone. */
  readonly isAnswer?: boolean;
}

/** What is unusual while a payment is open: told above the ways to pay, or in their place while money is on its way. */
export function situation(desk: Desk, payment: Payment): { readonly drawn: unknown; readonly spoken: string } {
  const strings = situationWords(desk);
  const state = stateOf(desk);
  const waiting = isWaiting(desk, payment);
  const remarks = [
    line(strings, state),
    ...(waiting ? [] : [mistake(strings, payment), shortfall(desk, payment), rateRemark(desk, payment)]),
  ].filter(remark => remark !== null);
  return {
    drawn: [
      ...remarks.map(({ text, kind, drawing: below, isInTab, isAnswer }) => {
        const parts = [isInTab ? nothing : note(text, kind), below ?? nothing];
        return isAnswer ? html`<div class="answer" tabindex="-1">${parts}</div>` : parts;
      }),
      waiting ? steps(strings, payment) : setback(desk, payment),
    ],
    spoken: [...remarks.map(({ text }) => text.replace('|', ' ')), waiting ? strings.waiting : ''].join(' ').trim(),
  };
}

/** The line, and a call that it has swallowed, are one sentence: two would contradict each other. */
function line(strings: Words, state: CheckoutState): Remark | null {
  const { up, problem } = state;
  if (up) return null;
  const words = navigator.onLine ? strings.unreachable : strings.offline;
  const { unanswered, lost, quiet } = words;
  return { text: problem?.status === 0 ? (mayHavePaid(state) ? unanswered : lost) : quiet, kind: 'warn' };
}

/** Whether the call without an answer was one that takes money: a card's, or of a wallet. */
const mayHavePaid = ({ method, problem }: CheckoutState) => method === 'card' || problem?.errand === 'ask';

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

const money = (desk: Desk, minor: number, { currency }: Payment) => moneyText(minor, currency, localeOf(desk));

function mistake(strings: Words, { exception }: Payment): Remark | null {
  return exception === 'wrong_asset' || exception === 'wrong_network' ? { text: strings.wrong, kind: 'warn' } : null;
}

function shortfall(desk: Desk, payment: Payment): Remark | null {
  if (payment.amount_received === 0) return null;
  const strings = situationWords(desk);
  const values = {
    amount: money(desk, dueOf(payment), payment),
    received: money(desk, payment.amount_received, payment),
  };
  const isInTab = stateOf(desk).method === 'bank_transfer' && payment.next_action?.type === 'bank_instructions';
  return { text: say(strings.short, values), kind: 'warn', isInTab };
}

let rate: Awaited<ReturnType<typeof rateChunk>> | undefined;

/** Loads what is said of the rate; where it cannot be loaded, the next drawing that needs it tries again. */
export async function fetchRate(desk: Desk): Promise<void> {
  try {
    rate ??= await rateChunk();
  } catch {
    return;
  }
  desk.element.requestUpdate();
}

function rateRemark(desk: Desk, payment: Payment): Remark | null {
  if (!rate && isQuoteOver(desk)) void fetchRate(desk);
  return rate?.remarkOnRate(desk, payment) ?? null;
}

/** What the last try came to, above the form in which it can be tried again. */
function setback(desk: Desk, { last_attempt, phase }: Payment): unknown {
  const { problem, busy } = stateOf(desk);
  // What a wallet's panel is told, it tells itself.
  if (busy || /^(quote_expired|stellar_|wallet_)/.test(problem?.code ?? '')) return nothing;
  if (problem?.status === 0) return unheard(desk);
  // A new try that waits for the payer's bank is not the one before.
  const attempt = phase === 'requires_action' ? null : last_attempt;
  const refused = problem ? (problem.status === 402 || problem.status === 429) && problem : attempt;
  if (refused) return note(problemText(desk, refused), 'bad', 'alert');
  return problem ? note(situationWords(desk).failed, 'bad', 'alert') : nothing;
}

/** The line is back, the payment is as it was: what was pressed has come to nothing. Of a payment its own tab says so. */
function unheard(desk: Desk): unknown {
  const state = stateOf(desk);
  return state.up && !mayHavePaid(state) ? note(situationWords(desk).lost, 'bad', 'alert') : nothing;
}
