import { html, type TemplateResult } from 'lit';
import type { Dispute } from '../../api/client.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { statusChip } from '../controls/status-chip.ts';
import { moneyOf } from '../controls/values.ts';
import { deadlineWords, disputeStates, reasonWords, stateOf } from './dispute-words.ts';
import '../controls/data-table.ts';

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: [
      ['needs_response', 'To answer'],
      ['under_review', 'At the bank'],
      ['closed', 'Closed'],
    ],
  },
];

const columns: readonly Column<Dispute>[] = [
  { label: 'Reason', share: 1.6, cell: reasonWords },
  { label: 'Deadline', share: 1.6, cell: dispute => deadlineWords(dispute) ?? '' },
  {
    label: 'State',
    share: 1,
    inCard: 'last',
    cell: dispute => statusChip(stateOf(dispute), disputeStates),
  },
  {
    label: 'Amount',
    share: 1.1,
    align: 'end',
    inCard: 'value',
    cell: ({ amount, currency }) => moneyOf(amount, currency),
  },
  { label: 'When', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

/** The list of disputes, each with its deadline. */
class DisputesPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #rows = new PagedRows<Dispute>(this, (page, options) =>
    this.app.client.disputes.list({ ...filtersIn(this.query, ['status']), ...page }, options),
  );

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'dispute.' }, () => void this.#rows.reload());
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Balance', path: '/balance' },
      title: 'Disputes',
      subtitle: 'Card payments that the cardholder disputes at the bank. The bank takes the amount back at once.',
      body: html`${filtersBar({ page: this, path: '/balance/disputes', filters })}
        <section class="card" aria-label="Disputes">
          <pay-data-table label="Disputes" .columns=${columns} .rows=${this.#rows}
            .href=${({ id }: Dispute) => pathTo(`/balance/disputes/${id}`)}>
            <div slot="empty">${emptyState('No disputes', 'A dispute appears here with the deadline for your evidence.')}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

customElements.define('pay-disputes-page', DisputesPage);
