import { html, nothing, type TemplateResult } from 'lit';
import type { Event } from '../../api/event.ts';
import type { CreditNote } from '../../api/invoice/invoice-money.ts';
import type { Invoice, SentInvoice } from '../../api/invoice/invoice-view.ts';
import type { InvoiceReminder } from '../../api/invoice/reminder.ts';
import type { Payment } from '../../api/payment.ts';
import type { Metadata } from '../../api/schema.ts';
import type { Words } from '../app/area-words.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { type NamedFile, SavedFile } from '../app/download.ts';
import { jsonStyles, rawJson } from '../app/json-text.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { icon } from '../controls/icons.ts';
import { keyValues } from '../controls/key-values.ts';
import { statusChip } from '../controls/status-chip.ts';
import { timeline, timelineStyles } from '../controls/timeline.ts';
import { moneyOf, moneyWords, timeText } from '../controls/values.ts';
import { changeMetadata, metadataCard } from '../payments/metadata.ts';
import { paymentChip } from '../payments/payment-states.ts';
import { creditAction } from './credit-action.ts';
import { eInvoiceNote, type FieldPlace, lacksStyles, lackWords } from './e-invoice-note.ts';
import { copyAction, giveUpAction, recordAction, remindAction, sendAction, voidAction } from './invoice-actions.ts';
import { linesCard } from './invoice-lines.ts';
import { customerWords, dayText, invoiceChip, invoiceTitle } from './invoice-words.ts';

/** An invoice and its related objects. */
interface InvoiceFile {
  readonly invoice: SentInvoice;
  readonly payments: readonly Payment[];
  readonly notes: readonly CreditNote[];
  readonly reminders: readonly InvoiceReminder[];
  readonly events: readonly Event[];
}

/** Statuses of an invoice that waits for money. */
const open: ReadonlySet<Invoice['status']> = new Set(['sent', 'viewed', 'partially_paid', 'overdue']);

/** One invoice: lines, money, reminders, history and actions. */
class InvoicePage extends ActionPage {
  static override readonly styles = [ActionPage.styles, timelineStyles, jsonStyles, lacksStyles];

  readonly #file = new Loaded<InvoiceFile>(this, async signal => {
    const id = this.params['id'] ?? '';
    const { invoices, events } = this.app.client;
    const all = { limit: 100 };
    const [invoice, payments, notes, reminders, happened] = await Promise.all([
      invoices.retrieve(id, { signal }),
      invoices.payments(id, all, { signal }),
      invoices.creditNotes(id, all, { signal }),
      invoices.reminders(id, all, { signal }),
      events.list({ ...all, resource: id }, { signal }),
    ]);
    return { invoice, payments: payments.data, notes: notes.data, reminders: reminders.data, events: happened.data };
  });

  readonly #xml = new SavedFile(this, () => this.#xmlFile('', ''));
  readonly #xRechnung = new SavedFile(this, () => this.#xmlFile('?format=xrechnung', '-xrechnung'));

  #xmlFile(query: string, suffix: string): NamedFile {
    const { id, number } = this.#file.value?.invoice ?? {};
    return { path: `/v1/invoices/${id}/xml${query}`, name: `${number?.replace(/[^\w.-]/g, '_')}${suffix}.xml` };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'invoice.', object: this.params['id'] ?? '' }, () => void this.#file.reload());
  }

  override render(): TemplateResult {
    const invoice = this.#file.value?.invoice;
    if (invoice) this.app.setTitle(`Invoice ${invoiceTitle(invoice)}`);
    return html`${pageFrame({
      above: { label: 'Invoices', path: '/invoices' },
      title: invoice ? html`${invoiceTitle(invoice)} ${invoiceChip(invoice)}` : 'Invoice',
      ...(invoice ? { subtitle: html`${moneyOf(invoice.total, invoice.currency)} · ${customerWords(invoice)}` } : {}),
      actions: this.#file.value ? this.#actions(this.#file.value) : nothing,
      body: this.#file.render(
        file => html`${lacksOf(file.invoice)}
          ${invoiceBody(this.app, file, this.#documents(file.invoice), this.#metadata(file.invoice))}`,
      ),
    })}
    ${actionDialog(this)}
