import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Account } from '../../api/merchant.ts';
import { DashboardElement } from '../app/dashboard-page.ts';
import { blobOf } from '../app/download.ts';
import { AfterTyping } from '../app/soon.ts';
import { errorNote } from '../controls/states.ts';
import '../app/pdf-preview.ts';

type Branding = Account['branding'];

/** A sample invoice that shows how documents look. It is never stored. */
const sampleInvoice = {
  customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  currency: 'EUR',
  lines: [
    { description: 'Merino base layer', quantity: '1', unit_amount: 8_900 },
    { description: 'Enamel mug', quantity: '2', unit_amount: 1_720 },
  ],
};

/**
 * `<pay-branding-previews .account .draft>`: a mail and an invoice that the service draws with the draft. Of the draft,
 * the mail shows only the accent, because the service's sample mail takes no other field.
 */
class BrandingPreviews extends DashboardElement {
  static override readonly properties = {
    account: { attribute: false },
    draft: { attribute: false },
    mailUrl: { state: true },
    error: { state: true },
  };
  static override readonly styles = [
    DashboardElement.styles,
    css`
      :host {
        display: grid;
        gap: 16px;
      }
      .mail {
        inline-size: 100%;
        block-size: 30rem;
        border: 1px solid var(--line);
        border-radius: 12px;
        background: #f4f5f7;
      }
    `,
  ];

  declare account: Account | null;
  /** The fields that the person has changed since the last saving. */
  declare draft: Partial<Branding>;
  declare private mailUrl: string | null;
  declare private error: unknown;

  readonly #mail = new AfterTyping(this, {
    load: (accent: string, signal) => {
      const query = /^#[0-9a-f]{6}$/i.test(accent) ? { primary_color: accent } : {};
      return this.app.client.mails.sample(query, { signal });
    },
    show: ({ html_url: mailUrl }) => Object.assign(this, { mailUrl, error: null }),
    fail: error => Object.assign(this, { error }),
  });

  constructor() {
    super();
    Object.assign(this, { account: null, draft: {}, mailUrl: null, error: null });
  }

  override updated(changed: PropertyValues<this>): void {
    if (!changed.has('draft') && !changed.has('account')) return;
    const accent = { ...this.account?.branding, ...this.draft }.primary_color ?? '';
    this.#mail.ask(accent, this.mailUrl === null ? 0 : undefined);
  }

  readonly #drawPdf = async (): Promise<Blob> => {
    const settlement_asset = this.account?.settlement.asset;
    const body = { ...sampleInvoice, ...(settlement_asset && { settlement_asset }), branding: this.draft };
    return await blobOf(this.app, '/v1/invoices/preview/pdf', body);
  };

  override render(): TemplateResult {
    return html`<section class="card" aria-labelledby="mail-preview">
        <h2 id="mail-preview">Mail</h2>
        ${this.error === null ? nothing : errorNote(this.error)}
        ${
          this.mailUrl === null
            ? nothing
            : html`<iframe class="mail" title="A mail in this branding" src=${this.mailUrl}
                sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`
        }
        <p class="hint">A new logo appears here once it is saved.</p>
      </section>
      <section class="card" aria-labelledby="pdf-preview">
        <h2 id="pdf-preview">Invoice</h2>
        <pay-pdf-preview .draw=${this.#drawPdf} .state=${this.draft}></pay-pdf-preview>
      </section>`;
  }
}

customElements.define('pay-branding-previews', BrandingPreviews);
