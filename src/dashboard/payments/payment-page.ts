import { css, html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import type { Metadata } from '../../api/schema.ts';
import { parseCurrency } from '../../core/currency.ts';
import { partName } from '../../core/locale/part-name.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { download } from '../app/download.ts';
import { jsonStyles, rawCard } from '../app/json-text.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { keyValues } from '../controls/key-values.ts';
import { errorNote, note } from '../controls/states.ts';
import { timeline, timelineStyles } from '../controls/timeline.ts';
import { assetOf, moneyOf, shortened, shortenedWords, timeWords } from '../controls/values.ts';
import { changeMetadata, metadataCard } from './metadata.ts';
import { cancelAction, captureAction, decisionAction, refundAction } from './payment-actions.ts';
import { type PaymentRecords, readHistory } from './payment-history.ts';
import { momentsOf, rateText } from './payment-moments.ts';
import { disputeLinks, orderCard, payerCard } from './payment-parts.ts';
import { exceptions, methods, paymentChip } from './payment-states.ts';

/** Milliseconds between an event and the reading of the history. Events that arrive meanwhile share it. */
const pauseMs = 200;

/** One payment: its history (newest first), its money and its actions. */
class PaymentPage extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    error: { state: true },
  };
  static override readonly styles = [
    ActionPage.styles,
    timelineStyles,
    jsonStyles,
    css`
      h1 {
        font-size: 2rem;
        letter-spacing: -0.02em;
      }
      h1 .chip {
        letter-spacing: 0;
      }
    `,
  ];

  /** The error of a button outside the dialog. */
  declare error: unknown;

  readonly #history = new Loaded<PaymentRecords>(this, signal => readHistory(this.app.client, this.#id, signal));
  readonly #soon = new Soon(this, () => this.#history.reload(), pauseMs);

  constructor() {
    super();
    this.error = null;
  }

  get #id(): string {
    return this.params['id'] ?? '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const reload = () => this.#soon.ask();
    this.follow({ type: 'payment.', object: this.#id }, reload);
    for (const type of ['refund.', 'dispute.']) {
      this.follow({ type }, ({ data }) => {
        if ((data as { object: { payment?: string } }).object.payment === this.#id) reload();
      });
    }
  }

  override render(): TemplateResult {
    const history = this.#history.value;
    const payment = history?.payment;
    if (payment) this.app.setTitle(`Payment ${shortenedWords(payment.id, 8, 4)}`);
    return html`${pageFrame({
      title: history
        ? html`${moneyOf(history.payment.amount, history.payment.currency)} ${stateOf(history)}`
        : 'Payment',
      above: { label: 'Payments', path: '/payments' },
      ...(payment ? { subtitle: html`${shortened(payment.id, 8, 4)}` } : {}),
      actions: history ? this.#actions(history) : nothing,
      body: html`${this.error === null ? nothing : errorNote(this.error)}
        ${this.#history.render(value => this.#body(value))}`,
    })}
    ${actionDialog(this)}`;
  }

  #actions(history: PaymentRecords): TemplateResult | typeof nothing {
    const { payment } = history;
    const acting = {
      client: this.app.client,
      payment,
      done: (text: string) => {
        this.app.toast({ text, tone: 'good' });
        void this.#history.reload();
      },
    };
    const receipt = payment.completed_at === null ? nothing : this.#receiptButton(payment);
    if (!this.app.may('money')) return html`${receipt}`;
    const { requires_decision: waits, amount_capturable: held, amount_refundable: most = 0 } = payment;
    return html`${receipt}${actionButtons(this, [
      payment.can_cancel === true && { label: 'Cancel payment', style: 'second', start: () => cancelAction(acting) },
      held > 0 && { label: 'Capture', style: 'main', start: () => captureAction(acting) },
      waits && { label: 'Send back', style: 'second', start: () => decisionAction(acting, 'refund') },
      waits && { label: 'Accept', style: 'main', start: () => decisionAction(acting, 'accept') },
      most > 0 && !waits && { label: 'Refund', style: 'main', start: () => refundAction(acting) },
    ])}`;
  }

  #receiptButton({ id }: Payment): TemplateResult {
    const get = async () => {
      this.error = null;
      await download(this.app, `/v1/payments/${id}/receipt`, `receipt-${id}.pdf`).catch(error => {
        this.error = error;
      });
    };
    return html`<button class="second" type="button" @click=${get}>Receipt</button>`;
  }

  #body(history: PaymentRecords): TemplateResult {
    const { payment } = history;
    return html`${payment.requires_decision ? decisionNote(payment) : nothing}
      <div class="beside">
        <section class="card" aria-labelledby="happened">
          <h2 id="happened">What happened</h2>
          ${timeline(momentsOf(this.app, history, this.app.may('develop') ? this.#resend : null))}
        </section>
        <div class="stack">
          ${moneyCard(payment)} ${payerCard(payment)} ${orderCard(payment)}
          ${metadataCard(payment.metadata ?? {}, this.app.may('money') ? () => this.#changeMetadata(payment) : null)}
          ${rawCard(payment)}
        </div>
      </div>`;
  }

  #changeMetadata({ id, metadata = {} }: Payment): void {
    const save = async (changed: Metadata) => {
      await this.app.client.payments.update(id, { metadata: changed });
      this.app.toast({ text: 'Metadata saved', tone: 'good' });
      await this.#history.reload();
    };
    changeMetadata(this, { metadata, save });
  }

  readonly #resend = async (event: string, endpoint: string): Promise<void> => {
    this.error = null;
    try {
      await this.app.client.events.redeliver(event, { endpoint });
      this.app.toast({ text: 'Event sent again', tone: 'good' });
      await this.#history.reload();
    } catch (error) {
      this.error = error;
    }
  };
}

/** The payment's state. It shows disputes in more detail than the chip in a list. */
function stateOf({ payment, disputes }: PaymentRecords): TemplateResult {
  if (disputes.length === 0) return paymentChip(payment);
  return html`${paymentChip({ ...payment, amount_disputed: 0 })} ${disputeLinks(disputes)}`;
}

function decisionNote({ exception }: Payment): TemplateResult {
  const what = exceptions[exception ?? ''] ?? 'This payment needs you';
  return note(html`<strong>${what}.</strong> The money waits until you accept it or send it back.`, 'warn', 'status');
}

function moneyCard(payment: Payment): TemplateResult {
  const { currency, settlement } = payment;
  const label = settlement.status === 'settled' ? 'You got' : 'You get';
  return html`<section class="card" aria-labelledby="money">
    <h2 id="money">Money</h2>
    ${keyValues([
      { label: 'Received', value: moneyOf(payment.amount_received, currency) },
      ...partsOf(payment),
      { label: 'Refunded', value: moneyOf(payment.amount_refunded, currency) },
      settlement.amount !== null && { label, value: assetOf(settlement.amount, settlement.asset) },
      { label: 'Rate', value: html`<span class="num">${rateText(payment)}</span>` },
      ...settlementOf(payment),
      settlement.payout !== null && {
        label: 'Payout',
        value: html`<a href=${pathTo(`/payouts/${settlement.payout}`)}>${shortenedWords(settlement.payout, 8, 4)}</a>`,
        copy: settlement.payout,
      },
      settlement.tx_hash !== null && {
        label: parseCurrency(settlement.asset) === null ? 'Transaction' : 'Conversion',
        value: shortened(settlement.tx_hash),
        copy: settlement.tx_hash,
      },
    ])}
    ${settlement.failure === null ? nothing : note(settlement.failure.message, 'warn')}
  </section>`;
}

/** The settlement in a currency that contains the payment's money, with its time while it is open. */
function settlementOf({ settlement: { settlement: id, due_at: dueAt } }: Payment) {
  if (!id) return [];
  const path = pathTo(`/balance/settlements/${id}`);
  if (!dueAt) return [{ label: 'Settlement', value: html`<a href=${path}>${shortenedWords(id, 8, 4)}</a>`, copy: id }];
  const words = `with the settlement of ${timeWords(dueAt)}`;
  return [{ label: 'Paid out', value: html`<a href=${path}>${words}</a>` }];
}

/** The received parts of a payment that was paid in several, each as `Visa •••• 4242` with what it counts. */
const partsOf = ({ received, currency }: Payment) =>
  received.length < 2
    ? []
    : received.map(part => ({ label: partName(part, methods), value: moneyOf(part.credited, currency) }));

customElements.define('pay-payment-page', PaymentPage);
