import { html, nothing, type TemplateResult } from 'lit';
import type { Overview } from '../../api/client.ts';
import type { Payment } from '../../api/payment.ts';
import { systemClock } from '../../core/clock.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { merchantClock } from '../app/session.ts';
import { Soon } from '../app/soon.ts';
import { firstPayment } from '../payments/first-payment.ts';
import { paymentColumns } from '../payments/payment-columns.ts';
import { currenciesOf } from './figures.ts';
import { homeStyles } from './home.styles.ts';
import { chartCard, figureCards, sharesCard } from './home-cards.ts';
import '../controls/data-table.ts';

/** Number of payments that the page loads. New payments are added as they arrive. */
const latest = 8;
/** Milliseconds between two readings of the figures while events arrive. */
const pauseMs = 3_000;
const periods = [7, 30, 90] as const;

/** A greeting, for example `Good afternoon, Ada`. */
function greeting(name: string | null): string {
  const hour = systemClock.now().getHours();
  const part = hour < 5 || hour >= 18 ? 'evening' : hour < 12 ? 'morning' : 'afternoon';
  return `Good ${part}${name ? `, ${name.split(' ')[0]}` : ''}`;
}

/** The day in the API's form (YYYY-MM-DD). */
const dayText = (time: Date) => new Intl.DateTimeFormat('en-CA').format(time);

/** Home: received money, settled money, and work that waits for a person. */
class HomePage extends DashboardPage {
  static override readonly properties = {
    ...DashboardPage.properties,
    currency: { state: true },
    days: { state: true },
  };
  static override readonly styles = [DashboardPage.styles, homeStyles];

  /** The chosen currency. Null: the most used currency. */
  declare currency: string | null;
  declare days: number;

  readonly #overview = new Loaded<Overview>(this, async signal => {
    const from = new Date(merchantClock.now().getTime() - (this.days - 1) * 86_400_000);
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const overview = await this.app.client.reports.overview({ from: dayText(from), timezone }, { signal });
    // The chart's code is large, so it is loaded only if there is data to draw. The figures do not wait for the code.
    if (overview.counts.created > 0) import('./volume-chart.ts').catch(() => undefined);
    return overview;
  });

  readonly #rows = new PagedRows<Payment>(this, async (_page, options) => {
    const page = await this.app.client.payments.list({ limit: latest }, options);
    return { ...page, has_more: false };
  });
  readonly #soon = new Soon(this, () => this.#overview.reload(), pauseMs);

  constructor() {
    super();
    this.currency = null;
    this.days = 30;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payment.' }, event => {
      const { object } = event.data as { object: Payment };
      this.#rows.show(object, event.type === 'payment.created');
    });
    // Disputes, transfers, invoices, payouts and others change what needs the merchant.
    this.follow({}, () => this.#soon.ask());
  }

  override render(): TemplateResult {
    const overview = this.#overview.value;
    return pageFrame({
      title: greeting(this.app.session?.person.name ?? null),
      actions: overview === null ? nothing : this.#choices(overview),
      body: html`${this.#overview.render(value => this.#figures(value))}
        <section class="card" aria-labelledby="latest">
          <div class="card-head"><h2 id="latest">Latest</h2><a href=${pathTo('/payments')}>All payments</a></div>
          <pay-data-table label="Latest payments" .columns=${paymentColumns} .rows=${this.#rows}
            .href=${({ id }: Payment) => pathTo(`/payments/${id}`)}>
            <div slot="empty">${firstPayment(this.app, 'Take your first payment')}</div>
          </pay-data-table>
        </section>`,
    });
  }

  #figures(overview: Overview): TemplateResult {
    const currency = this.currency ?? currenciesOf(overview)[0] ?? 'EUR';
    const shown = { overview, currency, days: this.days };
    return html`${figureCards(shown, this.app)}
      ${overview.counts.created === 0 ? nothing : html`<div class="beside">${chartCard(shown)}${sharesCard(shown)}</div>`}`;
  }

  #choices(overview: Overview): TemplateResult {
    const currencies = currenciesOf(overview);
    const now = this.currency ?? currencies[0];
    return html`<select class="input" aria-label="Period" @change=${(event: Event) => {
      this.days = Number((event.target as HTMLSelectElement).value);
      void this.#overview.reload();
    }}>${periods.map(days => html`<option value=${days} ?selected=${days === this.days}>Last ${days} days</option>`)}</select>
    ${
      currencies.length < 2
        ? nothing
        : html`<select class="input" aria-label="Currency" @change=${(event: Event) => {
            this.currency = (event.target as HTMLSelectElement).value;
          }}>${currencies.map(code => html`<option value=${code} ?selected=${code === now}>${code}</option>`)}</select>`
    }`;
  }
}

customElements.define('pay-home-page', HomePage);
