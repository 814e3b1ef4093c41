import { html, nothing, type TemplateResult } from 'lit';
import type { CreateRecurringInvoice, InvoiceTemplate } from '../../../api/invoice/recurring.ts';
import { pageFrame } from '../../app/dashboard-page.ts';
import { blobOf } from '../../app/download.ts';
import { Loaded } from '../../app/loaded.ts';
import { ActionPage, actionDialog, type FormTexts } from '../../controls/action-dialog.ts';
import { fieldErrors } from '../../controls/form-field.ts';
import { errorNote, roleNote } from '../../controls/states.ts';
import { moneyOf, moneyWords, timeWords } from '../../controls/values.ts';
import { eInvoiceNote, lacksStyles } from '../e-invoice-note.ts';
import { ComputedTotals } from '../editor/computed-totals.ts';
import { customerCard } from '../editor/customer-card.ts';
import { CustomerChoice } from '../editor/customer-choice.ts';
import { type Editing, messagesOf, placeIn, revealError, warningsOf } from '../editor/editing.ts';
import { editorStyles } from '../editor/editor.styles.ts';
import { emptyTexts, type InvoiceTexts, textsOf, withCustomer } from '../editor/invoice-texts.ts';
import { linesCard } from '../editor/lines-card.ts';
import { termsCard } from '../editor/terms-card.ts';
import { typedInvoice } from '../editor/typed-invoice.ts';
import { templateOf } from './recurring-words.ts';
import { emptySchedule, ruleWords, typedSchedule } from './schedule.ts';
import { scheduleCard } from './schedule-card.ts';
import '../../app/pdf-preview.ts';

/** The data with which the editor starts. `template`: from a copied schedule. The form's fields replace its values. */
interface Start {
  readonly template: Partial<InvoiceTemplate>;
}

