import { html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { choose } from '../checkout-actions.ts';
import {
  type CheckoutContext,
  isDark,
  isQuoteOver,
  isWaiting,
  localeOf,
  msHeld,
  stateOf,
} from '../checkout-context.ts';
import { renderView } from '../lazy-views.ts';
import { methodsOf } from '../state/checkout-state.ts';
import { type Hold, heading } from './heading.ts';
import { icon } from './icon.ts';
import { skeleton } from './skeleton.ts';
import { tabs } from './tabs.ts';

/** The whole checkout as a card. */
export function checkoutView(context: CheckoutContext): TemplateResult {
  const { strings, element, spoken } = context;
  const { payment, busy } = stateOf(context);
  const isTest = payment ? !payment.livemode : element.apiKey?.startsWith('pk_test');
  return html`<section
    class="skin card ${isDark(context) ? 'dark' : ''}"
    part="card"
    lang=${strings.lang}
    dir=${strings.dir ?? nothing}
    aria-label=${strings.label}
    aria-busy=${busy !== null}
  >
    ${body(context)}
    <footer part="footer">
      ${icon('lock')}<span>${strings.settles}${isTest ? ` · ${strings.testMode}` : nothing}</span>
    </footer>
    <p class="quiet" role="status">${spoken}</p>
  </section>`;
}

function body(context: CheckoutContext): unknown {
  const { element, isRefused, session, strings } = context;
  const state = stateOf(context);
  const { payment, options, problem, busy } = state;
  if (session?.needsCustomer()) return renderView(context, element.link ? 'link' : 'details');
  const methods = methodsOf(state);
  if (options && payment && !(payment.status === 'pending' && methods[0])) return renderView(context, 'outcome');
  if (isRefused || (problem && !busy && !options)) return renderView(context, 'trouble');
  if (!payment || !options) return skeleton(strings.loading);
  const hasTabs = methods.length > 1 && !isWaiting(context, payment);
  return html`${heading(payment, holdOf(context, payment), { strings, locale: localeOf(context) })}
    ${hasTabs ? tabs(methods, state.method, strings, method => choose(context, method)) : nothing}
    ${renderView(context, 'panels')}`;
}

function holdOf(context: CheckoutContext, payment: Payment): Hold | null {
  const left = msHeld(context);
  if (left === null) return null;
  const { created_at, expires_at } = payment.quote;
  const share = Math.min(1, left / (Date.parse(expires_at) - Date.parse(created_at)));
  return { seconds: Math.ceil(left / 1000), share, over: isQuoteOver(context) };
}
