import { css, html, LitElement } from 'lit';

interface BarePayment {
  amount: number;
  currency: string;
  expires_at: string;
  payment_methods: string[];
}

/** The baseline: a Lit element with the same amount, tabs, countdown and card fields. It has no other parts. */
class BareCheckout extends LitElement {
  static override properties = { payment: { state: true }, tab: { state: true }, left: { state: true } };
  static override styles = css`
    :host { display: block; max-width: 412px; font: 15px/1.45 system-ui; border-radius: 20px; padding: 20px; background: #fff; }
    .amount { font-size: 38px; font-weight: 650; }
    [role='tablist'] { display: flex; gap: 4px; padding: 4px; border-radius: 12px; background: #f4f5f7; }
    [role='tab'] { flex: 1; min-height: 44px; border: 0; border-radius: 10px; background: none; font: inherit; }
    [role='tab'][aria-selected='true'] { background: #fff; }
    input { width: 100%; min-height: 44px; font-size: 16px; }
    button.pay { width: 100%; min-height: 52px; border: 0; border-radius: 12px; background: #2f5bea; color: #fff; }
  `;
  declare payment: BarePayment | null;
  declare tab: string;
  declare left: number;

  constructor() {
    super();
    this.payment = null;
    this.tab = 'card';
    this.left = 0;
  }

  override async connectedCallback(): Promise<void> {
    super.connectedCallback();
    const answer = await fetch('/v1/checkout/open', { method: 'POST' });
    this.payment = ((await answer.json()) as { payment: BarePayment }).payment;
    setInterval(() => {
      this.left = Math.max(0, Date.parse(this.payment?.expires_at ?? '') - Date.now());
    }, 1000);
  }

  override render() {
    if (this.payment === null) return html`<p>Loading</p>`;
    const { amount, currency, payment_methods: methods } = this.payment;
    const money = new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount / 100);
    return html`
      <p class="amount">${money}</p>
      <p>Rate held for ${Math.floor(this.left / 60_000)}:${String(Math.floor(this.left / 1000) % 60).padStart(2, '0')}</p>
      <div role="tablist">
        ${methods.map(
          method =>
            html`<button role="tab" aria-selected=${this.tab === method} @click=${() => {
              this.tab = method;
            }}>${method}</button>`,
        )}
      </div>
      <label>Card number<input inputmode="numeric" autocomplete="cc-number" /></label>
      <label>Expires<input autocomplete="cc-exp" /></label>
      <label>Security code<input autocomplete="cc-csc" /></label>
      <label>Name on card<input autocomplete="cc-name" /></label>
      <button class="pay">Pay ${money}</button>
    `;
  }
}

customElements.define('bare-checkout', BareCheckout);
