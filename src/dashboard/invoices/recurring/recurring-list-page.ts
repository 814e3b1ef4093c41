import { html, nothing, type TemplateResult } from 'lit';
import type { RecurringInvoice } from '../../../api/invoice/recurring.ts';
import { DashboardPage, pageFrame } from '../../app/dashboard-page.ts';
import { PagedRows } from '../../app/paged-rows.ts';
import { pathTo } from '../../app/router.ts';
import type { Column } from '../../controls/data-table.ts';
import { icon } from '../../controls/icons.ts';
import { emptyState } from '../../controls/states.ts';
import { dayText } from '../invoice-words.ts';
import { countWords, receiverOf, recurringChip } from './recurring-words.ts';
import { ruleWords } from './schedule.ts';
import '../../controls/data-table.ts';

const columns: readonly Column<RecurringInvoice>[] = [
  {
    label: 'Customer',
    share: 2,
    cell: recurring => html`${receiverOf(recurring)}<div class="second-line">${ruleWords(recurring.rrule)}</div>`,
  },
  { label: 'State', share: 1, inCard: 'last', cell: recurringChip },
  { label: 'Next', share: 1, cell: ({ next_on: day }) => dayText(day) },
  { label: 'Invoices', share: 0.8, align: 'end', inCard: 'value', cell: recurring => `${countWords(recurring)} made` },
];

/** The list of recurring invoices. */
class RecurringListPage extends DashboardPage {
  readonly #rows = new PagedRows<RecurringInvoice>(this, (page, options) =>
    this.app.client.recurringInvoices.list(page, options),
  );

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'invoice.created' }, () => void this.#rows.reload());
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Invoices', path: '/invoices' },
      title: 'Recurring invoices',
      subtitle: 'Each makes an invoice on the days of its rule, at nine in the morning.',
      actions: this.app.may('money')
        ? html`<a class="main" href=${pathTo('/invoices/recurring/new')}>${icon('add')} New recurring invoice</a>`
        : nothing,
      body: html`<section class="card" aria-label="Recurring invoices">
        <pay-data-table label="Recurring invoices" .columns=${columns} .rows=${this.#rows}
          .href=${({ id }: RecurringInvoice) => pathTo(`/invoices/recurring/${id}`)}>
          <div slot="empty">${emptyState('No recurring invoices yet', 'Bill a subscription or a rent once, and the service sends each invoice on its day.')}</div>
        </pay-data-table>
      </section>`,
    });
  }
}

customElements.define('pay-recurring-list-page', RecurringListPage);
