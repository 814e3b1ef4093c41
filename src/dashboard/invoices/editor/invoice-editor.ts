import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Invoice } from '../../../api/invoice/invoice-view.ts';
import { pageFrame } from '../../app/dashboard-page.ts';
import { blobOf } from '../../app/download.ts';
import { Loaded } from '../../app/loaded.ts';
import { SendKey } from '../../app/send-key.ts';
import { type Action, ActionPage, actionDialog } from '../../controls/action-dialog.ts';
import { fieldErrors } from '../../controls/form-field.ts';
import { errorNote, note, roleNote } from '../../controls/states.ts';
import { moneyOf } from '../../controls/values.ts';
import { eInvoiceNote, lacksStyles } from '../e-invoice-note.ts';
import { sendAction } from '../invoice-actions.ts';
import { ComputedTotals } from './computed-totals.ts';
import { customerCard } from './customer-card.ts';
import { CustomerChoice } from './customer-choice.ts';
import { type Editing, messagesOf, placeIn, revealError, revealField, warningsOf } from './editing.ts';
import { editorStyles } from './editor.styles.ts';
import { emptyTexts, type InvoiceTexts, textsOf, withCustomer, withNewKeys } from './invoice-texts.ts';
import { linesCard } from './lines-card.ts';
import { termsCard } from './terms-card.ts';
import { typedInvoice } from './typed-invoice.ts';
import { keepUnsaved, readUnsaved, unsavedKey } from './unsaved-texts.ts';
import '../../app/pdf-preview.ts';

/** The initial data of the editor. `invoice`: null for a new invoice. */
interface Start {
  readonly invoice: Invoice | null;
}

