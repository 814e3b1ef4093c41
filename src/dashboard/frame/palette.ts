import { css, html, nothing, type TemplateResult } from 'lit';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { DashboardElement } from '../app/dashboard-page.ts';
import { AfterTyping } from '../app/soon.ts';
import { icon } from '../controls/icons.ts';
import { errorNote } from '../controls/states.ts';
import { modules } from '../modules.ts';
import { entriesOf } from './navigation.ts';
import { findObjects, type Line } from './palette-search.ts';

/** Milliseconds after a key before the service is asked. */
const pauseMs = 150;

/** Pages of all modules, and the actions that the person may use. */
function commands(app: DashboardContext): readonly Line[] {
  const actions = modules.flatMap(({ search = [] }) => search).filter(({ isFor }) => isFor?.(app) ?? true);
  return [
    ...entriesOf(modules).map(({ label, icon, path }) => ({ label, icon, path, words: label })),
    ...actions.map(({ label, words = '', path }) => ({
      label,
      path,
      icon: 'add' as const,
      words: `${label} ${words}`,
    })),
  ];
}

/**
 * `<pay-palette>`: finds pages and actions by a few letters, and objects with the service's search. Arrow keys choose a
 * line, and Enter opens it.
 */
export class Palette extends DashboardElement {
  static override readonly properties = {
    text: { state: true },
    found: { state: true },
    at: { state: true },
    isSearching: { state: true },
    error: { state: true },
  };
  static override readonly styles = [
    DashboardElement.styles,
    css`
      dialog {
        inline-size: min(100vw - 24px, 36rem);
        max-block-size: min(32rem, 100dvh - 24px);
        margin: min(12dvh, 96px) auto auto;
        padding: 0;
        overflow: hidden;
        border: 1px solid var(--line);
        border-radius: 20px;
        background: var(--card);
        color: var(--ink);
        box-shadow: var(--shadow);
      }
      dialog::backdrop {
        background: #0009;
      }
      .ask {
        display: flex;
        gap: 12px;
        align-items: center;
        padding: 6px 16px;
        border-block-end: 1px solid var(--line);
        color: var(--ink2);
      }
      input {
        flex: 1;
        min-inline-size: 0;
        min-block-size: 48px;
        border: 0;
        outline: none;
        background: none;
        color: var(--ink);
        font-size: 16px;
      }
      /* The caret shows the focus of this field. */
      input:focus-visible {
        outline: none;
      }
      .ask:focus-within {
        border-block-end-color: var(--accent);
      }
      kbd {
        padding: 1px 6px;
        border: 1px solid var(--line);
        border-radius: 6px;
        font: inherit;
        font-size: 0.8rem;
      }
      input::placeholder {
        color: var(--ink3);
        opacity: 1;
      }
      [role="listbox"] {
        max-block-size: min(26rem, 100dvh - 140px);
        padding: 8px;
        overflow: auto;
      }
      [role="option"] {
        display: flex;
        gap: 12px;
        align-items: center;
        min-block-size: 44px;
        padding: 6px 12px;
        border-radius: 12px;
        color: var(--ink2);
        cursor: pointer;
      }
      [role="option"] b {
        color: var(--ink);
        font-weight: 500;
      }
      [role="option"] .second-line {
        overflow-wrap: anywhere;
      }
      [aria-selected="true"] {
        background: var(--soft);
        color: var(--accent);
      }
      .status {
        padding: 12px 20px 16px;
        color: var(--ink2);
      }
    `,
  ];

  declare text: string;
  /** Matching objects of the service. */
  declare found: readonly Line[];
  /** Index of the chosen line. */
  declare at: number;
  declare isSearching: boolean;
  /** The error of the last search, or null. */
  declare error: unknown;

