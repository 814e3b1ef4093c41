import { LitElement, nothing } from 'lit';
import type { OpenedCheckout, PaymentMethod } from '../api/payment.ts';
import type { Metadata } from '../api/schema.ts';
import { type Appearance, darkMedia, paint } from './appearance.ts';
import { leave, start } from './checkout-actions.ts';
import { type CheckoutContext, isQuoteOver, msHeld, rootOf, stateOf, storeOf } from './checkout-context.ts';
import { type CheckoutMode, properties } from './checkout-properties.ts';
import { chunks } from './chunks.ts';
import { countDown } from './countdown.ts';
import { type CheckoutCallbacks, createNotifier } from './events.ts';
import { checkoutView } from './first-screen/checkout-view.ts';
import { applyLanguage, renderView } from './lazy-views.ts';
import { warmUpMoney } from './money-text.ts';
import { styles } from './pay-checkout.styles.ts';
import { recall } from './state/browser-storage.ts';
import { type CheckoutConfig, type CheckoutCustomer, configText } from './state/checkout-config.ts';
import { en } from './strings/en.ts';

/**
 * The checkout element. Its attributes choose the payment in one of four ways. `payment-id` and `client-secret` name an
 * existing payment. `api-key`, `amount`, `currency` and `settlement-asset` create a payment. With `proxy-url` the
 * shop's proxy creates it. `link` pays a payment link, which needs no key.
 *
 * @summary Takes a payment by card, bank transfer, crypto or mobile money.
 * @tag pay-checkout
 *
 * @fires pay-ready - The payment is loaded and can be paid.
 * @fires pay-change - The payment has changed. Phase `authorized`: the payer is done, and the shop captures the card later.
 * @fires pay-success - The payment is `completed`; an authorized card only after its capture. Once for each checkout and payment; a reload or a second drawing does not repeat it.
 * @fires pay-failure - The payment was declined too often, or canceled.
 * @fires pay-expire - The payment has expired.
 * @fires pay-method - The payer chose another method.
 * @fires pay-quote - The payment has a new quote.
 * @fires pay-error - An error; `code` is from the service or the element.
 *
 * @slot card - Filled by the element with the frame of the card fields. It is light DOM, so that browsers can autofill it.
 * @slot trigger - The page's own button that opens the checkout in the modes `popup` and `redirect`.
 *
 * @csspart card - The whole checkout.
 * @csspart header - Merchant, order, amount, and the time for which the rate is held.
 * @csspart payee - Merchant and order.
 * @csspart logo - The merchant's logo or first letter.
 * @csspart amount - The amount.
 * @csspart hold - The time for which the rate is held.
 * @csspart tabs - The list of payment methods.
 * @csspart tab - One payment method.
 * @csspart panel - The content of the chosen method.
 * @csspart marks - The marks of the accepted cards.
 * @csspart note - A note on a coloured panel.
 * @csspart prices - The rate before and after a new quote.
 * @csspart steps - Progress of an incoming payment: awaited, seen, confirmed.
 * @csspart field - An input of the customer form, and the phone number of mobile money.
 * @csspart rows - Values to copy: bank details, amount and address of a crypto transfer, the receipt.
 * @csspart qr - The QR code.
 * @csspart button - The main button, and the link into a wallet app.
 * @csspart back - The link to the shop's `cancel_url`, before paying.
 * @csspart trigger - The button of the modes `popup` and `redirect`.
 * @csspart dialog - A dialog over the page.
 * @csspart outcome - The result of the payment.
 * @csspart receipt - The link to the receipt.
 * @csspart contact - The merchant's contact.
 * @csspart footer - The last line.
 *
 * @cssprop --pay-accent - Buttons, links, focus; the merchant's own colour comes before the default.
 * @cssprop --pay-accent-ink - Text on the accent; computed for contrast when it is not set.
 * @cssprop --pay-accent-soft - Background of notes.
 * @cssprop --pay-background - The card.
 * @cssprop --pay-page - Background of the tabs and of loading shapes.
 * @cssprop --pay-ink - Text.
 * @cssprop --pay-ink-second - Secondary text.
 * @cssprop --pay-ink-third - Labels and the footer.
 * @cssprop --pay-line - Borders.
 * @cssprop --pay-edge - Borders of inputs and choices.
 * @cssprop --pay-field - Inputs.
 * @cssprop --pay-good - Success.
 * @cssprop --pay-good-soft - Background of success.
 * @cssprop --pay-warn - Warnings.
 * @cssprop --pay-warn-soft - Background of warnings.
 * @cssprop --pay-bad - Errors.
 * @cssprop --pay-bad-soft - Background of errors.
 * @cssprop --pay-radius - Corners of the card, and the most of all other corners: `0` makes all square.
 * @cssprop --pay-radius-control - Corners of buttons, tabs, notes.
 * @cssprop --pay-radius-field - Corners of inputs.
 * @cssprop --pay-font - Typeface.
 * @cssprop --pay-font-size - Base text size, 16 px by default.
 * @cssprop --pay-shadow - The card's shadow.
 */
