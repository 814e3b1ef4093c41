import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { DashboardElement, DashboardPage } from '../app/dashboard-page.ts';
import { SendKey } from '../app/send-key.ts';
import { AfterTyping } from '../app/soon.ts';
import { type Effect, effectsTable } from './dialog.ts';
import { fieldErrors } from './form-field.ts';
import { errorNote, skeleton } from './states.ts';

/** The texts of a form, by the names of its fields. */
export type FormTexts = Readonly<Record<string, string>>;

/** An action that the person confirms after seeing its effects. */
export interface Action {
  readonly heading: string;
  /** The fields. `errors` has the messages of the last refusal by field. `type` reports each change. */
  readonly fields?: (texts: FormTexts, errors: FormTexts, type: (name: string, text: string) => void) => TemplateResult;
  /** The initial texts of the fields. */
  readonly start?: FormTexts;
  /** The effects of the action, row by row. */
  readonly effects: (texts: FormTexts) => readonly Effect[];
  /** A note below the table, for example an obstacle or a duration. */
  readonly note?: TemplateResult | string;
  /** The label of the button, for example `Refund €20.00`. Null: the action cannot run yet, as with a missing text. */
  readonly button: (texts: FormTexts) => string | null;
  readonly isDangerous?: boolean;
  /** Whether the form needs a wide dialog. */
  readonly isWide?: boolean;
  /**
   * Asks the service for the effects of the texts, when the dialog opens and after the person has typed. The form
   * appears after the first answer. The button is disabled while an answer is pending.
   */
  readonly preview?: (texts: FormTexts, signal: AbortSignal) => Promise<unknown>;
  /**
   * Calls the service. The dialog closes after success, and shows the error after a refusal. `idempotencyKey` stays the
   * same for the same texts until the service has a final answer.
   */
  readonly run: (texts: FormTexts, idempotencyKey: string) => Promise<unknown>;
}

/**
 * `<pay-action-dialog .action>`: shows the effects of an action, and runs the action. Without an action, the dialog is
 * closed. Fires `close` when the person leaves the dialog or the action is done.
 */
class ActionDialog extends DashboardElement {
  static override readonly properties = {
    action: { attribute: false },
    texts: { state: true },
    error: { state: true },
    isBusy: { state: true },
    isAsking: { state: true },
    isKnown: { state: true },
  };
  static override readonly styles = [
    DashboardElement.styles,
    css`
      /* Two fields beside each other. */
      .pair {
        display: grid;
        grid-template-columns: repeat(2, minmax(0, 1fr));
        gap: 8px 12px;
      }
      .pair > :is(legend, .hint) {
        grid-column: 1 / -1;
        padding: 0;
        overflow-wrap: anywhere;
      }
      .pair > legend {
        font-weight: 550;
      }
    `,
  ];

  declare action: Action | null;
  declare texts: FormTexts;
  declare error: unknown;
  declare isBusy: boolean;
  /** Whether the answer of `preview` is still pending. */
  declare private isAsking: boolean;
  /** Whether the form can be shown: the action has no `preview`, or `preview` was answered since the dialog opened. */
  declare private isKnown: boolean;

  /** The key of the shown action. */
  #key = new SendKey();

