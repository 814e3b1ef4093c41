import { html, type TemplateResult } from 'lit';
import type { Kyc } from '../../../api/kyc/kyc.ts';
import { DashboardPage, pageFrame } from '../../app/dashboard-page.ts';
import { PagedRows, pageSize } from '../../app/paged-rows.ts';
import { pathTo } from '../../app/router.ts';
import { Soon } from '../../app/soon.ts';
import { agoText } from '../../controls/ago-text.ts';
import type { Column } from '../../controls/data-table.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../../controls/filters-bar.ts';
import { emptyState } from '../../controls/states.ts';
import { chip, statusChip } from '../../controls/status-chip.ts';
import { choicesOf } from '../../payouts/payout-words.ts';
import { createNames, type Named, withNames } from '../customer-names.ts';
import { kycStates, tiersWords, typeWords } from './kyc-words.ts';
import '../../controls/data-table.ts';

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: choicesOf(kycStates).filter(([status]) => status !== 'not_started'),
  },
];

const columns: readonly Column<Named<Kyc>>[] = [
  { label: 'Customer', share: 2, cell: ({ customer_name: name }) => name },
  { label: 'Type', share: 1, cell: ({ type }) => typeWords[type] },
  { label: 'Tier', share: 1.6, cell: tiersWords },
  {
    label: 'State',
    share: 1.4,
    inCard: 'last',
    cell: ({ status, flags }) =>
      html`${statusChip(status, kycStates)} ${flags.length > 0 ? chip('Hit of a list', 'bad') : ''}`,
  },
  {
    label: 'Begun',
    share: 0.8,
    align: 'end',
    inCard: 'value',
    cell: ({ created_at: time }) => (time === null ? '' : agoText(time)),
  },
];

/** Milliseconds between two reloads of the list while events arrive. */
const pauseMs = 1_000;

/** The identity checks of all customers. A row leads to the customer, where staff decides. */
class KycPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #nameOf = createNames(() => this.app.client);
  readonly #rows = new PagedRows<Named<Kyc>>(this, async (page, options) => {
    const params = { ...filtersIn(this.query, ['status']), ...page };
    return withNames(this.#nameOf, await this.app.client.kyc.list(params, options), ({ customer }) => customer);
  });
  readonly #soon = new Soon(this, () => this.#reload(), pauseMs);

  /** Leaves the list as it is while the person reads further down. */
  async #reload(): Promise<void> {
    if (this.#rows.count <= pageSize) await this.#rows.reload();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'kyc.' }, () => this.#soon.ask());
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Customers', path: '/customers' },
      title: 'Identity checks',
      subtitle: 'Who your customers are, before they buy coins.',
      body: html`${filtersBar({ page: this, path: '/identity-checks', filters })}
        <section class="card" aria-label="Identity checks">
          <pay-data-table label="Identity checks" .columns=${columns} .rows=${this.#rows}
            .href=${({ customer }: Kyc) => pathTo(`/customers/${customer}`)}>
            <div slot="empty">${this.query.size > 0 ? noneFound : noneYet}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

const noneFound = emptyState('No identity checks', 'None has this status.');
const noneYet = emptyState(
  'No identity checks yet',
  html`A check appears here when a customer gives data. <a href=${pathTo('/settings/ramps')}>Limits of ramps</a> say who needs one.`,
);

customElements.define('pay-kyc-page', KycPage);
