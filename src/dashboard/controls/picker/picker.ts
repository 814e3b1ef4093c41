import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { AfterTyping } from '../../app/soon.ts';
import { icon } from '../icons.ts';
import { errorWords } from '../states.ts';
import { controlStyles } from '../styles.ts';

/** One choice of a picker. */
export interface Pick {
  /** The id of the object. */
  readonly id: string;
  readonly label: string;
  readonly detail?: string | null;
}

/** Milliseconds after a key before the service is asked. */
const pauseMs = 200;

/**
 * `<pay-picker .label .none .chosen .find>`: chooses one object of many by a few letters (the ARIA pattern “combobox”).
 * Arrow keys mark a choice, Enter takes it, and Escape closes the list. An empty text offers the newest objects and the
 * choice of nothing. Fires `pick` with the taken choice, which is null for the choice of nothing.
 */
export class Picker extends LitElement {
  static override readonly shadowRootOptions = { ...LitElement.shadowRootOptions, delegatesFocus: true };
  static override readonly properties = {
    label: { attribute: false },
    name: { attribute: false },
    none: { attribute: false },
    hint: { attribute: false },
    error: { attribute: false },
    chosen: { attribute: false },
    find: { attribute: false },
    text: { state: true },
    isTyped: { state: true },
    isFinding: { state: true },
    found: { state: true },
    at: { state: true },
    problem: { state: true },
  };
  static override readonly styles = [
    controlStyles,
    css`
      .field {
        position: relative;
      }
      .box {
        position: relative;
      }
      .input {
        padding-inline-end: 40px;
        text-overflow: ellipsis;
      }
      .box .icon {
        position: absolute;
        inset-block-start: 12px;
        inset-inline-end: 12px;
        color: var(--ink2);
        pointer-events: none;
      }
      .list {
        position: absolute;
        z-index: 5;
        inset-block-start: calc(100% + 4px);
        inset-inline: 0;
        max-block-size: min(20rem, 50dvh);
        padding: 6px;
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: 12px;
        background: var(--card);
        box-shadow: var(--shadow);
      }
      [role="option"] {
        display: grid;
        align-content: center;
        min-block-size: 44px;
        padding: 6px 10px;
        border-radius: 8px;
        overflow-wrap: anywhere;
        cursor: pointer;
      }
      .at {
        background: var(--soft);
        color: var(--accent);
        outline: 2px solid var(--accent);
        outline-offset: -2px;
      }
      .at .second-line {
        color: inherit;
      }
      .state {
        padding: 8px 10px;
        color: var(--ink2);
      }
    `,
  ];

  declare label: string;
  declare name: string;
  /** The label of the choice of nothing. */
  declare none: string;
  declare hint: string;
  declare error: string | undefined;
  declare chosen: Pick | null;
  /** Finds objects by a text. For an empty text, the newest objects. */
  declare find: (text: string, signal: AbortSignal) => Promise<readonly Pick[]>;
  /** The text to find while the list is open. Null: the list is closed. */
  declare private text: string | null;
  /** Whether the person has typed since the list opened. Until then, the field shows the choice. */
  declare private isTyped: boolean;
  declare private isFinding: boolean;
  declare private found: readonly Pick[];
  /** The index of the marked choice. */
  declare private at: number;
  /** The message when the list has no choices. */
  declare private problem: string;