/** The editor of a new recurring invoice: its schedule, and the content of each invoice. */
class RecurringEditor extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    texts: { state: true },
    error: { state: true },
    isTried: { state: true },
  };
  static override readonly styles = [ActionPage.styles, editorStyles, lacksStyles];

  declare private texts: InvoiceTexts;
  declare error: unknown;
  /** Whether the person has pressed the button. From then on, empty fields have error messages. */
  declare private isTried: boolean;

  readonly #customers = new CustomerChoice({
    client: () => this.app.client,
    choose: customer => this.#change({ values: withCustomer(this.texts, customer) }),
    fail: error => {
      this.error = error;
    },
  });

  readonly #totals = new ComputedTotals(this, (body, signal) => this.app.client.invoices.preview(body, { signal }));

  readonly #start = new Loaded<Start>(this, async signal => {
    const from = this.query.get('from');
    const { recurringInvoices, invoices } = this.app.client;
    if (from === null) return { template: {} };
    const copied = await recurringInvoices.retrieve(from, { signal });
    const template = templateOf(copied);
    const { values, ...rest } = textsOf(await invoices.preview(template, { signal }));
    const kept = {
      unit: 'rule',
      rrule: copied.rrule,
      auto_send: copied.auto_send ? 'yes' : '',
      // `values` has the account's values for fields that the template leaves open. The copy leaves them open, too.
      settlement_asset: template.settlement_asset ?? '',
      number_prefix: template.number_prefix ?? '',
      locale: template.locale ?? '',
    };
    this.#change({ ...rest, values: { ...emptySchedule, ...values, ...kept } });
    return { template };
  });

  constructor() {
    super();
    const { values, ...rest } = emptyTexts();
    Object.assign(this, { error: null, isTried: false, texts: { ...rest, values: { ...emptySchedule, ...values } } });
  }

  readonly #change = (texts: Partial<InvoiceTexts>): void => {
    this.texts = { ...this.texts, ...texts };
    this.#totals.askSoon(this.texts);
  };

  /** The request, and the error messages of the form by field. */
  #typed() {
    const invoice = typedInvoice(this.texts);
    const { body, wrong, missing } = typedSchedule(this.texts.values);
    const { due_date: _day, installments: _parts, delivery_date: _delivered, period: _period, ...shown } = invoice.body;
    const request: CreateRecurringInvoice = { ...body, invoice: { ...this.#start.value?.template, ...shown } };
    const typed = { ...invoice, wrong: { ...invoice.wrong, ...wrong }, missing: { ...invoice.missing, ...missing } };
    return { request, typed };
  }

  /** Asks the person before the service begins to make invoices. */
  readonly #ask = async (event: Event): Promise<void> => {
    event.preventDefault();
    this.isTried = true;
    const { request, typed } = this.#typed();
    if (Object.keys({ ...typed.wrong, ...typed.missing }).length > 0) {
      await revealError(this.renderRoot);
      return;
    }
    const { preview } = this.#totals;
    this.ask({
      heading: 'Start this schedule?',
      effects: () => [
        { what: 'Repeats', result: ruleWords(request.rrule) },
        { what: 'From', result: timeWords(`${request.starts_on}T12:00:00`, 'day') },
        ...(preview === null ? [] : [{ what: 'Each invoice', result: moneyWords(preview.total, preview.currency) }]),
        { what: 'On its day', result: mailing(request) },
        { what: 'Ends', result: ending(request) },
      ],
      button: () => 'Start',
      run: (_, idempotencyKey) => this.#create(request, idempotencyKey),
    });
  };

  async #create(request: CreateRecurringInvoice, idempotencyKey: string): Promise<void> {
    try {
      const { id } = await this.app.client.recurringInvoices.create(request, { idempotencyKey });
      this.app.toast({ text: 'Schedule started', tone: 'good' });
      this.app.go(`/invoices/recurring/${id}`, { replace: true });
    } catch (error) {
      this.error = error;
      if (Object.keys(refusedFields(error)).length === 0) throw error;
      // Closes the dialog. The fields show their errors.
      this.action = null;
      await revealError(this.renderRoot);
    }
  }

  override render(): TemplateResult {
    return html`${pageFrame({
      above: { label: 'Recurring invoices', path: '/invoices/recurring' },
      title: 'New recurring invoice',
      body: this.#start.render(() => this.#form()),
    })}
    ${actionDialog(this)}`;
  }

  #form(): TemplateResult {
    if (!this.app.may('money')) return html`${roleNote(this.app, 'money', 'read invoices, not write them')}`;
    const { preview } = this.#totals;
    const refused = refusedFields(this.error);
    const { errorAt, hasOthers } = messagesOf(this.#typed().typed, refused, this.isTried);
    const warnings = preview?.warnings ?? [];
    const editing: Editing = {
      texts: this.texts,
      errorAt,
      warningAt: warningsOf(warnings),
      change: this.#change,
      focus: selector =>
        void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(selector)?.focus()),
    };
    const draw = () => blobOf(this.app, '/v1/invoices/preview/pdf', typedInvoice(this.texts).body);
    const cards = html`${scheduleCard(editing)} ${customerCard(editing, this.#customers)} ${linesCard(editing, preview)}
      ${termsCard(editing, { isRepeated: true })}`;
    const isElsewhere = this.error !== null && (Object.keys(refused).length === 0 || hasOthers());
    return html`<form class="body" novalidate @submit=${this.#ask}>
      ${cards} ${eInvoiceNote(warnings, { placeOf: placeIn(this.renderRoot, this.texts) })}
      <section class="card" aria-label="Preview">
        <pay-pdf-preview .draw=${draw} .state=${preview}></pay-pdf-preview>
      </section>
      ${isElsewhere ? errorNote(this.error) : nothing}
      <div class="foot">
        <strong class="big">${preview === null ? '—' : moneyOf(preview.total, preview.currency)}</strong>
        <div class="actions"><button class="main" type="submit">Start …</button></div>
      </div>
    </form>`;
  }
}

/** A refusal's messages by field of the form. Names of the invoice's fields lose their prefix. */
const refusedFields = (error: unknown): FormTexts =>
  Object.fromEntries(Object.entries(fieldErrors(error)).map(([name, text]) => [name.replace(/^invoice\./, ''), text]));

function mailing({ auto_send: isSent, invoice }: CreateRecurringInvoice): string {
  if (isSent === false) return 'kept as a draft';
  return invoice.customer.email === undefined ? 'sent, without a mail' : `sent to ${invoice.customer.email}`;
}

function ending({ count, ends_on: day }: CreateRecurringInvoice): string {
  if (count != null) return `after ${count} ${count === 1 ? 'invoice' : 'invoices'}`;
  return day == null ? 'when you end it' : timeWords(`${day}T12:00:00`, 'day');
}

customElements.define('pay-recurring-editor', RecurringEditor);
