import { css, html, nothing, type TemplateResult } from 'lit';
import { type CheckoutMethod, methodsOf } from '../checkout-selectors.ts';
import { announce, type Desk, isQuoteOver, isWaiting, stateOf } from '../desk.ts';
import { confirm } from '../desk-work.ts';
import { renderView, type View, viewOf } from '../view-rack.ts';
import { mainButton } from './furniture.ts';
import { fetchRate, situation, situationStyles } from './situation.ts';
import { bone } from './skeleton.ts';

export const styles = css`
  ${situationStyles}
`;

/** How long after the first picture the sentences on the rate are fetched, in ms: it may run out while the line is lost. */
const spareTimeMs = 5000;

/** Everything below the tabs. */
export function createView(desk: Desk): View {
  let said = '';
  setTimeout(() => void fetchRate(desk), spareTimeMs);
  return {
    render({ payment }) {
      if (!payment) return nothing;
      const { drawn, spoken } = situation(desk, payment);
      // After the render: one that is asked for in its middle is not heard of.
      if (spoken !== said) void desk.element.updateComplete.then(() => announce(desk, spoken));
      said = spoken;
      return html`${drawn}${isWaiting(desk, payment) ? nothing : panels(desk)}`;
    },
  };
}

function panels(desk: Desk): TemplateResult {
  const state = stateOf(desk);
  const { method, busy } = state;
  const methods = methodsOf(state);
  const view = method ? viewOf(desk, method) : undefined;
  const isOver = isQuoteOver(desk);
  const action = isOver ? null : view?.action?.(state);
  const isBusy = busy === 'confirm' || busy === 'quote' || view?.isBusy?.();
  return html`${methods.map(known => (desk.visited.has(known) ? panel(desk, known, methods.length > 1) : nothing))}
    ${action ? mainButton(action, () => void confirm(desk), isBusy) : view ? nothing : bone()}
    ${(!isOver && view?.below?.(state)) || nothing}`;
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
