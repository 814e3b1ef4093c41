import { html, type TemplateResult } from 'lit';
import type { Settlement } from '../../api/client.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { nextPayouts, settlementColumns, settlementStates } from './settlement-words.ts';
import '../controls/data-table.ts';

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: Object.entries(settlementStates).map(([value, [label]]) => [value, label] as const),
  },
];
/** Milliseconds between two reloads of the list while events arrive. */
const pauseMs = 1_000;

/** The settlements in a currency, newest first, below the next payouts. */
class SettlementsPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #open = new Loaded<readonly Settlement[]>(
    this,
    async signal => (await this.app.client.settlements.list({ status: 'open' }, { signal })).data,
  );
  readonly #rows = new PagedRows<Settlement>(this, (page, options) =>
    this.app.client.settlements.list({ ...filtersIn(this.query, ['status']), ...page }, options),
  );
  readonly #soon = new Soon(this, () => Promise.all([this.#open.reload(), this.#rows.reload()]), pauseMs);

  override connectedCallback(): void {
    super.connectedCallback();
    for (const type of ['payment.completed', 'payment.settle', 'payout.', 'settlement.']) {
      this.follow({ type }, () => this.#soon.ask());
    }
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Balance', path: '/balance' },
      title: 'Settlements',
      subtitle: 'Payouts of your payments to your bank account or mobile-money wallet.',
      actions: html`<a class="second" href=${pathTo('/settings/settlement')}>Set up</a>`,
      body: html`${nextPayouts(this.#open.value ?? [])}
        ${filtersBar({ page: this, path: '/balance/settlements', filters })}
        <section class="card" aria-label="Settlements">
          <pay-data-table label="Settlements" .columns=${settlementColumns} .rows=${this.#rows}
            .href=${({ id }: Settlement) => pathTo(`/balance/settlements/${id}`)}>
            <div slot="empty">${this.query.has('status') ? noneFound : noneYet}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

const noneFound = emptyState('No settlements', 'None has this status.');
const noneYet = emptyState(
  'No settlements yet',
  'Choose a currency and an account, and each completed payment is paid out to it.',
  html`<a class="main" href=${pathTo('/settings/settlement')}>Set up settlement</a>`,
);

customElements.define('pay-settlements-page', SettlementsPage);
