import { css, html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { announce, type CheckoutContext, isWaiting, msHeld, stateOf, type View } from '../checkout-context.ts';
import { confirm, mainButton } from '../controls/controls.ts';
import { buttonSkeleton } from '../first-screen/skeleton.ts';
import { fetchView, isRateOver, renderView, viewOf } from '../lazy-views.ts';
import { type CheckoutMethod, methodsOf } from '../state/checkout-state.ts';
import { panelStrings } from '../strings/en/panels.ts';
import { say } from '../strings/en.ts';

export const styles = css``;

/** Milliseconds before the notes and the outcome are loaded. The connection may be lost when they are needed. */
const preloadMs = 5000;

/** The notes are a separate chunk, because most card payers see none. */
const notesChunk = () => import('./situation.ts');
let notes: Awaited<ReturnType<typeof notesChunk>> | undefined;

/** Loads the notes about the payment. After a failure, the next render that needs notes tries again. */
async function fetchNotes(context: CheckoutContext): Promise<void> {
  try {
    notes ??= await notesChunk();
  } catch {
    return;
  }
  context.element.requestUpdate();
}

/** Loads the outcome early. After a failure, the outcome is loaded when it is needed, without a press of a button. */
async function preloadOutcome(context: CheckoutContext): Promise<void> {
  await fetchView(context, 'outcome');
  if (context.views.get('outcome') === null) context.views.delete('outcome');
}

/** Everything below the tabs: notes about the payment, the methods' panels and the main button. */
export function createView(context: CheckoutContext): View {
  let said = '';
  setTimeout(() => {
    if (!context.session) return;
    void fetchNotes(context);
    void preloadOutcome(context);
  }, preloadMs);
  return {
    render({ payment }) {
      if (!payment) return nothing;
      if (!notes && hasNotes(context, payment)) void fetchNotes(context);
      const { drawn = nothing, spoken = '' } = notes?.situation(context, payment) ?? {};
      // Lit ignores an update that is requested during a render, so the announcement waits.
      if (spoken !== said) void context.element.updateComplete.then(() => announce(context, spoken));
      said = spoken;
      return html`${drawn}${isWaiting(context, payment) ? nothing : panels(context, payment)}`;
    },
  };
}

/** Whether there may be a note about the payment. */
function hasNotes(context: CheckoutContext, { phase, exception, last_attempt }: Payment): boolean {
  const { up, problem } = stateOf(context);
  const isLastMinute = (msHeld(context) ?? Number.POSITIVE_INFINITY) <= 60_000;
  return phase !== 'awaiting_payer' || !up || isLastMinute || Boolean(problem || exception || last_attempt);
}

function panels(
  context: CheckoutContext,
  { cancel_url: back, merchant, amount_received: received }: Payment,
): TemplateResult {
  const methods = methodsOf(stateOf(context));
  const { backTo } = context.strings.parts?.panels ?? panelStrings;
  return html`${methods.map(known => (context.visited.has(known) ? panel(context, known, methods.length > 1) : nothing))}
    ${isRateOver(context) ? (notes?.renewButton(context) ?? buttonSkeleton()) : actions(context)}
    ${back && merchant && !received ? html`<a class="plain" part="back" href=${back}>${say(backTo, merchant)}</a>` : nothing}`;
}

/** The main button of the chosen method, and the content below it. */
function actions(context: CheckoutContext): unknown {
  const state = stateOf(context);
  const { method, busy } = state;
  const view = method ? viewOf(context, method) : undefined;
  if (!view) return buttonSkeleton();
  const action = view.action?.(state);
  const isBusy = busy === 'confirm' || busy === 'quote' || view.isBusy?.();
  return [action ? mainButton(action, () => void press(context), isBusy) : nothing, view.below?.(state) ?? nothing];
}

/** Handles a press of the main button. Also loads the notes, because the connection may be lost during the call. */
async function press(context: CheckoutContext): Promise<void> {
  void fetchNotes(context);
  await confirm(context);
}

/** The panel of a method. While another method is chosen, the panel is hidden, so that typed text is not lost. */
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
