import { css, html, nothing, type TemplateResult } from 'lit';
import type { PaymentLink, UpdatePaymentLink } from '../../api/link.ts';
import type { Payment } from '../../api/payment.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { effectsTable } from '../controls/dialog.ts';
import { icon } from '../controls/icons.ts';
import { keyValues } from '../controls/key-values.ts';
import { emptyState, errorNote } from '../controls/states.ts';
import { timeText } from '../controls/values.ts';
import { paymentColumns } from '../payments/payment-columns.ts';
import { linkChip, linkTitle, priceWords, receivedWords, usesWords } from './link-words.ts';
import '../controls/data-table.ts';

/** One link: its URL, QR code, received money, and payments as they arrive. */
class LinkPage extends DashboardPage {
  static override readonly properties = {
    ...DashboardPage.properties,
    asked: { state: true },
    isBusy: { state: true },
    error: { state: true },
  };
  static override readonly styles = [
    DashboardPage.styles,
    css`
      .code {
        display: block;
        inline-size: min(100%, 220px);
        margin-inline: auto;
        border-radius: 12px;
        background: #fff;
      }
    `,
  ];

  /** Whether the dialog “Turn off this link?” is open. */
  declare private asked: boolean;
  declare private isBusy: boolean;
  declare private error: unknown;

  readonly #link = new Loaded(this, signal => this.app.client.paymentLinks.retrieve(this.#id, { signal }));
  readonly #payments = new PagedRows<Payment>(this, (page, options) =>
    this.app.client.paymentLinks.payments(this.#id, page, options),
  );

  constructor() {
    super();
    Object.assign(this, { asked: false, isBusy: false, error: null });
  }

  get #id(): string {
    return this.params['id'] ?? '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payment_link.', object: this.#id }, ({ data }) =>
      this.#link.set((data as { object: PaymentLink }).object),
    );
    this.follow({ type: 'payment.' }, ({ type, data }) => {
      const { object } = data as { object: Payment };
      if (this.#payments.replace(object)) return;
      if (type === 'payment.created' && object.payment_link === this.#id) this.#payments.add(object);
    });
  }

  async #change(body: UpdatePaymentLink): Promise<void> {
    Object.assign(this, { isBusy: true, error: null });
    try {
      this.#link.set(await this.app.client.paymentLinks.update(this.#id, body));
      this.app.toast({ text: body.status === 'active' ? 'The link is on' : 'The link is off', tone: 'good' });
    } catch (error) {
      this.error = error;
    }
    Object.assign(this, { isBusy: false, asked: false });
  }

  override render(): TemplateResult {
    const link = this.#link.value;
    if (link !== null) this.app.setTitle(linkTitle(link));
    return pageFrame({
      above: { label: 'Payment links', path: '/links' },
      title: link === null ? 'Payment link' : linkTitle(link),
      subtitle: link === null ? '' : html`${linkChip(link)} ${priceWords(link)}`,
      actions: link === null ? nothing : this.#actions(link),
      body: this.#link.render(value => this.#body(value)),
    });
  }

  #actions(link: PaymentLink): TemplateResult {
    const open = html`<a class="second" href=${link.url} target="_blank" rel="noopener">${icon('external')} Open page</a>`;
    if (!this.app.may('money')) return open;
    if (link.status === 'active') {
      return html`${open}<button class="second" type="button" @click=${() => {
        this.asked = true;
      }}>Turn off</button>`;
    }
    if (link.status !== 'disabled') return open;
    return html`${open}<button class="main" type="button" ?disabled=${this.isBusy}
      @click=${() => void this.#change({ status: 'active' })}>Turn on</button>`;
  }

  #body(link: PaymentLink): TemplateResult {
    return html`${this.error === null ? nothing : errorNote(this.error)}
      <div class="beside">
        <section class="card" aria-labelledby="payments">
          <div class="card-head"><h2 id="payments">Payments</h2><strong class="num">${receivedWords(link)}</strong></div>
          <pay-data-table label="Payments of the link" .columns=${paymentColumns} .rows=${this.#payments}
            .href=${({ id }: Payment) => pathTo(`/payments/${id}`)}>
            <div slot="empty">${emptyState('Not paid yet', 'Share the address or the code. A payment appears here at once.')}</div>
          </pay-data-table>
        </section>
        <section class="card" aria-labelledby="share">
          <h2 id="share">Share</h2>
          <img class="code" src=${link.qr_code_url} width="220" height="220" alt="QR code of the link’s page">
          <div class="actions">
            <a class="second" href=${link.poster_url} target="_blank" rel="noopener">${icon('download')} Poster</a>
            <a class="second" href=${link.qr_code_url.replace(/\.svg$/, '.png?size=1024')} download>${icon('download')} Code as PNG</a>
          </div>
          ${details(link)}
        </section>
      </div>
      ${this.#turnOff(link)}`;
  }

  #turnOff(link: PaymentLink): TemplateResult {
    const close = () => {
      this.asked = false;
    };
    return html`<pay-dialog heading="Turn off this link?" ?open=${this.asked} ?busy=${this.isBusy} @close=${close}>
      ${effectsTable([
        { what: 'New payers', result: 'read that the link is closed' },
        { what: 'Open checkouts', result: 'close, unless money is on its way' },
        { what: 'Received so far', result: receivedWords(link) },
        { what: 'Afterwards', result: 'you can turn it on again' },
      ])}
      <button slot="buttons" class="second" type="button" @click=${close}>Keep it on</button>
      <button slot="buttons" class="main" type="button" ?disabled=${this.isBusy}
        @click=${() => void this.#change({ status: 'disabled' })}>Turn off</button>
    </pay-dialog>`;
  }
}

function details(link: PaymentLink): TemplateResult {
  return keyValues([
    { label: 'Address', value: link.url.replace(/^https?:\/\//, ''), copy: link.url },
    { label: 'Used', value: usesWords(link) },
    { label: 'Opened', value: `${link.opens} ${link.opens === 1 ? 'visit' : 'visits'}` },
    { label: 'Opens on', value: link.starts_at && timeText(link.starts_at) },
    { label: 'Ends on', value: link.expires_at && timeText(link.expires_at) },
    { label: 'Settled in', value: link.settlement_asset.split(':')[0] },
    { label: 'Reference', value: link.reference },
    { label: 'Created', value: timeText(link.created_at) },
    { label: 'Id', value: html`<span class="mono">${link.id}</span>`, copy: link.id },
  ]);
}

customElements.define('pay-link-page', LinkPage);
