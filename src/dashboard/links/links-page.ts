import { html, nothing, type TemplateResult } from 'lit';
import type { PaymentLink } from '../../api/link.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { icon } from '../controls/icons.ts';
import { emptyState } from '../controls/states.ts';
import { linkChip, linkTitle, priceWords, receivedWords, usesWords } from './link-words.ts';
import '../controls/data-table.ts';
import './link-form.ts';

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: [
      ['active', 'Active'],
      ['disabled', 'Off'],
      ['expired', 'Ended'],
      ['completed', 'Used up'],
    ],
  },
];

const columns: readonly Column<PaymentLink>[] = [
  { label: 'Link', share: 2, cell: linkTitle },
  { label: 'Price', share: 1.3, cell: priceWords },
  { label: 'State', share: 1, cell: linkChip },
  { label: 'Payments', share: 1.2, cell: usesWords },
  { label: 'Received', share: 1.3, align: 'end', inCard: 'value', cell: receivedWords },
  { label: 'Created', share: 0.9, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

/** The list of links. `?new=1` opens the form for a new link. */
class LinksPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #rows = new PagedRows<PaymentLink>(this, (page, options) =>
    this.app.client.paymentLinks.list({ ...filtersIn(this.query, ['status']), ...page }, options),
  );

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payment_link.' }, ({ type, data }) => {
      const { object } = data as { object: PaymentLink };
      this.#rows.show(object, type === 'payment_link.created');
    });
  }

  override render(): TemplateResult {
    const mayCreate = this.app.may('money');
    const create = html`<a class="main" href=${pathTo('/links?new=1')}>${icon('add')} New link</a>`;
    return pageFrame({
      title: 'Payment links',
      subtitle: 'A page with its own address and QR code: share it, print it, and be paid.',
      actions: mayCreate ? create : nothing,
      body: html`
        ${filtersBar({ page: this, path: '/links', filters })}
        <section class="card" aria-label="Payment links">
          <pay-data-table label="Payment links" .columns=${columns} .rows=${this.#rows}
            .href=${({ id }: PaymentLink) => pathTo(`/links/${id}`)}>
            <div slot="empty">${this.query.has('status') ? nothingFound : noLinks(mayCreate ? create : nothing)}</div>
          </pay-data-table>
        </section>
        <pay-link-form ?open=${this.query.has('new')} @close=${() => this.app.go('/links', { replace: true })}></pay-link-form>`,
    });
  }
}

const nothingFound = emptyState('No link matches', 'Choose another status.');
const noLinks = (create: TemplateResult | typeof nothing) =>
  emptyState('No links yet', 'Take a payment without a website: say what it costs, and send the link.', create);

customElements.define('pay-links-page', LinksPage);
