import { html, nothing, type TemplateResult } from 'lit';
import type { ListParams } from '../../api/client.ts';
import { withParams } from '../../api/pages.ts';
import type { Payout } from '../../api/payout.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { SavedFile } from '../app/download.ts';
import { Loaded } from '../app/loaded.ts';
import { PagedRows, pageSize } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { dayFilters, type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { progressStyles, type StoredBatch, underWay } from './batch-words.ts';
import { choicesOf, payoutColumns, payoutStates } from './payout-words.ts';
import { mayNotSend } from './roles.ts';
import '../controls/data-table.ts';
import '../controls/saved-views.ts';

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: choicesOf(payoutStates) },
  ...dayFilters,
];

/** Maximum number of shown batches in each of the states `awaiting_approval` and `processing`. */
const mostUnderWay = 3;
/** Milliseconds between two readings of the list while new payouts arrive. */
const pauseMs = 1_000;

/** The parameters of the list and of its export, from the page's URL. */
function listParamsOf(query: URLSearchParams): ListParams {
  const found = query.get('find');
  return {
    ...filtersIn(query, ['status', 'currency', 'recipient']),
    ...(found && { [searchedBy(found)]: found }),
  };
}

/** The filter for a search text: a payout's id, a recipient's id or a reference. */
function searchedBy(text: string): keyof ListParams {
  if (/^po_\w+$/.test(text)) return 'id';
  return text.startsWith('rec_') ? 'recipient' : 'reference';
}

/** The list of payouts. Its URL contains the filters. */
class PayoutsPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles, progressStyles];

  readonly #export = new SavedFile(this, () => ({
    path: withParams('/v1/payouts.csv', listParamsOf(this.query)),
    name: 'payouts.csv',
  }));
  readonly #rows = new PagedRows<Payout>(this, (page, options) =>
    this.app.client.payouts.list({ ...listParamsOf(this.query), ...page }, options),
  );

  readonly #batches = new Loaded<readonly StoredBatch[]>(this, async signal => {
    const { payoutBatches } = this.app.client;
    const lists = (['awaiting_approval', 'processing'] as const).map(status =>
      payoutBatches.list({ status, limit: mostUnderWay }, { signal }),
    );
    return (await Promise.all(lists)).flatMap(({ data }) => data);
  });

  /** A batch may create thousands of payouts, so the page reads the list at intervals instead of for each event. */
  readonly #soon = new Soon(this, () => this.#reload(), pauseMs);

  async #reload(): Promise<void> {
    const isAtTop = this.#rows.count <= pageSize;
    await Promise.all([this.#batches.reload(), isAtTop ? this.#rows.reload() : null]);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payout' }, event => {
      if (event.type.startsWith('payout.')) this.#rows.replace((event.data as { object: Payout }).object);
      this.#soon.ask();
    });
  }

  override render(): TemplateResult {
    return pageFrame({
      title: 'Payouts',
      subtitle: html`<a href=${pathTo('/payouts/batches')}>Batches</a>`,
      actions: html`${this.#export.button('Export')}
        ${
          this.app.may('money')
            ? html`<a class="second" href=${pathTo('/payouts/batches/new')}>Pay many</a>
          <a class="main" href=${pathTo('/payouts/new')}>Send money</a>`
            : nothing
        }`,
      body: html`
        ${mayNotSend(this.app)} ${this.#export.note()} ${underWay(this.#batches.value ?? [])}
        ${filtersBar({
          page: this,
          path: '/payouts',
          filters,
          search: { name: 'find', label: 'Id, recipient or reference' },
          more: html`<pay-saved-views path="/payouts" .query=${this.query}></pay-saved-views>`,
        })}
        <section class="card" aria-label="Payouts">
          <pay-data-table label="Payouts" .columns=${payoutColumns} .rows=${this.#rows}
            .href=${({ id }: Payout) => pathTo(`/payouts/${id}`)}>
            <div slot="empty">${this.query.size > 0 ? nothingFound : noPayouts}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

const nothingFound = emptyState(
  'No payout matches',
  'Change the filters, or search for an id, recipient or reference.',
);
const noPayouts = emptyState(
  'No payouts yet',
  'A payout sends money of your balance to a bank account, a phone or a wallet. A CSV file pays up to 10,000 at once.',
);

customElements.define('pay-payouts-page', PayoutsPage);