export class PayCheckout extends LitElement implements CheckoutCallbacks, CheckoutConfig {
  static override readonly properties = properties;
  static override readonly styles = styles;

  /** Publishable key of the shop (`pk_…`). */
  declare apiKey: string | undefined;
  /** The payment to show; needs `clientSecret`. */
  declare paymentId: string | undefined;
  /** The payment's client secret. */
  declare clientSecret: string | undefined;
  /** Address of the shop's own proxy, instead of a key. */
  declare proxyUrl: string | undefined;
  /** Origin of the service; by default the script tag's origin. */
  declare baseUrl: string | undefined;
  /**
   * Id of a payment link (`plink_…`) to pay. The link defines price and currency, and needs no key and no server code.
   */
  declare link: string | undefined;
  /**
   * Answer of `POST /v1/checkout/open` for this payment, which the shop's server asked for. The element then needs no
   * call before its first view. The attribute contains JSON.
   */
  declare opened: OpenedCheckout | null | undefined;
  /** Amount in minor units of the currency. */
  declare amount: number | undefined;
  /** ISO 4217 code. */
  declare currency: string | undefined;
  /** Asset that the shop receives: `USDC`, `XLM`, `CODE:ISSUER`. */
  declare settlementAsset: string | undefined;
  /** Payment methods, in the order of the tabs. */
  declare paymentMethods: readonly PaymentMethod[];
  /** The payer's e-mail address; without it the element asks. */
  declare customerEmail: string | undefined;
  /** The payer's name; used only with `customerEmail`. */
  declare customerName: string | undefined;
  /** The payer as an object, instead of `customerEmail` and `customerName`. */
  declare customer: CheckoutCustomer | undefined;
  /** Stored with the payment for the shop. */
  declare metadata: Metadata | undefined;
  /** Page to which the payer returns; http or https. */
  declare redirectUrl: string | undefined;
  /** `light`, `dark` or `auto` (the device's setting). Unset, the page's own `color-scheme` applies. */
  declare theme: string | undefined;
  /** BCP 47 tag for language, amounts and dates; `auto` (default): the payment's, else the browser's. */
  declare locale: string | undefined;
  /** Where the checkout is shown: in the page, on the service's hosted page, or in a dialog over the page. */
  declare mode: CheckoutMode;
  /** `--pay-*` properties by name, for example `{ accent: '#0a7' }`. */
  declare appearance: Appearance | undefined;

  /** Called with the event `pay-success`. */
  declare onSuccess: CheckoutCallbacks['onSuccess'];
  /** Called with the event `pay-failure`. */
  declare onFailure: CheckoutCallbacks['onFailure'];
  /** Called with the event `pay-expire`. */
  declare onExpire: CheckoutCallbacks['onExpire'];
  /** Called with the event `pay-change`. */
  declare onChange: CheckoutCallbacks['onChange'];
  /** Called with the event `pay-ready`. */
  declare onReady: CheckoutCallbacks['onReady'];
  /** Called with the event `pay-error`. */
  declare onError: CheckoutCallbacks['onError'];

