import { html, type TemplateResult } from 'lit';
import type { CheckoutMethod } from '../state/checkout-state.ts';
import type { Strings } from '../strings/en.ts';
import { icon } from './icon.ts';

/** The payment methods as tabs (WAI-ARIA tabs pattern with automatic activation and one tab stop). */
export function tabs(
  methods: readonly CheckoutMethod[],
  chosen: CheckoutMethod | null,
  strings: Strings,
  choose: (method: CheckoutMethod) => void,
): TemplateResult {
  return html`<div
    class="tabs"
    part="tabs"
    role="tablist"
    aria-label=${strings.methods}
    @keydown=${(event: KeyboardEvent) => move(event, methods, chosen, choose)}
  >
    ${methods.map(
      method => html`<button
        role="tab"
        type="button"
        part="tab"
        id="tab-${method}"
        aria-controls="panel-${method}"
        aria-selected=${method === chosen}
        tabindex=${method === chosen ? 0 : -1}
        @click=${() => choose(method)}
      >
        ${icon(method)}${strings[method]}
      </button>`,
    )}
  </div>`;
}

function move(
  event: KeyboardEvent,
  methods: readonly CheckoutMethod[],
  chosen: CheckoutMethod | null,
  choose: (method: CheckoutMethod) => void,
): void {
  const list = event.currentTarget as HTMLElement;
  const step = getComputedStyle(list).direction === 'rtl' ? -1 : 1;
  const at = chosen ? methods.indexOf(chosen) : 0;
  const to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: -1 }[event.key];
  const method = to === undefined ? undefined : methods.at(to % methods.length);
  if (!method) return;
  event.preventDefault();
  choose(method);
  list.querySelector<HTMLElement>(`#tab-${method}`)?.focus();
}
