import { html, type TemplateResult } from 'lit';
import type { ListParams } from '../../api/client.ts';
import { withParams } from '../../api/pages.ts';
import type { Payment } from '../../api/payment.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { SavedFile } from '../app/download.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { dayFilters, type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { type StateTable, sentenceCase } from '../controls/status-chip.ts';
import { firstPayment } from './first-payment.ts';
import { paymentColumns } from './payment-columns.ts';
import { exceptions, methods, phases } from './payment-states.ts';
import '../controls/data-table.ts';
import '../controls/saved-views.ts';

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: [
      ['completed', 'Paid'],
      ['pending', 'Waiting'],
      ['failed', 'Failed'],
      ['refunded', 'Refunded'],
    ],
  },
  { name: 'method', label: 'Method', kind: 'choice', options: Object.entries(methods) },
  { name: 'exception', label: 'Needs you', kind: 'choice', options: Object.entries(exceptions) },
  ...dayFilters,
];

/** Filters that only links from other pages set. They are shown only while they are set. */
const linkedFilters: readonly Filter[] = [
  {
    name: 'refund_requires_destination',
    label: 'Refund',
    kind: 'choice',
    options: [['true', 'Waits for its payer']],
  },
  { name: 'phase', label: 'Phase', kind: 'choice', options: choicesOf(phases) },
  {
    name: 'settlement_status',
    label: 'Settlement',
    kind: 'choice',
    options: ['pending', 'submitted', 'settled', 'failed'].map(value => [value, sentenceCase(value)] as const),
  },
];

function choicesOf(states: StateTable): readonly (readonly [string, string])[] {
  return Object.keys(states).map(value => [value, sentenceCase(value)] as const);
}

/** The parameters of the list and of its export, from the page's URL. */
function listParamsOf(query: URLSearchParams): ListParams {
  const found = query.get('find');
  return {
    ...filtersIn(query, ['status', 'phase', 'method', 'exception', 'settlement_status', 'refund_requires_destination']),
    ...(found && { [searchedBy(found)]: found }),
  };
}

/** The filter for a search text: the id of a payment or a settlement, a customer's e-mail address or a reference. */
function searchedBy(text: string): keyof ListParams {
  if (/^pay_\w+$/.test(text)) return 'id';
  if (/^set_\w+$/.test(text)) return 'settlement';
  return text.includes('@') ? 'customer' : 'reference';
}

/** The list of payments. Its URL contains the filters. */
class PaymentsPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #export = new SavedFile(this, () => ({
    path: withParams('/v1/payments.csv', listParamsOf(this.query)),
    name: 'payments.csv',
  }));
  readonly #rows = new PagedRows<Payment>(this, (page, options) =>
    this.app.client.payments.list({ ...listParamsOf(this.query), ...page }, options),
  );

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payment.' }, event => {
      const { object } = event.data as { object: Payment };
      this.#rows.show(object, event.type === 'payment.created');
    });
  }

  override render(): TemplateResult {
    const isFiltered = this.query.size > 0;
    return pageFrame({
      title: 'Payments',
      actions: this.#export.button('Export'),
      body: html`
        ${this.#export.note()}
        ${filtersBar({
          page: this,
          path: '/payments',
          filters: [...filters, ...linkedFilters.filter(({ name }) => this.query.has(name))],
          search: { name: 'find', label: 'Id, e-mail or reference' },
          more: html`<pay-saved-views path="/payments" .query=${this.query}></pay-saved-views>`,
        })}
        <section class="card" aria-label="Payments">
          <pay-data-table label="Payments" .columns=${paymentColumns} .rows=${this.#rows}
            .href=${({ id }: Payment) => pathTo(`/payments/${id}`)}>
            <div slot="empty">${isFiltered ? nothingFound : firstPayment(this.app, 'No payments yet')}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

const nothingFound = emptyState('No payment matches', 'Change the filters, or search for an id, e-mail or reference.');
customElements.define('pay-payments-page', PaymentsPage);
