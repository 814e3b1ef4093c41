import { css, html, nothing, type TemplateResult } from 'lit';
import { type CheckoutMethod, methodsOf } from '../checkout-selectors.ts';
import { configProblem } from '../config-problem.ts';
import { announce, confirm, type Desk, isQuoteOver, isWaiting, report, stateOf } from '../desk.ts';
import { say } from '../strings/en.ts';
import { situationStrings as strings } from '../strings/en-situation.ts';
import { renderView, type View, viewOf } from '../view-rack.ts';
import { mainButton, note } from './furniture.ts';
import { situation, situationStyles } from './situation.ts';
import { bone } from './skeleton.ts';

export const styles = css`
  ${situationStyles}
`;

/** Everything below the tabs, and what there is to say when there are none. */
export function createView(desk: Desk): View {
  let said = '';
  const refusal = desk.isRefused ? configProblem(desk.element) : null;
  if (refusal) report(desk, refusal);
  return {
    render({ payment, options }) {
      if (refusal) return note(refusal.message.replace('. ', '.|'), 'bad', 'alert');
      if (!payment || !options) return trouble(desk);
      const { drawn, spoken } = situation(desk, payment);
      // After the render: one that is asked for in its middle is not heard of.
      if (spoken !== said) void desk.element.updateComplete.then(() => announce(desk, spoken));
      said = spoken;
      return html`${drawn}${isWaiting(desk, payment) ? nothing : panels(desk)}`;
    },
  };
}

/** There is no payment, and the payer is told why. */
function trouble(desk: Desk): TemplateResult {
  const { problem } = stateOf(desk);
  const text = problem?.status ? say(strings.notStarted, { message: problem.message }) : strings.noAnswer;
  return html`${note(text, 'bad', 'alert')}
    <button class="second" type="button" @click=${() => desk.session?.begin()}>${desk.strings.tryAgain}</button>`;
}

function panels(desk: Desk): TemplateResult {
  const state = stateOf(desk);
  const { method, busy } = state;
  const methods = methodsOf(state);
  const view = method ? viewOf(desk, method) : undefined;
  const action = isQuoteOver(desk) ? strings.refresh : view?.action?.(state);
  const isBusy = busy === 'confirm' || busy === 'quote' || view?.isBusy?.();
  return html`${methods.map(known => (desk.visited.has(known) ? panel(desk, known, methods.length > 1) : nothing))}
    ${action ? mainButton(action, () => void confirm(desk), isBusy) : view ? nothing : bone()}
    ${view?.below?.(state) ?? nothing}`;
}

/** A panel stays when another is chosen, so that nothing typed is lost. */
function panel(desk: Desk, method: CheckoutMethod, hasTab: boolean): TemplateResult {
  return html`<div
    class="panel"
    part="panel"
    id="panel-${method}"
    role=${hasTab ? 'tabpanel' : nothing}
    aria-labelledby=${hasTab ? `tab-${method}` : nothing}
    ?hidden=${method !== stateOf(desk).method}
  >
    ${renderView(desk, method)}
  </div>`;
}
