import { html, type PropertyValues, type TemplateResult } from 'lit';
import type { ListParams } from '../../api/client.ts';
import { withParams } from '../../api/pages.ts';
import type { Payout } from '../../api/payout.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { download, SavedFile } from '../app/download.ts';
import { PagedRows, pageSize } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { dayFilters, type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { choicesOf, payoutColumns, payoutStates } from './payout-words.ts';
import { mayNotSend } from './roles.ts';
import '../controls/data-table.ts';
import '../controls/saved-views.ts';

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: choicesOf(payoutStates) },
  ...dayFilters,
];

/** Pause between two reads of the list while new payouts come in, in ms. */
const pauseMs = 1_000;

/** The query of the list for the page's URL. */
function listParamsOf(query: URLSearchParams): ListParams {
  const found = query.get('find');
  return {
    ...filtersIn(query, ['status', 'currency', 'recipient']),
    ...(found ? (found.startsWith('rec_') ? { recipient: found } : { reference: found }) : {}),
  };
}

/** The list of payouts. Its URL has the filters. */
class PayoutsPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #export = new SavedFile(this, () =>
    download(this.app, withParams('/v1/payouts.csv', listParamsOf(this.query)), 'payouts.csv'),
  );
  readonly #rows = new PagedRows<Payout>(this, async (after, signal) => {
    const found = this.query.get('find') ?? '';
    const { payouts } = this.app.client;
    if (/^po_\w+$/.test(found)) {
      const payout = await payouts.retrieve(found, { signal });
      return { object: 'list', url: '', has_more: false, data: [payout] };
    }
    const cursor = after === undefined ? {} : { starting_after: after };
    return await payouts.list({ ...listParamsOf(this.query), limit: pageSize, ...cursor }, { signal });
  });

  /** A batch brings thousands of new payouts, so they are read together. */
  readonly #soon = new Soon(this, () => this.#rows.reload(), pauseMs);

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payout.' }, event => {
      const isKnown = this.#rows.replace((event.data as { object: Payout }).object);
      if (!isKnown && this.query.size === 0 && this.#rows.count <= pageSize) this.#soon.ask();
    });
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('query') && changed.get('query') !== undefined && this.hasUpdated) void this.#rows.reload();
  }

  override render(): TemplateResult {
    return pageFrame({
      title: 'Payouts',
      actions: this.#export.button('Export'),
      body: html`
        ${mayNotSend(this.app)} ${this.#export.note()}
        ${filtersBar({
          ...{ filters, query: this.query, search: { name: 'find', label: 'Id, recipient or reference' } },
          apply: query => this.app.go(`/payouts${query.size > 0 ? `?${query}` : ''}`, { replace: true }),
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
  'A payout sends money of your balance to a bank account, a phone or a wallet.',
);

customElements.define('pay-payouts-page', PayoutsPage);