  readonly #objects = new AfterTyping(this, {
    load: (text: string, signal) => findObjects(this.app, text, signal),
    show: found => {
      Object.assign(this, { found, isSearching: false });
      if (this.#isEntered) this.#choose(this.#lines[this.at]);
    },
    fail: error => Object.assign(this, { found: [], isSearching: false, error }),
  });
  /** Whether Enter was pressed before the service had answered. The first result opens when it arrives. */
  #isEntered = false;

  constructor() {
    super();
    this.text = '';
    this.found = [];
    this.at = 0;
    this.isSearching = false;
    this.error = null;
  }

  open(): void {
    void this.updateComplete.then(() => {
      const dialog = this.renderRoot.querySelector('dialog');
      if (!dialog?.open) dialog?.showModal();
      this.renderRoot.querySelector('input')?.select();
    });
  }

  get #lines(): readonly Line[] {
    return [...this.#commands, ...this.found];
  }

  /** The pages and actions that match the text. */
  get #commands(): readonly Line[] {
    const parts = this.text.toLowerCase().split(/\s+/).filter(Boolean);
    return commands(this.app).filter(({ words }) => parts.every(part => words.toLowerCase().includes(part)));
  }

  readonly #type = (event: InputEvent): void => {
    this.text = (event.target as HTMLInputElement).value;
    this.at = 0;
    this.#isEntered = false;
    this.#search(pauseMs);
  };

  #search(pause: number): void {
    const text = this.text.trim();
    this.error = null;
    this.isSearching = text.length >= 2;
    if (this.isSearching) {
      this.#objects.ask(text, pause);
      return;
    }
    this.#objects.stop();
    this.found = [];
  }

  /** Repeats a failed search. The pressed button disappears, so the focus returns to the field. */
  readonly #again = (): void => {
    this.renderRoot.querySelector('input')?.focus();
    this.#search(0);
  };

  readonly #press = (event: KeyboardEvent): void => {
    const { length } = this.#lines;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && length > 0) {
      event.preventDefault();
      this.at = (this.at + step + length) % length;
      void this.updateComplete.then(() =>
        this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
      );
    }
    if (event.key !== 'Enter') return;
    // Otherwise Enter would press the button that gets the focus when the palette closes.
    event.preventDefault();
    // During a search, the found objects belong to an earlier text. Enter waits for the results, unless a page or an
    // action matches, or the person has chosen a line.
    this.#isEntered = this.isSearching && this.at === 0 && this.#commands.length === 0;
    if (!this.#isEntered) this.#choose(this.#lines[this.at]);
  };

  #choose(line: Line | undefined): void {
    this.#isEntered = false;
    if (line === undefined) return;
    this.renderRoot.querySelector('dialog')?.close();
    this.app.go(line.path);
  }

  override render(): TemplateResult {
    const lines = this.#lines;
    return html`<dialog aria-label="Search" @click=${this.#outside}>
      <div class="ask">
        ${icon('search')}
        <input type="text" role="combobox" aria-label="Search payments, people, hashes" aria-expanded="true"
          aria-controls="lines" aria-activedescendant=${lines.length > 0 ? `line-${this.at}` : nothing}
          aria-autocomplete="list" autocomplete="off" spellcheck="false" maxlength="200"
          placeholder="An id, e-mail, reference, hash, or a page" .value=${this.text} @input=${this.#type} @keydown=${this.#press}>
        <kbd>Esc</kbd>
      </div>
      <div id="lines" role="listbox" aria-label="Results">${lines.map((line, index) => this.#line(line, index))}</div>
      ${this.error === null ? nothing : html`<div class="status">${errorNote(this.error, this.#again)}</div>`}
      <div role="status" class=${lines.length === 0 && this.error === null ? 'status' : 'quiet'}>${this.#status(lines.length)}</div>
    </dialog>`;
  }

  #status(count: number): string {
    if (this.isSearching) return 'Searching …';
    if (count > 0) return `${count} results`;
    if (this.error !== null) return '';
    return 'Nothing found. Try an id, an e-mail address, a reference or a transaction hash.';
  }

  #line(line: Line, index: number): TemplateResult {
    return html`<div id=${`line-${index}`} role="option" aria-selected=${index === this.at}
      @click=${() => this.#choose(line)} @pointermove=${() => {
        this.at = index;
      }}>
      ${icon(line.icon)}
      <div><b>${line.label}</b>${line.detail ? html`<div class="second-line">${line.detail}</div>` : nothing}</div>
    </div>`;
  }

  #outside(event: Event): void {
    const dialog = event.currentTarget as HTMLDialogElement;
    if (event.target === dialog) dialog.close();
  }
}

customElements.define('pay-palette', Palette);

declare global {
  interface HTMLElementTagNameMap {
    'pay-palette': Palette;
  }
}
