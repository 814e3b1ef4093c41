import { css, html, nothing, type TemplateResult } from 'lit';
import type { Invoice, InvoicePreview } from '../../../api/invoice/invoice-view.ts';
import type { RecurringInvoice, RecurringOccurrence } from '../../../api/invoice/recurring.ts';
import { pageFrame } from '../../app/dashboard-page.ts';
import { jsonStyles, rawCard } from '../../app/json-text.ts';
import { Loaded } from '../../app/loaded.ts';
import { pathTo } from '../../app/router.ts';
import { ActionPage, actionButtons, actionDialog } from '../../controls/action-dialog.ts';
import { keyValues } from '../../controls/key-values.ts';
import { note } from '../../controls/states.ts';
import { moneyOf } from '../../controls/values.ts';
import { linesCard } from '../invoice-lines.ts';
import { dayText, invoiceChip, invoiceTitle } from '../invoice-words.ts';
import { endAction, pauseAction, resumeAction } from './recurring-actions.ts';
import { countWords, receiverOf, recurringChip, templateOf } from './recurring-words.ts';
import { ruleWords } from './schedule.ts';

/** Maximum number of past invoices that the page shows. */
const shownInvoices = 12;

/** A schedule and the data that belongs to it. */
interface RecurringFile {
  readonly recurring: RecurringInvoice;
  /** The invoice that the template would make now. Null if the preview failed. */
  readonly preview: InvoicePreview | null;
  readonly past: readonly (RecurringOccurrence & { readonly issued: Invoice })[];
}

/** One recurring invoice: its next day, the content of each invoice, past invoices, and actions. */
class RecurringPage extends ActionPage {
  static override readonly styles = [
    ActionPage.styles,
    jsonStyles,
    css`
      td {
        white-space: nowrap;
      }
    `,
  ];

  readonly #file = new Loaded<RecurringFile>(this, async signal => {
    const { recurringInvoices, invoices } = this.app.client;
    const [recurring, occurrences] = await Promise.all([
      recurringInvoices.retrieve(this.#id, { signal }),
      recurringInvoices.occurrences(this.#id, { signal }),
    ]);
    const [preview, ...past] = await Promise.all([
      invoices.preview(templateOf(recurring), { signal }).catch(() => null),
      ...occurrences.data.slice(0, shownInvoices).map(async each => {
        const issued = await invoices.retrieve(each.invoice, { signal });
        return { ...each, issued };
      }),
    ]);
    return { recurring, preview, past };
  });

  get #id(): string {
    return this.params['id'] ?? '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'invoice.' }, ({ type, data }) => {
      const { id } = (data as { object: Invoice }).object;
      const isShown = this.#file.value?.past.some(({ invoice }) => invoice === id);
      if (isShown || type === 'invoice.created') void this.#file.reload();
    });
  }

  override render(): TemplateResult {
    const file = this.#file.value;
    if (file) this.app.setTitle(`Invoices for ${receiverOf(file.recurring)}`);
    return html`${pageFrame({
      above: { label: 'Recurring invoices', path: '/invoices/recurring' },
      title: file ? html`${receiverOf(file.recurring)} ${recurringChip(file.recurring)}` : 'Recurring invoice',
      ...(file ? { subtitle: ruleWords(file.recurring.rrule) } : {}),
      actions: file && this.app.may('money') ? this.#actions(file.recurring) : nothing,
      body: this.#file.render(recurringBody),
    })}
    ${actionDialog(this)}`;
  }

  #actions(recurring: RecurringInvoice): TemplateResult {
    const acting = {
      client: this.app.client,
      recurring,
      done: (text: string) => {
        this.app.toast({ text, tone: 'good' });
        void this.#file.reload();
      },
    };
    const { status } = recurring;
    return html`<a class="second" href=${pathTo(`/invoices/recurring/new?from=${recurring.id}`)}>Copy</a>
      ${actionButtons(this, [
        status !== 'ended' && { label: 'End', style: 'second', start: () => endAction(acting) },
        status === 'active' && { label: 'Pause', style: 'second', start: () => pauseAction(acting) },
        status === 'paused' && { label: 'Resume', style: 'main', start: () => resumeAction(acting) },
      ])}`;
  }
}

function recurringBody({ recurring, preview, past }: RecurringFile): TemplateResult {
  const { last_error: fault } = recurring;
  return html`${fault === null ? nothing : note(html`<strong>${fault}</strong> The service tries again every hour.`, 'bad', 'status')}
    <div class="beside">
      <div class="stack">${preview === null ? nothing : linesCard(preview)} ${pastCard(recurring, past)}</div>
      <div class="stack">
        ${scheduleCard(recurring)}
        ${rawCard(recurring)}
      </div>
    </div>`;
}

function scheduleCard(recurring: RecurringInvoice): TemplateResult {
  return html`<section class="card" aria-labelledby="schedule">
    <h2 id="schedule">Schedule</h2>
    ${keyValues([
      { label: 'Next invoice', value: recurring.next_on === null ? 'None any more' : dayText(recurring.next_on) },
      { label: 'Made so far', value: countWords(recurring) },
      { label: 'First day', value: dayText(recurring.starts_on) },
      { label: 'Last day', value: dayText(recurring.ends_on) },
      { label: 'Time zone', value: recurring.timezone },
      { label: 'On its day', value: recurring.auto_send ? 'sent by mail' : 'kept as a draft' },
      { label: 'Rule', value: html`<span class="mono">${recurring.rrule}</span>` },
      { label: 'Id', value: html`<span class="mono">${recurring.id}</span>`, copy: recurring.id },
    ])}
    <p class="hint">A schedule cannot change. Copy it, change the copy, and end this one.</p>
  </section>`;
}

function pastCard({ occurrences }: RecurringInvoice, past: RecurringFile['past']): TemplateResult {
  return html`<section class="card" aria-labelledby="past">
    <h2 id="past">Past invoices</h2>
    ${
      past.length === 0
        ? html`<p class="hint">None yet.</p>`
        : html`<table class="rows"><tbody>${past.map(
            ({ day, issued }) => html`<tr>
              <th scope="row">${dayText(day)}</th>
              <td><a href=${pathTo(`/invoices/${issued.id}`)}>${invoiceTitle(issued)}</a></td>
              <td>${invoiceChip(issued)}</td>
              <td class="end">${moneyOf(issued.total, issued.currency)}</td>
            </tr>`,
          )}</tbody></table>`
    }
    ${occurrences > past.length ? html`<p class="hint">The newest ${past.length} of ${occurrences}.</p>` : nothing}
  </section>`;
}

customElements.define('pay-recurring-page', RecurringPage);
