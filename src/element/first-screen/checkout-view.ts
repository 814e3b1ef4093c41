import { html, nothing, type TemplateResult } from 'lit';
import { choose } from '../checkout-actions.ts';
import { type CheckoutContext, isDark, isWaiting, stateOf } from '../checkout-context.ts';
import { indexOf } from '../events.ts';
import { renderView, viewOf } from '../lazy-views.ts';
import { isUsable } from '../state/checkout-config.ts';
import { type CheckoutMethod, methodsOf } from '../state/checkout-state.ts';
import { heading } from './heading.ts';
import { icon } from './icon.ts';
import { skeleton } from './skeleton.ts';

/** The whole checkout as a card. */
export function checkoutView(context: CheckoutContext): TemplateResult {
  const { strings, element, spoken } = context;
  const { payment, busy } = stateOf(context);
  // If a page has several checkouts, all but the first have a number in their name. Their landmarks then differ.
  const place = indexOf(element);
  const isTest = payment ? !payment.livemode : element.apiKey?.startsWith('pk_test');
  // A settlement asset of three letters, but XLM, is a currency. Without a payment, the text is `undefined`.
  const onStellar = /XLM|.{4}/.test(`${payment?.settlement_asset}`);
  const note = [onStellar && strings.settles, isTest && strings.testMode].filter(Boolean).join(' · ');
  return html`<section
    class="skin card ${isDark(context) ? 'dark' : ''}"
    part="card"
    lang=${strings.lang}
    dir=${strings.dir ?? nothing}
    aria-label=${strings.label + (place > 0 ? ` ${place + 1}` : '')}
    aria-busy=${busy !== null}
  >
    ${body(context)}
    ${note && html`<footer part="footer">${icon('lock')}<span>${note}</span></footer>`}
    <p class="quiet" role="status">${spoken}</p>
  </section>`;
}

function body(context: CheckoutContext): unknown {
  const { element, session, strings } = context;
  const state = stateOf(context);
  const { payment, options, problem, busy } = state;
  if (session?.needsCustomer()) return renderView(context, element.link ? 'link' : 'details');
  const methods = methodsOf(state);
  if (options && payment && !(payment.status === 'pending' && methods[0])) return renderView(context, 'outcome');
  if (!isUsable(element) || (problem && !busy && !options)) return renderView(context, 'trouble');
  if (!payment || !options) return skeleton(strings.loading);
  const hasTabs = methods.length > 1 && !isWaiting(context, payment);
  return html`${heading(context, payment)}
    ${hasTabs ? tabs(context, methods) : nothing}
    ${renderView(context, 'panels')}`;
}

/** The payment methods as tabs (WAI-ARIA tabs pattern). `attend` in `attention.ts` handles their keys. */
function tabs(context: CheckoutContext, methods: readonly CheckoutMethod[]): TemplateResult {
  const { strings } = context;
  const { method: chosen } = stateOf(context);
  // The panels come later. A tab must not refer to an element that does not exist.
  const panels = viewOf(context, 'panels');
  return html`<div
    class="tabs"
    part="tabs"
    role="tablist"
    aria-label=${strings.methods}
  >
    ${methods.map(
      method => html`<button
        role="tab"
        type="button"
        part="tab"
        id="tab-${method}"
        aria-controls=${panels ? `panel-${method}` : nothing}
        aria-selected=${method === chosen}
        tabindex=${method === chosen ? 0 : -1}
        @click=${() => choose(context, method)}
      >
        ${icon(method)}${strings[method]}
      </button>`,
    )}
  </div>`;
}
