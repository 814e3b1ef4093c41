import { html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../api/payment.ts';
import { methodsOf } from './checkout-selectors.ts';
import { type Desk, isDark, isQuoteOver, isWaiting, localeOf, msHeld, stateOf } from './desk.ts';
import { choose } from './desk-work.ts';
import { type Hold, heading } from './parts/heading.ts';
import { icon } from './parts/icon.ts';
import { skeleton } from './parts/skeleton.ts';
import { tabs } from './parts/tabs.ts';
import { renderView } from './view-rack.ts';

/** The card with everything on it. */
export function checkoutView(desk: Desk): TemplateResult {
  const { strings, element, spoken } = desk;
  const { payment, busy } = stateOf(desk);
  const isTest = payment ? !payment.livemode : element.apiKey?.startsWith('pk_test');
  return html`<section
    class="skin card ${isDark(desk) ? 'dark' : ''}"
    part="card"
    lang=${strings.lang}
    dir=${strings.dir ?? nothing}
    aria-label=${strings.label}
    aria-busy=${busy !== null}
  >
    ${body(desk)}
    <footer part="footer">
      ${icon('lock')}<span>${strings.settles}${isTest ? ` · ${strings.testMode}` : nothing}</span>
    </footer>
    <p class="quiet" role="status">${spoken}</p>
  </section>`;
}

function body(desk: Desk): unknown {
  const { isRefused, session, strings } = desk;
  const state = stateOf(desk);
  const { payment, options, problem, busy } = state;
  if (session?.needsCustomer()) return renderView(desk, 'details');
  const methods = methodsOf(state);
  if (options && payment && !(payment.status === 'pending' && methods[0])) return renderView(desk, 'outcome');
  if (isRefused || (problem && !busy && !options)) return renderView(desk, 'trouble');
  if (!payment || !options) return skeleton(strings.loading);
  const hasTabs = methods.length > 1 && !isWaiting(desk, payment);
  return html`${heading(payment, holdOf(desk, payment), { strings, locale: localeOf(desk) })}
    ${hasTabs ? tabs(methods, state.method, strings, method => choose(desk, method)) : nothing}
    ${renderView(desk, 'panels')}`;
}

function holdOf(desk: Desk, payment: Payment): Hold | null {
  const left = msHeld(desk);
  if (left === null) return null;
  const { created_at, expires_at } = payment.quote;
  const share = Math.min(1, left / (Date.parse(expires_at) - Date.parse(created_at)));
  return { seconds: Math.ceil(left / 1000), share, over: isQuoteOver(desk) };
}
