import { html, type TemplateResult } from 'lit';
import type { Ramp } from '../../api/ramps/ramp.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { PagedRows, pageSize } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { createNames, type Named, withNames } from '../customers/customer-names.ts';
import { choicesOf } from '../payouts/payout-words.ts';
import { rampColumns, rampStates } from './ramp-words.ts';
import '../controls/data-table.ts';

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: choicesOf(rampStates) },
];
/** Milliseconds between two reloads of the list while events arrive. */
const pauseMs = 1_000;

/** The list of ramps. Its URL contains the filters. */
class RampsPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #nameOf = createNames(() => this.app.client);
  readonly #rows = new PagedRows<Named<Ramp>>(this, async (page, options) => {
    const params = { ...filtersIn(this.query, ['status', 'customer']), ...page };
    return withNames(this.#nameOf, await this.app.client.ramps.list(params, options), ({ customer_id: id }) => id);
  });
  readonly #soon = new Soon(this, () => this.#reload(), pauseMs);

  /** Leaves the list as it is while the person reads further down. */
  async #reload(): Promise<void> {
    if (this.#rows.count <= pageSize) await this.#rows.reload();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'ramp.' }, () => this.#soon.ask());
  }

  override render(): TemplateResult {
    return pageFrame({
      title: 'Ramps',
      subtitle: 'Your customers buy coins, which arrive in their wallets, or sell coins for money.',
      actions: html`<a class="second" href=${pathTo('/settings/ramps')}>Set up</a>`,
      body: html`${filtersBar({ page: this, path: '/ramps', filters })}
        <section class="card" aria-label="Ramps">
          <pay-data-table label="Ramps" .columns=${rampColumns} .rows=${this.#rows}
            .href=${({ id }: Ramp) => pathTo(`/ramps/${id}`)}>
            <div slot="empty">${this.query.size > 0 ? noneFound : noneYet}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

const noneFound = emptyState('No ramps', 'None fits these filters.');
const noneYet = emptyState(
  'No ramps yet',
  'Choose assets, methods, fees and limits. Then your program begins a ramp for each purchase or sale.',
  html`<a class="main" href=${pathTo('/settings/ramps')}>Set up ramps</a>
    <a class="second" href="/docs/ramps" target="_blank" rel="noopener">Documentation</a>`,
);

customElements.define('pay-ramps-page', RampsPage);
