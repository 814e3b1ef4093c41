import { html, nothing, type TemplateResult } from 'lit';
import type { ListParams } from '../../api/client.ts';
import type { Invoice } from '../../api/invoice/invoice-view.ts';
import { withParams } from '../../api/pages.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { SavedFile } from '../app/download.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import type { Column } from '../controls/data-table.ts';
import { type Filter, filterStyles, filtersBar } from '../controls/filters-bar.ts';
import { icon } from '../controls/icons.ts';
import { emptyState } from '../controls/states.ts';
import { moneyOf } from '../controls/values.ts';
import { customerWords, dayText, invoiceChip, invoiceStates, invoiceTitle } from './invoice-words.ts';
import '../controls/data-table.ts';

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: Object.entries(invoiceStates).map(([value, [label]]) => [value, label] as const),
  },
  { name: 'due_from', label: 'Due from', kind: 'day' },
  { name: 'due_to', label: 'to', kind: 'day' },
];

const columns: readonly Column<Invoice>[] = [
  {
    label: 'Customer',
    share: 2,
    cell: invoice => html`${customerWords(invoice)}<div class="second-line">${invoiceTitle(invoice)}</div>`,
  },
  { label: 'State', share: 1, cell: invoiceChip },
  { label: 'Due', share: 1, cell: ({ due_date: day }) => dayText(day) },
  {
    label: 'To pay',
    share: 1.1,
    align: 'end',
    cell: ({ amount_remaining: left, currency }) => moneyOf(left, currency),
  },
  {
    label: 'Total',
    share: 1.1,
    align: 'end',
    inCard: 'value',
    cell: ({ total, currency }) => moneyOf(total, currency),
  },
];

/** The parameters of the list and of its export, from the page's URL. */
function listParamsOf(query: URLSearchParams): ListParams {
  const of = (name: string) => query.get(name) || undefined;
  const [status, customer, from, to] = [of('status'), of('find'), of('due_from'), of('due_to')];
  const due = { ...(from && { gte: from }), ...(to && { lte: to }) };
  return {
    ...(status && { status }),
    ...(customer && { customer }),
    ...(Object.keys(due).length > 0 && { due_date: due }),
  };
}

/** The list of invoices. */
class InvoicesPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #rows = new PagedRows<Invoice>(this, (page, options) =>
    this.app.client.invoices.list({ ...listParamsOf(this.query), ...page }, options),
  );
  readonly #export = new SavedFile(this, () => ({
    path: withParams('/v1/invoices.csv', listParamsOf(this.query)),
    name: 'invoices.csv',
  }));

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'invoice.' }, ({ type, data }) => {
      const { object } = data as { object: Invoice };
      this.#rows.show(object, type === 'invoice.created');
    });
  }

  override render(): TemplateResult {
    return pageFrame({
      title: 'Invoices',
      actions: html`<a class="second" href=${pathTo('/invoices/recurring')}>Recurring</a>
        <a class="second" href=${pathTo('/invoices/taxes')}>Taxes</a> ${this.#export.button('Export')}
        ${
          this.app.may('money')
            ? html`<a class="main" href=${pathTo('/invoices/new')}>${icon('add')} New invoice</a>`
            : nothing
        }`,
      body: html`
        ${this.#export.note()}
        ${filtersBar({
          page: this,
          path: '/invoices',
          filters,
          search: { name: 'find', label: 'Customer’s e-mail' },
        })}
        <section class="card" aria-label="Invoices">
          <pay-data-table label="Invoices" .columns=${columns} .rows=${this.#rows}
            .href=${({ id }: Invoice) => pathTo(`/invoices/${id}`)}>
            <div slot="empty">${this.query.size > 0 ? nothingFound : noInvoices}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

const nothingFound = emptyState('No invoice matches', 'Change the filters, or search for another address.');
const noInvoices = emptyState(
  'No invoices yet',
  'Write one here, or let your server create it by one call. It is mailed, reminded of and paid from here.',
  html`<a class="second" href="/docs/guides/invoices">Read the guide</a>`,
);

customElements.define('pay-invoices-page', InvoicesPage);