`;
  }

  /** The files of an issued invoice. Without an e-invoice there is no XML. */
  #documents({ number, pdf_url: pdf, warnings, buyer_reference: reference }: SentInvoice) {
    if (number === null) return nothing;
    const lack = lackWords(warnings);
    return html`<section class="card" aria-labelledby="documents">
      <h2 id="documents">Documents</h2>
      <div class="actions">
        ${pdf === null ? nothing : html`<a class="second" href=${pdf} target="_blank" rel="noopener">${icon('download')} PDF</a>`}
        ${lack === 'e-invoice' ? nothing : this.#xml.button('XML')}
        ${reference === null || lack !== '' ? nothing : this.#xRechnung.button('XRechnung')}
      </div>
      ${this.#xml.note()} ${this.#xRechnung.note()}
    </section>`;
  }

  /** The service changes the metadata of drafts only. */
  #metadata({ id, metadata, status }: Invoice): TemplateResult | typeof nothing {
    const save = async (changed: Metadata) => {
      await this.app.client.invoices.update(id, { metadata: changed });
      this.app.toast({ text: 'Metadata saved', tone: 'good' });
      await this.#file.reload();
    };
    const mayChange = status === 'draft' && this.app.may('money');
    return metadataCard(metadata, mayChange ? () => changeMetadata(this, { metadata, save }) : null);
  }

  #actions({ invoice, notes }: InvoiceFile): TemplateResult {
    const acting = {
      client: this.app.client,
      invoice,
      warnings: invoice.warnings,
      done: (text: string) => {
        this.app.toast({ text, tone: 'good' });
        void this.#file.reload();
      },
    };
    const { hosted_invoice_url: page, status } = invoice;
    const isOpen = open.has(status);
    const look = html`${page === null ? nothing : html`<a class="second" href=${`${page}?preview`} target="_blank" rel="noopener">${icon('external')} Page</a>`}
`;
    if (!this.app.may('money')) return look;
    const credited = notes.reduce((sum, { amount }) => sum + amount, 0);
    const mayCredit = status !== 'draft' && status !== 'void' && credited < invoice.total;
    const isDraft = status === 'draft';
    return html`${look}
      ${isDraft ? html`<a class="second" href=${pathTo(`/invoices/${invoice.id}/edit`)}>Edit</a>` : nothing}
      ${actionButtons(this, [
        !isDraft && { label: 'Copy', style: 'second', start: () => copyAction(acting, path => this.app.go(path)) },
        isOpen && invoice.amount_paid === 0 && { label: 'Cancel', style: 'second', start: () => voidAction(acting) },
        mayCredit && { label: 'Credit note', style: 'second', start: () => creditAction(acting) },
        isOpen && { label: 'Mark uncollectible', style: 'second', start: () => giveUpAction(acting) },
        isOpen && { label: 'Send again', style: 'second', start: () => sendAction(acting) },
        (isOpen || status === 'uncollectible') && {
          label: 'Record payment',
          style: 'second',
          start: () => recordAction(acting),
        },
        isOpen && { label: 'Remind', style: 'main', start: () => remindAction(acting) },
        isDraft && { label: 'Send', style: 'main', start: () => sendAction(acting) },
      ])}`;
  }
}

/** The fields that the e-invoice lacks. Links lead to the editor of a draft, or to the settings and the customer. */
function lacksOf(invoice: SentInvoice): TemplateResult | typeof nothing {
  const { id, status, customer, warnings } = invoice;
  if (status === 'void') return nothing;
  const isIssued = status !== 'draft';
  const placeOf = (param: string): FieldPlace | null => {
    if (!isIssued) return { href: pathTo(`/invoices/${id}/edit?field=${param}`) };
    return param.startsWith('customer.') && customer.id !== null ? { href: pathTo(`/customers/${customer.id}`) } : null;
  };
  return eInvoiceNote(warnings, { isIssued, placeOf });
}

function invoiceBody(
  { eventWords }: Words,
  { invoice, payments, notes, reminders, events }: InvoiceFile,
  documents: TemplateResult | typeof nothing,
  metadata: TemplateResult | typeof nothing,
): TemplateResult {
  return html`<div class="beside">
    <div class="stack">
      ${linesCard(invoice)}
      <section class="card" aria-labelledby="happened">
        <h2 id="happened">What happened</h2>
        ${timeline(
          events.map(event => {
            const { title, text, tone } = eventWords(event);
            return { at: event.created_at, title, text, tone, more: rawJson(event) };
          }),
        )}
      </section>
    </div>
    <div class="stack">
      ${moneyCard(invoice)} ${documents} ${payments.length === 0 ? nothing : paymentsCard(payments)}
      ${notes.length === 0 ? nothing : notesCard(notes)} ${installmentsCard(invoice)} ${remindersCard(reminders)} ${metadata}
    </div>
  </div>`;
}

function moneyCard(invoice: Invoice): TemplateResult {
  const money = (amount: number) => (amount === 0 ? null : moneyOf(amount, invoice.currency));
  return html`<section class="card" aria-labelledby="money">
    <h2 id="money">Money</h2>
    ${keyValues([
      { label: 'To pay', value: moneyOf(invoice.amount_remaining, invoice.currency) },
      { label: 'Paid', value: money(invoice.amount_paid) },
      { label: 'Credited', value: money(invoice.amount_credited) },
      { label: 'Refunded', value: money(invoice.amount_refunded) },
      { label: 'Overpaid', value: money(invoice.amount_overpaid) },
      { label: 'Due', value: dayText(invoice.due_date) },
      {
        label: 'Customer',
        value: invoice.customer.email,
        ...(invoice.customer.email && { copy: invoice.customer.email }),
      },
      { label: 'Reference', value: invoice.reference },
      { label: 'Buyer reference', value: invoice.buyer_reference },
      { label: 'Order number', value: invoice.order_number },
      { label: 'Delivered', value: dayText(invoice.delivery_date) },
      invoice.period !== null && {
        label: 'Service',
        value: html`${dayText(invoice.period.starts_on)} – ${dayText(invoice.period.ends_on)}`,
      },
      { label: 'Sent', value: invoice.sent_at && timeText(invoice.sent_at) },
      { label: 'Opened', value: invoice.viewed_at && timeText(invoice.viewed_at) },
      { label: 'Id', value: html`<span class="mono">${invoice.id}</span>`, copy: invoice.id },
    ])}
  </section>`;
}

function paymentsCard(payments: readonly Payment[]): TemplateResult {
  return html`<section class="card" aria-labelledby="payments">
    <h2 id="payments">Payments</h2>
    ${keyValues(
      payments.map(payment => ({
        label: moneyWords(payment.amount, payment.currency),
        value: html`<a href=${pathTo(`/payments/${payment.id}`)}>${paymentChip(payment)}</a>`,
      })),
    )}
  </section>`;
}

function notesCard(notes: readonly CreditNote[]): TemplateResult {
  return html`<section class="card" aria-labelledby="notes">
    <h2 id="notes">Credit notes</h2>
    ${keyValues(
      notes.map(({ number, amount, currency, pdf_url: pdf }) => ({
        label: number,
        value: html`<a href=${pdf} target="_blank" rel="noopener">${moneyOf(amount, currency)}</a>`,
      })),
    )}
  </section>`;
}

function installmentsCard({ installments, currency }: Invoice): TemplateResult | typeof nothing {
  if (installments.length === 0) return nothing;
  return html`<section class="card" aria-labelledby="installments">
    <h2 id="installments">Instalments</h2>
    <table class="rows"><tbody>
      ${installments.map(
        ({ due_date: day, amount, status }) => html`<tr>
          <th scope="row">${day === null ? 'On sending' : dayText(day)}</th>
          <td>${statusChip(status, { open: ['Open', 'plain'], paid: ['Paid', 'good'], overdue: ['Overdue', 'bad'], partially_paid: ['Partly paid', 'warn'] })}</td>
          <td class="end">${moneyOf(amount, currency)}</td>
        </tr>`,
      )}
    </tbody></table>
  </section>`;
}

function remindersCard(reminders: readonly InvoiceReminder[]): TemplateResult | typeof nothing {
  if (reminders.length === 0) return nothing;
  return html`<section class="card" aria-labelledby="reminders">
    <h2 id="reminders">Reminders</h2>
    <table class="rows"><tbody>
      ${reminders.map(
        ({ remind_at: at, status }) => html`<tr>
          <th scope="row">${timeText(at)}</th>
          <td class="end">${statusChip(status, { sent: ['Sent', 'good'], planned: ['Planned', 'busy'], paused: ['Paused', 'plain'], skipped: ['Skipped', 'plain'], dropped: ['Not needed', 'plain'] })}</td>
        </tr>`,
      )}
    </tbody></table>
  </section>`;
}

customElements.define('pay-invoice-page', InvoicePage);
