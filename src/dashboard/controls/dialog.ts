import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from './icons.ts';
import { controlStyles } from './styles.ts';

/**
 * `<pay-dialog heading open>`: a modal dialog with a heading. The default slot has the content, and the slot `buttons`
 * has the buttons. The first field gets the focus. Fires `close` when the person presses the close button, Escape or
 * outside the dialog, but not while `busy`. The owner then sets `open` to false.
 */
class Dialog extends LitElement {
  static override readonly properties = {
    heading: {},
    open: { type: Boolean, reflect: true },
    busy: { type: Boolean },
    wide: { type: Boolean, reflect: true },
  };
  static override readonly styles = [
    controlStyles,
    css`
      dialog {
        inline-size: min(100vw - 24px, 30rem);
        max-block-size: calc(100dvh - 24px);
        margin: auto;
        padding: 0;
        border: 1px solid var(--line);
        border-radius: 20px;
        background: var(--card);
        color: var(--ink);
        box-shadow: var(--shadow);
        overflow: hidden;
        /* Browsers draw modal dialogs on top in any case. Checkers such as axe compare z-index instead. */
        z-index: 50;
      }
      /* The content scrolls between heading and buttons. */
      dialog[open] {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr) auto;
      }
      :host([wide]) dialog {
        inline-size: min(100vw - 24px, 46rem);
      }
      dialog::backdrop {
        background: #0009;
      }
      header {
        display: flex;
        gap: 12px;
        align-items: center;
        justify-content: space-between;
        padding: 16px 12px 0 20px;
      }
      .content {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 14px;
        padding: 8px 20px;
        overflow: auto;
      }
      footer {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
        justify-content: end;
        padding: 12px 20px 20px;
      }
      @media (width < 480px) {
        dialog,
        :host([wide]) dialog {
          inline-size: 100vw;
          max-inline-size: 100vw;
          margin: auto 0 0;
          border-radius: 20px 20px 0 0;
        }
        footer {
          flex-direction: column-reverse;
        }
      }
    `,
  ];

  declare heading: string;
  declare open: boolean;
  declare busy: boolean;
  declare wide: boolean;

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  override updated(changed: PropertyValues<this>): void {
    if (!changed.has('open')) return;
    if (this.open && !this.#dialog?.open) {
      this.#dialog?.showModal();
      // Without this, the browser would focus the button in the heading.
      this.querySelector<HTMLElement>('input, select, textarea')?.focus();
      this.#reachContent();
    }
    if (!this.open) this.#dialog?.close();
  }

  /** Lets content that overflows have the focus, because keys scroll only the focused element. */
  #reachContent(): void {
    const content = this.renderRoot.querySelector('.content');
    content?.toggleAttribute('tabindex', false);
    if (content && content.scrollHeight > content.clientHeight) content.setAttribute('tabindex', '0');
  }

  #ask(event: Event): void {
    event.preventDefault();
    if (!this.busy) this.dispatchEvent(new CustomEvent('close'));
  }

  override render(): TemplateResult {
    return html`<dialog aria-labelledby="heading" @cancel=${this.#ask}
      @click=${(event: MouseEvent) => event.target === this.#dialog && this.#ask(event)}>
      <header>
        <h2 id="heading">${this.heading}</h2>
        <button class="icon-button" type="button" aria-label="Close" ?disabled=${this.busy} @click=${this.#ask}>
          ${icon('close')}
        </button>
      </header>
      <div class="content">${this.open ? html`<slot></slot>` : nothing}</div>
      <footer><slot name="buttons"></slot></footer>
    </dialog>`;
  }
}

customElements.define('pay-dialog', Dialog);

/** One effect of an action, as a row of a table. */
export interface Effect {
  readonly what: string;
  readonly result: TemplateResult | string;
}

/** The table of an action's effects, shown before the person confirms the action. */
export function effectsTable(effects: readonly Effect[]): TemplateResult {
  return html`<table class="rows">
    <caption class="quiet">What will happen</caption>
    <tbody>
      ${effects.map(({ what, result }) => html`<tr><th scope="row">${what}</th><td class="end">${result}</td></tr>`)}
    </tbody>
  </table>`;
}