/** The editor of a draft. The service computes every amount. It stores the draft when the person presses a button. */
class InvoiceEditor extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    texts: { state: true },
    error: { state: true },
    isBusy: { state: true },
    isTried: { state: true },
    isRestored: { state: true },
  };
  static override readonly styles = [ActionPage.styles, editorStyles, lacksStyles];

  declare private texts: InvoiceTexts;
  declare error: unknown;
  declare private isBusy: boolean;
  /** Whether the person has tried to save or send. From then on, empty required fields have error messages. */
  declare private isTried: boolean;
  declare private isRestored: boolean;

  /** The id of the draft that this page saved before sending. The URL of a new draft does not contain the id yet. */
  #savedId: string | null = null;
  #isSent = false;
  readonly #sendKey = new SendKey();
  /** The field that a link of another page named by `?field=`. Null after the form has shown the field. */
  #linked: string | null = null;

  readonly #start = new Loaded<Start>(this, async signal => {
    const id = this.#id;
    const invoice = id === null ? null : await this.app.client.invoices.retrieve(id, { signal });
    this.#begin(invoice);
    return { invoice };
  });

  readonly #customers = new CustomerChoice({
    client: () => this.app.client,
    choose: customer => this.#change({ values: withCustomer(this.texts, customer) }),
    fail: error => {
      this.error = error;
    },
  });

  readonly #totals = new ComputedTotals(this, async (body, signal) => {
    const { invoices } = this.app.client;
    const id = this.#id;
    return await (id === null ? invoices.preview(body, { signal }) : invoices.previewUpdate(id, body, { signal }));
  });

  constructor() {
    super();
    this.error = null;
    Object.assign(this, { isBusy: false, isTried: false, isRestored: false, texts: emptyTexts() });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#linked = this.query.get('field');
  }

  override updated(changed: PropertyValues<this>): void {
    if (this.#linked !== null && this.#start.value !== null) {
      revealField(this.renderRoot, this.#linked, this.texts);
      this.#linked = null;
    }
    const isLeft = changed.get('action') != null && this.action === null;
    // The person did not confirm the sending of a new invoice. The page continues as the editor of the saved draft.
    if (isLeft && !this.#isSent && this.error === null && this.params['id'] === undefined) {
      this.app.go(`/invoices/${this.#savedId}/edit`, { replace: true });
    }
  }

  get #id(): string | null {
    return this.#savedId ?? this.params['id'] ?? null;
  }

  get #key(): string | null {
    const { session } = this.app;
    return session && unsavedKey(session, this.#id);
  }

  #begin(invoice: Invoice | null): void {
    const unsaved = this.#key === null ? null : readUnsaved(this.#key);
    this.isRestored = unsaved !== null;
    this.texts = unsaved === null ? (invoice === null ? emptyTexts() : textsOf(invoice)) : withNewKeys(unsaved);
    if (invoice === null || invoice.status === 'draft') this.#totals.askSoon(this.texts, 0);
  }

  readonly #change = (texts: Partial<InvoiceTexts>): void => {
    this.texts = { ...this.texts, ...texts };
    if (this.#key !== null) keepUnsaved(this.#key, this.texts);
    this.#totals.askSoon(this.texts);
  };

  readonly #discard = (): void => {
    if (this.#key !== null) keepUnsaved(this.#key, null);
    this.#begin(this.#start.value?.invoice ?? null);
  };

  readonly #draw = async (): Promise<Blob> => {
    const path = this.#id === null ? '/v1/invoices/preview/pdf' : `/v1/invoices/${this.#id}/preview/pdf`;
    return await blobOf(this.app, path, typedInvoice(this.texts).body);
  };

  /** Saves the draft. Null if it is incomplete or refused. The page then shows the reason. */
  async #save(): Promise<Invoice | null> {
    this.isTried = true;
    const { body, wrong, missing } = typedInvoice(this.texts);
    if (this.isBusy || Object.keys({ ...wrong, ...missing }).length > 0) {
      await revealError(this.renderRoot);
      return null;
    }
    Object.assign(this, { isBusy: true, error: null });
    const { invoices } = this.app.client;
    try {
      const create = (idempotencyKey: string) => invoices.create(body, { idempotencyKey });
      const invoice = await (this.#id === null ? this.#sendKey.run(body, create) : invoices.update(this.#id, body));
      if (this.#key !== null) keepUnsaved(this.#key, null);
      this.isRestored = false;
      return invoice;
    } catch (error) {
      this.error = error;
      await revealError(this.renderRoot);
      return null;
    } finally {
      this.isBusy = false;
    }
  }

  readonly #saveDraft = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    const invoice = await this.#save();
    if (invoice === null) return;
    this.app.toast({ text: 'Draft saved', tone: 'good' });
    this.app.go(`/invoices/${invoice.id}`, { replace: true });
  };

  /** Saves the draft and asks whether to send it. The draft stays saved if the person goes back. */
  readonly #send = async (): Promise<void> => {
    const invoice = await this.#save();
    if (invoice === null) return;
    const { client } = this.app;
    this.#savedId = invoice.id;
    const action = sendAction({
      client,
      invoice,
      warnings: this.#totals.preview?.warnings ?? [],
      done: text => {
        this.#isSent = true;
        this.app.toast({ text, tone: 'good' });
        this.app.go(`/invoices/${invoice.id}`, { replace: true });
      },
    });
    const run: Action['run'] = (texts, idempotencyKey) => action.run(texts, idempotencyKey).catch(this.#refused);
    this.action = { ...action, run };
  };

  /**
   * Closes the dialog and shows a refusal at the fields of the form. An error of no field, or of the dialog's own field
   * `email`, stays in the dialog.
   */
  readonly #refused = async (error: unknown): Promise<void> => {
    if (Object.keys(fieldErrors(error)).every(name => name === 'email')) throw error;
    this.error = error;
    this.action = null;
    await revealError(this.renderRoot);
  };

  override render(): TemplateResult {
    const title = this.#id === null ? 'New invoice' : 'Edit draft';
    this.app.setTitle(title);
    return html`${pageFrame({
      above:
        this.#id === null
          ? { label: 'Invoices', path: '/invoices' }
          : { label: 'Draft', path: `/invoices/${this.#id}` },
      title,
      body: this.#start.render(start => this.#form(start)),
    })}
    ${actionDialog(this)}`;
  }

  #form({ invoice }: Start): TemplateResult {
    if (!this.app.may('money')) return html`${roleNote(this.app, 'money', 'read invoices, not write them')}`;
    if (invoice !== null && invoice.status !== 'draft') return note('It was sent and can no longer change.', 'warn');
    const { preview } = this.#totals;
    const typed = typedInvoice(this.texts);
    const refused = fieldErrors(this.error);
    const { errorAt, hasOthers } = messagesOf(typed, refused, this.isTried);
    const warnings = preview?.warnings ?? [];
    const editing: Editing = {
      texts: this.texts,
      errorAt,
      warningAt: warningsOf(warnings),
      change: this.#change,
      focus: selector =>
        void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(selector)?.focus()),
    };
    const cards = html`${customerCard(editing, this.#customers)} ${linesCard(editing, preview)} ${termsCard(editing)}`;
    const isElsewhere = this.error !== null && (Object.keys(refused).length === 0 || hasOthers());
    return html`<form class="body" novalidate @submit=${this.#saveDraft}>
      ${this.isRestored ? note(html`Your unsaved changes are back. <button class="plain" type="button" @click=${this.#discard}>Discard them</button>`, 'warn', 'status') : nothing}
      ${cards} ${eInvoiceNote(warnings, { placeOf: placeIn(this.renderRoot, this.texts) })}
      <section class="card" aria-label="Preview">
        <pay-pdf-preview .draw=${this.#draw} .state=${preview}></pay-pdf-preview>
      </section>
      ${isElsewhere ? errorNote(this.error) : nothing} ${this.#foot()}
    </form>`;
  }

  #foot(): TemplateResult {
    const { isBusy } = this;
    const { preview } = this.#totals;
    return html`<div class="foot">
      <strong class="big">${preview === null ? '—' : moneyOf(preview.total, preview.currency)}</strong>
      <div class="actions">
        <button class="second" type="submit" ?disabled=${isBusy}>Save draft</button>
        <button class="main" type="button" ?disabled=${isBusy} @click=${this.#send}>Send …</button>
      </div>
    </div>`;
  }
}

customElements.define('pay-invoice-editor', InvoiceEditor);
