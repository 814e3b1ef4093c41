import { html, nothing, type TemplateResult } from 'lit';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { PagedRows, pageSize } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { batchColumns, batchStates, type StoredBatch } from './batch-words.ts';
import { choicesOf } from './payout-words.ts';
import { mayNotSend } from './roles.ts';
import '../controls/data-table.ts';

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: choicesOf(batchStates) },
];
/** Milliseconds between two reloads of the list while events arrive. */
const pauseMs = 1_000;

/** The list of payout batches. Batches in progress show their progress. */
class BatchesPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #rows = new PagedRows<StoredBatch>(this, (page, options) =>
    this.app.client.payoutBatches.list({ ...filtersIn(this.query, ['status']), ...page }, options),
  );
  readonly #soon = new Soon(this, () => this.#rows.reload(), pauseMs);

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payout' }, () => {
      if (this.#rows.count <= pageSize) this.#soon.ask();
    });
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Payouts', path: '/payouts' },
      title: 'Batches',
      actions: this.app.may('money')
        ? html`<a class="main" href=${pathTo('/payouts/batches/new')}>Pay many</a>`
        : nothing,
      body: html`${mayNotSend(this.app)}
        ${filtersBar({ page: this, path: '/payouts/batches', filters })}
        <section class="card" aria-label="Batches">
          <pay-data-table label="Batches" .columns=${batchColumns} .rows=${this.#rows}
            .href=${({ id }: StoredBatch) => pathTo(`/payouts/batches/${id}`)}>
            <div slot="empty">${emptyState('No batches', 'A batch pays up to 10,000 people from one CSV file.')}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

customElements.define('pay-batches-page', BatchesPage);