  readonly #previews = new AfterTyping(this, {
    load: async (texts: FormTexts, signal) => await this.action?.preview?.(texts, signal),
    show: () => Object.assign(this, { isAsking: false, isKnown: true, error: null }),
    fail: error => Object.assign(this, { isAsking: false, error }),
  });

  constructor() {
    super();
    this.action = null;
    this.texts = {};
    this.error = null;
    this.isBusy = false;
    Object.assign(this, { isAsking: false, isKnown: true });
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('action')) return;
    this.#key = new SendKey();
    this.texts = this.action?.start ?? {};
    this.error = null;
    this.isBusy = false;
    this.isKnown = this.action?.preview === undefined;
    this.#preview(0);
  }

  readonly #type = (name: string, text: string): void => {
    this.texts = { ...this.texts, [name]: text };
    this.#preview();
  };

  #preview(pauseMs?: number): void {
    this.#previews.stop();
    this.isAsking = this.action?.preview !== undefined;
    if (!this.isAsking) return;
    this.error = null;
    this.#previews.ask(this.texts, pauseMs);
  }

  readonly #submit = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    const { action, texts } = this;
    if (action === null || this.isBusy || this.isAsking || action.button(texts) === null) return;
    this.isBusy = true;
    this.error = null;
    try {
      await this.#key.run(texts, idempotencyKey => action.run(texts, idempotencyKey));
      this.#close();
    } catch (error) {
      this.error = error;
    }
    this.isBusy = false;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  };

  #close(): void {
    this.dispatchEvent(new CustomEvent('close'));
  }

  override render(): TemplateResult {
    const { action } = this;
    return html`<pay-dialog .heading=${action?.heading ?? ''} .open=${action !== null} .busy=${this.isBusy}
      ?wide=${action?.isWide} @close=${this.#close}>
      ${action === null ? nothing : this.#content(action)}
    </pay-dialog>`;
  }

  #content(action: Action): TemplateResult {
    const { texts, error, isBusy, isAsking, isKnown } = this;
    const label = isKnown ? action.button(texts) : null;
    return html`<form id="form" class="fields" novalidate @submit=${this.#submit}>
        ${isKnown ? this.#form(action) : isAsking ? skeleton(3) : nothing}
        ${action.note === undefined ? nothing : html`<p class="hint">${action.note}</p>`}
        ${error === null ? nothing : errorNote(error)}
      </form>
      <button slot="buttons" class="second" type="button" ?disabled=${isBusy} @click=${this.#close}>Go back</button>
      <button slot="buttons" class=${action.isDangerous ? 'danger' : 'main'} form="form"
        ?disabled=${isBusy || isAsking || label === null}>${isBusy ? 'One moment …' : (label ?? action.heading)}</button>`;
  }

  #form({ fields, effects, preview }: Action): TemplateResult {
    const { texts } = this;
    const rows = effects(texts);
    return html`${fields?.(texts, fieldErrors(this.error), this.#type) ?? nothing}
      <div aria-live=${preview === undefined ? nothing : 'polite'} aria-busy=${this.isAsking ? 'true' : nothing}>
        ${rows.length === 0 ? nothing : effectsTable(rows)}
      </div>`;
  }
}

customElements.define('pay-action-dialog', ActionDialog);

/** A page with actions. `actionDialog` in its content shows the action that was passed to `ask`. */
export abstract class ActionPage extends DashboardPage {
  static override readonly properties = { ...DashboardPage.properties, action: { state: true } };

  declare action: Action | null;

  constructor() {
    super();
    this.action = null;
  }

  ask(action: Action): void {
    this.action = action;
  }
}

/** A button that opens the dialog of an action. */
export interface ActionButton {
  readonly label: string;
  /** Names the button's row for screen readers, because the buttons of all rows have the same label. */
  readonly about?: string;
  readonly style: 'main' | 'second' | 'plain';
  readonly start: () => Action;
}

/** The buttons of a page's actions. False: the action is not possible now. */
export const actionButtons = (page: ActionPage, buttons: readonly (ActionButton | false)[]): TemplateResult[] =>
  buttons
    .filter(each => each !== false)
    .map(
      ({ label, about, style, start }) =>
        html`<button class=${style} type="button" aria-label=${about === undefined ? nothing : `${label} ${about}`} @click=${() => page.ask(start())}>${label}</button>`,
    );

/** The dialog of a page's `action`. When the dialog closes, `action` becomes null. */
export const actionDialog = (page: ActionPage): TemplateResult => html`<pay-action-dialog
  .action=${page.action} @close=${() => {
    page.action = null;
  }}></pay-action-dialog>`;
