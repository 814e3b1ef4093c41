import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Customer } from '../../api/dashboard/customer.ts';
import type { Invoice } from '../../api/invoice/invoice-view.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { blobOf } from '../app/download.ts';
import { Loaded } from '../app/loaded.ts';
import { ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { fieldErrors } from '../controls/form-field.ts';
import { errorNote, note, roleNote } from '../controls/states.ts';
import { moneyOf } from '../controls/values.ts';
import { ComputedTotals } from './computed-totals.ts';
import { sendAction } from './invoice-actions.ts';
import { editorStyles } from './invoice-editor.styles.ts';
import { customerCard, type Editing, linesCard, termsCard } from './invoice-fields.ts';
import {
  emptyTexts,
  type InvoiceTexts,
  invoiceFields,
  messagesOf,
  textsOf,
  typedInvoice,
  withCustomer,
  withNewKeys,
} from './invoice-form.ts';
import { keepUnsaved, readUnsaved, unsavedKey } from './unsaved-texts.ts';
import '../app/pdf-preview.ts';

/** The initial data of the editor. `invoice`: null for a new invoice. */
interface Start {
  readonly invoice: Invoice | null;
  readonly customers: readonly Customer[];
}

/** The editor of a draft. The service computes every amount. Nothing is saved before the person asks for it. */
class InvoiceEditor extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    texts: { state: true },
    error: { state: true },
    isBusy: { state: true },
    isTried: { state: true },
    isRestored: { state: true },
  };
  static override readonly styles = [ActionPage.styles, editorStyles];

  declare private texts: InvoiceTexts;
  declare error: unknown;
  declare private isBusy: boolean;
  /** Whether the person has pressed a button. Only then are empty fields marked. */
  declare private isTried: boolean;
  declare private isRestored: boolean;

  /** The id of the draft that this page created, until its URL contains the id. */
  #savedId: string | null = null;
  #isSent = false;

  readonly #start = new Loaded<Start>(this, async signal => {
    const { invoices, customers } = this.app.client;
    const [invoice, known] = await Promise.all([
      this.#id === null ? null : invoices.retrieve(this.#id, { signal }),
      customers.list({ limit: 100 }, { signal }),
    ]);
    this.#begin(invoice);
    return { invoice, customers: known.data };
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

  override updated(changed: PropertyValues<this>): void {
    const isLeft = changed.get('action') != null && this.action === null;
    // The person did not confirm the sending of a new invoice. The URL is the draft's from now on.
    if (isLeft && !this.#isSent && this.params['id'] === undefined) {
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

  /** Saves the draft. Null if it is incomplete or refused; the page then shows why. */
  async #save(): Promise<Invoice | null> {
    this.isTried = true;
    const { body, wrong, missing } = typedInvoice(this.texts);
    if (this.isBusy || Object.keys({ ...wrong, ...missing }).length > 0) {
      await this.#focusError();
      return null;
    }
    Object.assign(this, { isBusy: true, error: null });
    const { invoices } = this.app.client;
    try {
      const invoice = await (this.#id === null ? invoices.create(body) : invoices.update(this.#id, body));
      if (this.#key !== null) keepUnsaved(this.#key, null);
      this.isRestored = false;
      return invoice;
    } catch (error) {
      this.error = error;
      await this.#focusError();
      return null;
    } finally {
      this.isBusy = false;
    }
  }

  async #focusError(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }

  readonly #saveDraft = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    const invoice = await this.#save();
    if (invoice === null) return;
    this.app.toast({ text: 'Draft saved', tone: 'good' });
    this.app.go(`/invoices/${invoice.id}`, { replace: true });
  };

  /** Saves the draft and asks whether to send it. A person who goes back finds the draft saved. */
  readonly #send = async (): Promise<void> => {
    const invoice = await this.#save();
    if (invoice === null) return;
    const { client } = this.app;
    this.#savedId = invoice.id;
    this.action = sendAction({
      ...{ client, invoice },
      done: text => {
        this.#isSent = true;
        this.app.toast({ text, tone: 'good' });
        this.app.go(`/invoices/${invoice.id}`, { replace: true });
      },
    });
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

  #form({ invoice, customers }: Start): TemplateResult {
    if (!this.app.may('money')) return html`${roleNote(this.app, 'money', 'read invoices, not write them')}`;
    if (invoice !== null && invoice.status !== 'draft') return note('It was sent and can no longer change.', 'warn');
    const { preview } = this.#totals;
    const typed = typedInvoice(this.texts);
    const errorAt = messagesOf(typed, fieldErrors(this.error), this.isTried);
    const editing: Editing = {
      ...{ texts: this.texts, errorAt, change: this.#change },
      focus: selector =>
        void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(selector)?.focus()),
    };
    const isAtField = Object.keys(fieldErrors(this.error)).some(name => invoiceFields.test(name));
    return html`<form class="body" novalidate @submit=${this.#saveDraft}>
      ${this.isRestored ? note(html`Your unsaved changes are back. <button class="plain" type="button" @click=${this.#discard}>Discard them</button>`, 'warn', 'status') : nothing}
      ${customerCard(editing, customers, this.#choose)} ${linesCard(editing, preview)} ${termsCard(editing)}
      <section class="card" aria-label="Preview">
        <pay-pdf-preview .draw=${this.#draw} .state=${preview}></pay-pdf-preview>
      </section>
      ${this.error === null || isAtField ? nothing : errorNote(this.error)} ${this.#foot()}
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

  readonly #choose = (email: string): void => {
    const customer = this.#start.value?.customers.find(each => each.email === email);
    this.#change({ values: withCustomer(this.texts, email, customer) });
  };
}

customElements.define('pay-invoice-editor', InvoiceEditor);