  readonly #finding = new AfterTyping(this, {
    load: (text: string, signal) => this.find(text, signal),
    show: found => this.#show(found),
    fail: error => Object.assign(this, { found: [], at: 0, isFinding: false, problem: errorWords(error) }),
  });

  constructor() {
    super();
    Object.assign(this, { label: '', name: '', none: '', hint: '', error: undefined, chosen: null });
    Object.assign(this, { text: null, found: [], at: 0, problem: '', isTyped: false, isFinding: false });
  }

  /** The choices in the list. Null is the choice of nothing. */
  get #choices(): readonly (Pick | null)[] {
    return this.text?.trim() === '' ? [null, ...this.found] : this.found;
  }

  #show(found: readonly Pick[]): void {
    Object.assign(this, { found, isFinding: false });
    this.problem = this.#choices.length === 0 ? 'Nothing found. Try a name, an e-mail address or an id.' : '';
    const known = this.#choices.findIndex(each => each?.id === this.chosen?.id);
    this.at = Math.max(0, known);
  }

  #open(text: string, pause: number): void {
    Object.assign(this, { text, at: 0, problem: '', isFinding: true, isTyped: pause > 0 });
    this.#finding.ask(text.trim(), pause);
  }

  #close(): void {
    this.#finding.stop();
    Object.assign(this, { text: null, found: [], isTyped: false, isFinding: false });
  }

  #take(pick: Pick | null): void {
    this.#close();
    this.dispatchEvent(new CustomEvent('pick', { detail: pick }));
  }

  readonly #press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isOpen = this.text !== null;
    if (step !== undefined) {
      event.preventDefault();
      const { length } = this.#choices;
      if (!isOpen) this.#open('', 0);
      else if (length > 0) this.at = (this.at + step + length) % length;
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      const pick = this.#choices[this.at];
      // While the service looks for the text, the list still has the choices of an earlier text.
      if (pick !== undefined && !this.isFinding) this.#take(pick);
    } else if (event.key === 'Escape' && isOpen) {
      // Closes the list only, and not a dialog around it.
      event.preventDefault();
      event.stopPropagation();
      this.#close();
    }
  };

  override updated(changed: PropertyValues): void {
    if (changed.has('at') || changed.has('found')) {
      this.renderRoot.querySelector('.at')?.scrollIntoView({ block: 'nearest' });
    }
  }

  override render(): TemplateResult {
    const { label, name, hint, error, chosen, none, text, at } = this;
    const state = this.isFinding ? 'Searching …' : this.problem;
    const choices = text === null ? [] : this.#choices;
    const described = [hint && 'hint', error && 'error'].filter(Boolean).join(' ') || nothing;
    const type = (event: Event) => this.#open((event.target as HTMLInputElement).value, pauseMs);
    const start = () => {
      if (text === null) this.#open('', 0);
    };
    return html`<div class="field">
      <label for="input">${label}</label>
      ${hint ? html`<div class="hint" id="hint">${hint}</div>` : nothing}
      <div class="box">
        <input class="input" id="input" name=${name} role="combobox" autocomplete="off" spellcheck="false" maxlength="254"
          aria-autocomplete="list" aria-controls="list" aria-expanded=${text !== null}
          aria-activedescendant=${choices.length > 0 ? `pick-${at}` : nothing} aria-describedby=${described}
          aria-invalid=${error ? 'true' : nothing} .value=${this.isTyped ? text : (chosen?.label ?? none)}
          @input=${type} @click=${start}
          @focus=${(event: Event) => (event.target as HTMLInputElement).select()} @keydown=${this.#press} @blur=${this.#close}>
        ${icon('down')}
        <div class="list" ?hidden=${text === null} @mousedown=${(event: Event) => event.preventDefault()}>
          <div id="list" role="listbox" aria-label=${label}>${choices.map((pick, index) => this.#choice(pick, index))}</div>
          ${state === '' ? nothing : html`<div class="state">${state}</div>`}
        </div>
      </div>
      ${error ? html`<div class="error" id="error">${error}</div>` : nothing}
      <div class="quiet" role="status">${text === null ? '' : state || `${choices.length} to choose from`}</div>
    </div>`;
  }

  #choice(pick: Pick | null, index: number): TemplateResult {
    return html`<div id=${`pick-${index}`} role="option" class=${index === this.at ? 'at' : ''}
      aria-selected=${index === this.at} @click=${() => this.#take(pick)} @pointermove=${() => {
        this.at = index;
      }}>
      <bdi>${pick?.label ?? this.none}</bdi>
      ${pick?.detail ? html`<div class="second-line">${pick.detail}</div>` : nothing}
    </div>`;
  }
}

customElements.define('pay-picker', Picker);

declare global {
  interface HTMLElementTagNameMap {
    'pay-picker': Picker;
  }
}
