import { nothing } from 'lit';
import { darkMedia, paint } from './checkout-appearance.ts';
import { configText } from './checkout-config.ts';
import { CheckoutProperties } from './checkout-properties.ts';
import { checkoutView } from './checkout-view.ts';
import { countDown } from './countdown-controller.ts';
import { announce, type Desk, dispatch, isQuoteOver, msHeld, rootOf, stateOf } from './desk.ts';
import { confirm, leave, start } from './desk-work.ts';
import { speak } from './language.ts';
import { recall } from './memory.ts';
import { warmUpMoney } from './money-text.ts';
import { createNotices } from './notices.ts';
import { styles } from './pay-checkout.styles.ts';
import { en } from './strings/en.ts';
import { renderView } from './view-rack.ts';

/**
 * A checkout: one tag, every way to pay. Give it a payment (`payment-id` and `client-secret`), or what to create one
 * from (`api-key` with `amount`, `currency`, `settlement-asset`), or the address of the shop's proxy (`proxy-url`), or a
 * payment link (`link`), which needs no key and whose price stands.
 *
 * @summary Takes a payment by card, bank transfer or crypto on Stellar.
 * @tag pay-checkout
 *
 * @fires {CustomEvent<Payment>} pay-ready - The payment is loaded and can be paid.
 * @fires {CustomEvent<Payment>} pay-change - The service says something new about the payment.
 * @fires {CustomEvent<Payment>} pay-success - The service says `completed`. Once for each element and payment, reloads included.
 * @fires {CustomEvent<Payment>} pay-failure - The payment was declined too often, or canceled.
 * @fires {CustomEvent<Payment>} pay-expire - The time to pay is over.
 * @fires {CustomEvent<{ method: string }>} pay-method - The payer chose another method.
 * @fires {CustomEvent<{ quote: PaymentQuote, previous: PaymentQuote }>} pay-quote - The price was quoted anew.
 * @fires {CustomEvent<{ code: string, message: string }>} pay-error - Something went wrong; `code` is of the service's catalogue or the element's own.
 *
 * @slot card - Made and filled by the element: the frame with the card's fields, as light DOM, where browsers can fill them in.
 * @slot trigger - What opens the checkout in the modes `popup` and `redirect`, in place of the pay button.
 *
 * @csspart card - The whole checkout.
 * @csspart header - Merchant, order, amount, and how long the price is held.
 * @csspart logo - The merchant's picture or first letter.
 * @csspart amount - The amount.
 * @csspart hold - How long the price is held.
 * @csspart tabs - The list of ways to pay.
 * @csspart tab - One of them.
 * @csspart panel - What belongs to the chosen one.
 * @csspart note - A sentence on a soft panel.
 * @csspart prices - The price before and after a new quote.
 * @csspart steps - How far a payment on its way has come: waited for, seen, confirmed.
 * @csspart field - An input of the form that asks who pays.
 * @csspart rows - What can be copied: bank details, amount and address of a crypto transfer, the receipt.
 * @csspart qr - The QR code.
 * @csspart button - The main button, and the link into a wallet app.
 * @csspart trigger - The button of the modes `popup` and `redirect`.
 * @csspart dialog - A dialog over the page.
 * @csspart outcome - How the payment ended.
 * @csspart contact - The way to the merchant's people.
 * @csspart footer - The last line.
 *
 * @cssprop [--pay-accent=#2f5bea] - Buttons, links, focus. What stands on it and how it is written as text follow from its contrast.
 * @cssprop [--pay-accent-ink] - Text on the accent, where the chosen one is not wanted.
 * @cssprop [--pay-accent-soft] - Notes.
 * @cssprop [--pay-background=#ffffff] - The card.
 * @cssprop [--pay-page=#f4f5f7] - What lies deeper than the card: the bed of the tabs, skeletons.
 * @cssprop [--pay-ink=#10151d] - Text.
 * @cssprop [--pay-ink-second=#4c5665] - Text beside it.
 * @cssprop [--pay-ink-third=#687282] - Labels, the footer.
 * @cssprop [--pay-line=#e3e7ec] - Borders.
 * @cssprop [--pay-field=#ffffff] - Inputs.
 * @cssprop [--pay-good=#0f7a4b] - Success; `--pay-good-soft` behind it.
 * @cssprop [--pay-warn=#8a5300] - What needs attention; `--pay-warn-soft` behind it.
 * @cssprop [--pay-bad=#b3261e] - What is wrong; `--pay-bad-soft` behind it.
 * @cssprop [--pay-radius=20px] - Corners of the card.
 * @cssprop [--pay-radius-control=12px] - Corners of buttons, tabs, notes.
 * @cssprop [--pay-radius-field=10px] - Corners of inputs.
 * @cssprop [--pay-font=system-ui] - Typeface.
 * @cssprop [--pay-font-size=medium] - What 16 px stands for.
 * @cssprop [--pay-shadow] - The card's shadow.
 */
