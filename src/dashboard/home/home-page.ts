import { html, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { systemClock } from '../../core/clock.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { emptyState } from '../controls/states.ts';
import { paymentColumns } from '../payments/payment-columns.ts';
import '../controls/data-table.ts';

/** Payments that home shows. */
const latest = 8;

/** `Good afternoon, Ada`. */
function greeting(name: string | null): string {
  const hour = systemClock.now().getHours();
  const part = hour < 5 || hour >= 18 ? 'evening' : hour < 12 ? 'morning' : 'afternoon';
  return `Good ${part}${name ? `, ${name.split(' ')[0]}` : ''}`;
}

class HomePage extends DashboardPage {
  readonly #rows = new PagedRows<Payment>(this, async (_after, signal) => {
    const page = await this.app.client.payments.list({ limit: latest }, { signal });
    return { ...page, has_more: false };
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payment.' }, event => {
      const { object } = event.data as { object: Payment };
      if (!this.#rows.replace(object) && event.type === 'payment.created') this.#rows.add(object);
    });
  }

  override render(): TemplateResult {
    return pageFrame({
      title: greeting(this.app.session?.person.name ?? null),
      body: html`<section class="card" aria-labelledby="latest">
        <div class="card-head"><h2 id="latest">Latest</h2><a href=${pathTo('/payments')}>All payments</a></div>
        <pay-data-table label="Latest payments" .columns=${paymentColumns} .rows=${this.#rows}
          .href=${({ id }: Payment) => pathTo(`/payments/${id}`)}>
          <div slot="empty">${firstPayment}</div>
        </pay-data-table>
      </section>`,
    });
  }
}

const firstPayment = emptyState(
  'Take your first payment',
  'Open the example store, put something into the cart, and pay with a test card. It appears here at once.',
  html`<a class="main" href="/demo/">Open the example store</a>`,
);

customElements.define('pay-home-page', HomePage);