  readonly #context: CheckoutContext = {
    element: this,
    chunks,
    strings: en,
    views: new Map(),
    notifier: createNotifier(this, () => this.#context.session?.place.index ?? 0),
    visited: new Set(),
    session: undefined,
    isOpen: false,
    spoken: '',
  };
  readonly #update = () => this.requestUpdate();
  #started = '';
  #isAfresh = false;
  #painted = '';
  readonly #paintSheet = new CSSStyleSheet();
  #canRender = false;
  #firstRender: Promise<void> | undefined;

  constructor() {
    super();
    this.paymentMethods = ['card', 'bank_transfer', 'crypto', 'mobile_money'];
    this.mode = 'embedded';
    countDown(this, () => msHeld(this.#context));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    darkMedia().addEventListener('change', this.#update);
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    darkMedia().removeEventListener('change', this.#update);
    leave(this.#context);
    this.#started = '';
  }

  /**
   * Shows the checkout: opens the dialog (`popup`), opens the hosted page (`redirect`), or makes the element visible.
   */
  open(): void {
    this.hidden = false;
    this.#context.isOpen = true;
    this.requestUpdate();
  }

  /** Closes the dialog, or hides an embedded checkout. A payment in progress continues. */
  close(): void {
    this.hidden = this.mode === 'embedded';
    this.#context.isOpen = false;
    this.requestUpdate();
  }

  /** Reads the payment again, and gets a new rate if the last rate has expired. */
  async refresh(): Promise<void> {
    await storeOf(this.#context)?.readPayment();
    if (isQuoteOver(this.#context)) await storeOf(this.#context)?.renewQuote();
  }

  /**
   * Starts a new payment with the same settings. Without this, a checkout that the page draws again continues the payment
   * that it had, also a paid one.
   */
  restart(): void {
    this.#isAfresh = true;
    this.#started = '';
    this.requestUpdate();
  }

  /** Acts like the main button: pays by the chosen method. Resolves when the service has answered. */
  async confirm(): Promise<void> {
    const { confirm } = await chunks.controls();
    await confirm(this.#context);
  }

  protected override willUpdate(): void {
    void applyLanguage(this.#context);
    const config = configText(this);
    const isWanted = this.isConnected && (this.mode === 'embedded' || this.#context.isOpen);
    if (!isWanted || config === this.#started) return;
    this.#started = config;
    start(this.#context, this.#isAfresh);
    this.#isAfresh = false;
  }

  /**
   * The first render is a separate task. Together with the start it would block a slow device too long. After the first
   * render the element creates a number format and reads the storage, because both are slow the first time.
   */
  protected override firstUpdated(): void {
    rootOf(this.#context).adoptedStyleSheets.push(this.#paintSheet);
    this.#firstRender = new Promise(drawn => {
      setTimeout(() => {
        this.#canRender = true;
        this.requestUpdate();
        requestAnimationFrame(() => {
          setTimeout(warmUpMoney);
          setTimeout(recall, 0, 'localStorage', 'method');
        });
        drawn();
      });
    });
  }

  protected override async getUpdateComplete(): Promise<boolean> {
    await super.getUpdateComplete();
    await this.#firstRender;
    return await super.getUpdateComplete();
  }

  protected override render(): unknown {
    if (!this.#canRender) return nothing;
    return this.mode === 'embedded' ? checkoutView(this.#context) : renderView(this.#context, 'launcher');
  }

  protected override updated(): void {
    const brand = stateOf(this.#context).payment?.merchant?.primary_color;
    const wanted = JSON.stringify([this.appearance, brand]);
    if (wanted !== this.#painted) paint(this.#paintSheet, this.appearance, brand);
    this.#painted = wanted;
  }
}
