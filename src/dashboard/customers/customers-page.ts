import { html, nothing, type TemplateResult } from 'lit';
import type { Customer } from '../../api/dashboard/customer.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { icon } from '../controls/icons.ts';
import { emptyState } from '../controls/states.ts';
import { createCustomerAction } from './customer-actions.ts';
import '../controls/data-table.ts';

const columns: readonly Column<Customer>[] = [
  {
    label: 'Customer',
    share: 2,
    cell: ({ name, email }) =>
      html`${name ?? email}${name === null ? nothing : html`<div class="second-line">${email}</div>`}`,
  },
  { label: 'Country', share: 0.8, cell: ({ address }) => address?.country ?? '' },
  { label: 'Note', share: 1.6, cell: ({ description }) => description ?? '' },
  { label: 'Since', share: 0.8, align: 'end', inCard: 'value', cell: ({ created_at: time }) => agoText(time) },
];

/** The list of customers. */
class CustomersPage extends ActionPage {
  static override readonly styles = [ActionPage.styles, filterStyles];

  readonly #rows = new PagedRows<Customer>(this, (page, options) =>
    this.app.client.customers.list({ ...filtersIn(this.query, ['email']), ...page }, options),
  );

  override render(): TemplateResult {
    const create = html`<button class="main" type="button" @click=${() =>
      this.ask(
        createCustomerAction(this.app.client, ({ id }) => this.app.go(`/customers/${id}`)),
      )}>${icon('add')} New customer</button>`;
    const isFiltered = this.query.size > 0;
    return html`${pageFrame({
      title: 'Customers',
      subtitle: html`<a href=${pathTo('/identity-checks?status=under_review')}>Identity checks</a>`,
      actions: this.app.may('money') ? create : nothing,
      body: html`
        ${filtersBar({ page: this, path: '/customers', search: { name: 'email', label: 'E-mail address' } })}
        <section class="card" aria-label="Customers">
          <pay-data-table label="Customers" .columns=${columns} .rows=${this.#rows}
            .href=${({ id }: Customer) => pathTo(`/customers/${id}`)}>
            <div slot="empty">${isFiltered ? nothingFound : noCustomers}</div>
          </pay-data-table>
        </section>`,
    })}
    ${actionDialog(this)}`;
  }
}

const nothingFound = emptyState('No customer has this address', 'Type the whole e-mail address.');
const noCustomers = emptyState('No customers yet', 'Who pays, or gets an invoice, appears here by e-mail address.');

customElements.define('pay-customers-page', CustomersPage);