export class PayCheckout extends CheckoutProperties {
  static override readonly styles = styles;

  readonly #desk: Desk = {
    element: this,
    strings: en,
    rack: new Map(),
    notices: createNotices(this),
    visited: new Set(),
    session: undefined,
    isRefused: false,
    isOpen: false,
    spoken: '',
  };
  readonly #repaint = () => this.requestUpdate();
  #started = '';
  #look = '';
  #paint: CSSStyleSheet | undefined;
  #isDrawing = false;
  #picture: Promise<void> | undefined;

  constructor() {
    super();
    countDown(this, {
      msLeft: () => msHeld(this.#desk),
      onLastMinute: () => announce(this.#desk, this.#desk.strings.lastMinute),
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    darkMedia().addEventListener('change', this.#repaint);
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    darkMedia().removeEventListener('change', this.#repaint);
    leave(this.#desk);
    this.#started = '';
  }

  /** Shows the checkout: opens the dialog (`popup`), goes to the hosted page (`redirect`), or unhides it. */
  open(): void {
    this.hidden = false;
    this.#desk.isOpen = true;
    this.requestUpdate();
  }

  /** Closes the dialog, or hides an embedded checkout. What has been started goes on. */
  close(): void {
    this.hidden = this.mode === 'embedded';
    this.#desk.isOpen = false;
    this.requestUpdate();
  }

  /** Asks the service how things stand, and for a new price when the last one is held no longer. */
  async refresh(): Promise<void> {
    await dispatch(this.#desk, { type: 'check' });
    if (isQuoteOver(this.#desk)) await dispatch(this.#desk, { type: 'refresh-quote' });
  }

  /** Does what the main button does: pays by the chosen method. Resolves when the service has answered. */
  confirm(): Promise<void> {
    return confirm(this.#desk);
  }

  protected override willUpdate(): void {
    void speak(this.#desk);
    const config = configText(this);
    const isWanted = this.isConnected && (this.mode === 'embedded' || this.#desk.isOpen);
    if (!isWanted || config === this.#started) return;
    this.#started = config;
    start(this.#desk);
  }

  /**
   * The service has been asked. The first picture gets a task of its own, since with all that came before it in one it
   * would hold a slow device's page up. When it is on the screen there is time, while the service is thinking, for what
   * is slow at the first touch: formats of money are found among all languages of the browser, the memory is read from
   * the disk.
   */
  protected override firstUpdated(): void {
    this.#picture = new Promise(drawn => {
      setTimeout(() => {
        this.#isDrawing = true;
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
    await this.#picture;
    return await super.getUpdateComplete();
  }

  protected override render(): unknown {
    if (!this.#isDrawing) return nothing;
    return this.mode === 'embedded' ? checkoutView(this.#desk) : renderView(this.#desk, 'launcher');
  }

  protected override updated(): void {
    if (!this.#paint) {
      this.#paint = new CSSStyleSheet();
      rootOf(this.#desk).adoptedStyleSheets.push(this.#paint);
    }
    const brand = stateOf(this.#desk).payment?.merchant?.primary_color;
    const look = JSON.stringify([this.appearance, brand]);
    if (look !== this.#look) paint(this.#paint, this.appearance, brand);
    this.#look = look;
  }
}
