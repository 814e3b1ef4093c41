import { html, nothing, type TemplateResult } from 'lit';
import type { Customer } from '../../api/dashboard/customer.ts';
import type { Event } from '../../api/event.ts';
import type { CustomerCredit } from '../../api/invoice/invoice-money.ts';
import type { Invoice } from '../../api/invoice/invoice-view.ts';
import type { Payment } from '../../api/payment.ts';
import type { Metadata } from '../../api/schema.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { keyValues } from '../controls/key-values.ts';
import { emptyState } from '../controls/states.ts';
import { moneyOf, timeText } from '../controls/values.ts';
import { invoiceChip, invoiceTitle } from '../invoices/invoice-words.ts';
import { changeMetadata, metadataCard } from '../payments/metadata.ts';
import { paymentChip } from '../payments/payment-states.ts';
import { editCustomerAction } from './customer-actions.ts';
import { KycCard } from './kyc/kyc-card.ts';

/** A customer with the unused credit, and the latest payments and invoices. */
interface CustomerFile {
  readonly customer: Customer;
  readonly payments: readonly Payment[];
  readonly invoices: readonly Invoice[];
  readonly credits: readonly CustomerCredit[];
}

const latest = 20;
/** Milliseconds between two readings while events of the customer arrive. */
const pauseMs = 1_000;

/** One customer: details, credit, payments, invoices, identity check. */
class CustomerPage extends ActionPage {
  readonly #file = new Loaded<CustomerFile>(this, async signal => {
    const { client } = this.app;
    const customer = await client.customers.retrieve(this.params['id'] ?? '', { signal });
    const of = { customer: customer.email, limit: latest };
    const [payments, invoices, credits] = await Promise.all([
      client.payments.list(of, { signal }),
      client.invoices.list(of, { signal }),
      client.customers.credits({ customer: customer.id, limit: 100 }, { signal }),
    ]);
    return { customer, payments: payments.data, invoices: invoices.data, credits: credits.data };
  });
  readonly #kyc = new KycCard(this, () => this.params['id'] ?? '');
  readonly #soon = new Soon(this, () => this.#file.reload(), pauseMs);

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({}, event => {
      this.#kyc.take(event);
      const customer = this.#file.value?.customer;
      if (customer !== undefined && isOf(customer, event)) this.#soon.ask();
    });
  }

  #metadata({ id, metadata }: Customer): TemplateResult | typeof nothing {
    const save = async (changed: Metadata) => {
      await this.app.client.customers.update(id, { metadata: changed });
      this.app.toast({ text: 'Metadata saved', tone: 'good' });
      await this.#file.reload();
    };
    return metadataCard(metadata, this.app.may('money') ? () => changeMetadata(this, { metadata, save }) : null);
  }

  override render(): TemplateResult {
    const customer = this.#file.value?.customer;
    const edit = (known: Customer) =>
      editCustomerAction(this.app.client, known, () => {
        this.app.toast({ text: 'Customer saved', tone: 'good' });
        void this.#file.reload();
      });
    return html`${pageFrame({
      above: { label: 'Customers', path: '/customers' },
      title: customer ? (customer.name ?? customer.email) : 'Customer',
      actions:
        customer && this.app.may('money')
          ? html`${actionButtons(this, [{ label: 'Edit', style: 'second', start: () => edit(customer) }])}`
          : nothing,
      body: this.#file.render(file => customerBody(file, this.#kyc, this.#metadata(file.customer))),
    })}
    ${actionDialog(this)}`;
  }
}

/** Whether the event is about an object of the customer. */
function isOf({ id, email }: Customer, { data }: Event): boolean {
  const { customer } = (data as { object: { customer?: { id?: string | null; email?: string | null } | null } }).object;
  return customer?.id === id || customer?.email === email;
}

function customerBody(
  { customer, payments, invoices, credits }: CustomerFile,
  kyc: KycCard,
  metadata: TemplateResult | typeof nothing,
): TemplateResult {
  const { address } = customer;
  const place = [address?.line1, address?.line2, address?.postal_code, address?.city, address?.state, address?.country];
  const inList = (list: string) => pathTo(`/${list}?find=${encodeURIComponent(customer.email)}`);
  return html`<div class="beside">
    <div class="stack">
      ${kyc.isBegun ? kyc.render() : nothing}
      ${rowsCard('Payments', inList('payments'), payments, payment => ({
        path: `/payments/${payment.id}`,
        title: timeText(payment.created_at),
        state: paymentChip(payment),
        sum: moneyOf(payment.amount, payment.currency),
      }))}
      ${rowsCard('Invoices', inList('invoices'), invoices, invoice => ({
        path: `/invoices/${invoice.id}`,
        title: invoiceTitle(invoice),
        state: invoiceChip(invoice),
        sum: moneyOf(invoice.total, invoice.currency),
      }))}
      ${kyc.isBegun ? nothing : kyc.render()}
    </div>
    <div class="stack">
    <section class="card" aria-labelledby="details">
      <h2 id="details">Details</h2>
      ${keyValues([
        { label: 'E-mail', value: customer.email, copy: customer.email },
        { label: 'Phone', value: customer.phone },
        { label: 'Address', value: place.filter(Boolean).join(', ') },
        { label: 'Tax id', value: customer.tax_id },
        { label: 'Note', value: customer.description },
        ...credits.map(({ amount, currency }) => ({ label: 'Credit', value: moneyOf(amount, currency) })),
        { label: 'Since', value: timeText(customer.created_at) },
        { label: 'Id', value: html`<span class="mono">${customer.id}</span>`, copy: customer.id },
      ])}
    </section>
    ${metadata}
    </div>
  </div>`;
}

interface ShownRow {
  readonly path: string;
  readonly title: TemplateResult | string;
  readonly state: TemplateResult;
  readonly sum: TemplateResult;
}

function rowsCard<T>(heading: string, all: string, rows: readonly T[], show: (row: T) => ShownRow): TemplateResult {
  const id = heading.toLowerCase();
  const table = () => html`<table class="rows"><tbody>
    ${rows.map(show).map(
      ({ path, title, state, sum }) => html`<tr>
        <th scope="row"><a href=${pathTo(path)}>${title}</a></th><td>${state}</td><td class="end">${sum}</td>
      </tr>`,
    )}
  </tbody></table>`;
  return html`<section class="card" aria-labelledby=${id}>
    <div class="card-head"><h2 id=${id}>${heading}</h2>${rows.length === latest ? html`<a href=${all}>All</a>` : nothing}</div>
    ${rows.length === 0 ? emptyState(`No ${id}`, `This customer has no ${id} yet.`) : table()}
  </section>`;
}

customElements.define('pay-customer-page', CustomerPage);
