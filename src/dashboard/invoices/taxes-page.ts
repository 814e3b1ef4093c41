import { html, type TemplateResult } from 'lit';
import type { TaxReportLine } from '../../api/invoice/tax-report.ts';
import { withParams } from '../../api/pages.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { SavedFile } from '../app/download.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { merchantClock } from '../app/session.ts';
import type { Column } from '../controls/data-table.ts';
import { dayFilters, filterStyles, oneFilter } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { moneyOf, percentWords } from '../controls/values.ts';
import { vatWords } from './invoice-words.ts';
import '../controls/data-table.ts';

type Row = TaxReportLine & { readonly id: string };

/** A tax with its net amount below. */
const taxOf = ({ amount, base }: TaxReportLine['invoiced'], currency: string): TemplateResult =>
  html`${moneyOf(amount, currency)}<div class="second-line">of ${moneyOf(base, currency)}</div>`;

const columns: readonly Column<Row>[] = [
  {
    label: 'Rate',
    share: 1.4,
    cell: ({ name, percent, category }) =>
      html`${name || 'No tax'} ${percentWords(percent)}<div class="second-line">${vatWords(category)[0]}</div>`,
  },
  { label: 'Invoiced', align: 'end', inCard: 'hidden', cell: ({ invoiced, currency }) => taxOf(invoiced, currency) },
  { label: 'Credited', align: 'end', inCard: 'hidden', cell: ({ credited, currency }) => taxOf(credited, currency) },
  { label: 'Net', align: 'end', cell: ({ base, currency }) => html`${moneyOf(base, currency)} net` },
  { label: 'Tax', align: 'end', inCard: 'value', cell: ({ amount, currency }) => moneyOf(amount, currency) },
];

/** A month of the calendar, before or after the merchant's current month, as days YYYY-MM-DD. */
function monthFrom(now: Date, months: number) {
  const day = (month: number, date: number) =>
    new Intl.DateTimeFormat('en-CA').format(new Date(now.getFullYear(), now.getMonth() + month, date));
  return { from: day(months, 1), to: day(months + 1, 0) };
}

/** The taxes of the invoices and credit notes of a period. Without a period in the URL, of the last month. */
class TaxesPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #rows = new PagedRows<Row>(this, async (_, options) => {
    const { data } = await this.app.client.reports.taxes(this.#period, options);
    return { object: 'list', url: '', has_more: false, data: data.map((line, at) => ({ ...line, id: String(at) })) };
  });
  readonly #export = new SavedFile(this, () => {
    const { from, to } = this.#period;
    return { path: withParams('/v1/reports/taxes.csv', { from, to }), name: `taxes-${from}-${to}.csv` };
  });

  get #period(): { from: string; to: string } {
    const { from, to } = monthFrom(merchantClock.now(), -1);
    return { from: this.query.get('from') || from, to: this.query.get('to') || to };
  }

  override render(): TemplateResult {
    const period = this.#period;
    const choose = (name: string, day: string) =>
      this.app.go(withParams('/invoices/taxes', { ...period, [name]: day }), { replace: true });
    return pageFrame({
      above: { label: 'Invoices', path: '/invoices' },
      title: 'Taxes',
      subtitle: 'Of invoices and credit notes issued in the period.',
      actions: this.#export.button('CSV'),
      body: html`${this.#export.note()}
        <div class="filters" role="group" aria-label="Period">
          ${dayFilters.map(filter => oneFilter(filter, period[filter.name as 'from' | 'to'], choose))}
        </div>
        <section class="card" aria-label="Taxes">
          <pay-data-table label="Taxes" .columns=${columns} .rows=${this.#rows}>
            <div slot="empty">${emptyState('No taxes', 'No invoice or credit note was issued in this period.')}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

customElements.define('pay-taxes-page', TaxesPage);
