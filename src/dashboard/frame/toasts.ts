import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Toast } from '../app/dashboard-context.ts';
import { pathTo } from '../app/router.ts';
import { icon } from '../controls/icons.ts';
import { toneClass } from '../controls/status-chip.ts';
import { controlStyles } from '../controls/styles.ts';

/** Milliseconds for which a toast is shown. A toast with the pointer or the focus on it stays longer. */
const shownMs = 6_000;
/** Maximum number of toasts. A new toast replaces the oldest. */
const most = 3;

interface Shown extends Toast {
  readonly id: number;
}

/** `<pay-toasts>`: short messages in the lower corner. Screen readers announce them. */
export class Toasts extends LitElement {
  static override readonly properties = { list: { state: true } };
  static override readonly styles = [
    controlStyles,
    css`
      :host {
        position: fixed;
        z-index: 30;
        inset-block-end: calc(16px + var(--foot, 0px));
        inset-inline-end: 16px;
        inline-size: min(24rem, 100vw - 32px);
        pointer-events: none;
      }
      ul {
        display: grid;
        gap: 8px;
      }
      li {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr) auto;
        gap: 0 12px;
        align-items: center;
        position: relative;
        padding: 8px 4px 8px 16px;
        border: 1px solid var(--line);
        border-radius: 16px;
        background: var(--card);
        box-shadow: var(--shadow);
        pointer-events: auto;
      }
      .dot {
        inline-size: 10px;
        block-size: 10px;
        border-radius: 50%;
        background: var(--edge);
      }
      .good .dot {
        background: var(--good);
      }
      .warn .dot {
        background: var(--warn);
      }
      .bad .dot {
        background: var(--bad);
      }
      strong {
        font-weight: 600;
      }
      a {
        color: inherit;
        text-decoration: none;
      }
      a::after {
        position: absolute;
        inset: 0;
        border-radius: 16px;
        content: "";
      }
      button {
        position: relative;
        z-index: 1;
      }
    `,
  ];

  declare list: readonly Shown[];
  #count = 0;

  constructor() {
    super();
    this.list = [];
  }

  show(toast: Toast): void {
    const shown = { ...toast, id: ++this.#count };
    this.list = [...this.list, shown].slice(-most);
    this.#endLater(shown.id);
  }

  /** Removes all toasts. */
  clear(): void {
    this.list = [];
  }

  #endLater(id: number): void {
    setTimeout(() => {
      const isHeld = this.renderRoot.querySelector(`[data-id="${id}"]:is(:hover, :focus-within)`) !== null;
      if (isHeld) this.#endLater(id);
      else this.#end(id);
    }, shownMs);
  }

  #end(id: number): void {
    this.list = this.list.filter(toast => toast.id !== id);
  }

  override render(): TemplateResult {
    return html`<div role="status" aria-label="Messages">
      <ul>
        ${repeat(
          this.list,
          ({ id }) => id,
          toast => this.#toast(toast),
        )}
      </ul>
    </div>`;
  }

  #toast({ id, text, detail, tone = 'plain', path }: Shown): TemplateResult {
    const words = html`<strong>${text}</strong>`;
    return html`<li class=${toneClass(tone)} data-id=${id}>
      <span class="dot"></span>
      <div>
        <div>${path === undefined ? words : html`<a href=${pathTo(path)} @click=${() => this.#end(id)}>${words}</a>`}</div>
        ${detail ? html`<div class="second-line">${detail}</div>` : nothing}
      </div>
      <button class="icon-button" type="button" aria-label=${`Dismiss: ${text}`} @click=${() => this.#end(id)}>${icon('close')}</button>
    </li>`;
  }
}

customElements.define('pay-toasts', Toasts);
