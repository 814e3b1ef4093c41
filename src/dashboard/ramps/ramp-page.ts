import { html, nothing, type TemplateResult } from 'lit';
import type { Event } from '../../api/event.ts';
import { destinationText } from '../../api/payout.ts';
import type { Ramp } from '../../api/ramps/ramp.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { jsonStyles, rawCard } from '../app/json-text.ts';
import { allowed, Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { keyValues } from '../controls/key-values.ts';
import { statusChip } from '../controls/status-chip.ts';
import { timeline, timelineStyles } from '../controls/timeline.ts';
import { moneyOf, shortened, shortenedWords, timeText } from '../controls/values.ts';
import { createNames, type Named } from '../customers/customer-names.ts';
import { kycStates } from '../customers/kyc/kyc-words.ts';
import { metadataCard } from '../payments/metadata.ts';
import { methods } from '../payments/payment-states.ts';
import { rampActions } from './ramp-actions.ts';
import { momentsOf } from './ramp-moments.ts';
import { nextNote } from './ramp-notes.ts';
import { givenWords, gotWords, priceWords, rampChip, tradeWords } from './ramp-words.ts';

interface History {
  readonly ramp: Named<Ramp>;
  readonly events: readonly Event[];
}

const limit = 100;

/** One ramp: its history, its customer, its money and its actions. */
class RampPage extends ActionPage {
  static override readonly styles = [ActionPage.styles, timelineStyles, jsonStyles];

  readonly #nameOf = createNames(() => this.app.client);
  readonly #history = new Loaded<History>(this, async signal => {
    const { client } = this.app;
    const [ramp, events] = await Promise.all([
      client.ramps.retrieve(this.#id, { signal }),
      allowed(client.events.list({ resource: this.#id, limit }, { signal })),
    ]);
    return { ramp: { ...ramp, customer_name: await this.#nameOf(ramp.customer_id) }, events };
  });

  get #id(): string {
    return this.params['id'] ?? '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'ramp.', object: this.#id }, () => void this.#history.reload());
  }

  override render(): TemplateResult {
    const ramp = this.#history.value?.ramp;
    if (ramp) this.app.setTitle(`Ramp ${shortenedWords(ramp.id, 9, 4)}`);
    return html`${pageFrame({
      title: ramp ? html`${tradeWords(ramp)} ${rampChip(ramp)}` : 'Ramp',
      above: { label: 'Ramps', path: '/ramps' },
      ...(ramp ? { subtitle: shortened(ramp.id, 9, 4) } : {}),
      actions: ramp && this.app.may('money') ? this.#actions(ramp) : nothing,
      body: this.#history.render(bodyOf),
    })}
    ${actionDialog(this)}`;
  }

  #actions(ramp: Ramp): TemplateResult {
    const done = (text: string) => {
      this.app.toast({ text, tone: 'good' });
      void this.#history.reload();
    };
    return html`${actionButtons(this, rampActions({ client: this.app.client, ramp, done }))}`;
  }
}

function bodyOf({ ramp, events }: History): TemplateResult {
  return html`${nextNote(ramp)}
    <div class="beside">
      <section class="card" aria-labelledby="happened">
        <h2 id="happened">What happened</h2>
        ${timeline(momentsOf(ramp, events))}
      </section>
      <div class="stack">
        ${customerCard(ramp)} ${moneyCard(ramp)} ${metadataCard(ramp.metadata, null)} ${rawCard(ramp)}
      </div>
    </div>`;
}

function customerCard(ramp: Named<Ramp>): TemplateResult {
  const {
    wallet,
    payout_destination: destination,
    customer_id: customer,
    kyc_status: kyc,
    client_reference: reference,
    claimable,
  } = ramp;
  return html`<section class="card" aria-labelledby="customer">
    <h2 id="customer">Customer</h2>
    ${keyValues([
      {
        label: 'Customer',
        value: html`<a href=${pathTo(`/customers/${customer}`)}><bdi>${ramp.customer_name}</bdi></a>`,
      },
      { label: 'Identity check', value: statusChip(kyc, kycStates) },
      wallet !== null && { label: 'Wallet', value: shortened(wallet.address), copy: wallet.address },
      wallet !== null && { label: 'Memo', value: wallet.memo },
      destination !== null && { label: 'Paid out to', value: destinationText(destination) },
      claimable && { label: 'Without a trustline', value: 'A claimable balance waits' },
      { label: 'Your reference', value: reference },
    ])}
  </section>`;
}

function givenLabel({ direction, status, paid_at: paid }: Ramp): string {
  const isUnpaid = status === 'expired' && paid === null;
  const [done, undone, open] = direction === 'on' ? ['Paid', 'Not paid', 'To pay'] : ['Sold', 'Not sold', 'To sell'];
  return (paid !== null ? done : isUnpaid ? undone : open) ?? '';
}

function moneyCard(ramp: Ramp): TemplateResult {
  const { fiat_currency: currency, amount_fee: fee, refunds, amount_disputed: disputed, payout } = ramp;
  const { payment, paid_at: paid, tx_hash: hash, ledger, status, price_expires_at: until } = ramp;
  const isUnpaid = status === 'expired' && paid === null;
  return html`<section class="card" aria-labelledby="money">
    <h2 id="money">Money</h2>
    ${keyValues([
      { label: givenLabel(ramp), value: givenWords(ramp) },
      { label: ramp.direction === 'on' ? 'By' : 'Paid out by', value: methods[ramp.method] },
      { label: ramp.direction === 'on' ? 'Fee in it' : 'Fee', value: moneyOf(fee, currency) },
      refunds.amount_refunded > 0 && { label: 'Refunded', value: moneyOf(refunds.amount_refunded, currency) },
      disputed > 0 && { label: 'Disputed', value: moneyOf(disputed, currency) },
      { label: 'Price', value: priceWords(ramp) },
      paid === null && !isUnpaid && { label: 'Price until', value: timeText(until) },
      !isUnpaid && { label: status === 'completed' ? 'Customer got' : 'Customer gets', value: gotWords(ramp) },
      payment !== null && {
        label: 'Payment',
        value: html`<a href=${pathTo(`/payments/${payment}`)}>${shortenedWords(payment, 8, 4)}</a>`,
        copy: payment,
      },
      payout !== null && {
        label: 'Payout',
        value: html`<a href=${pathTo(`/payouts/${payout}`)}>${shortenedWords(payout, 8, 4)}</a>`,
        copy: payout,
      },
      hash !== null && { label: 'Transaction', value: shortened(hash), copy: hash },
      { label: 'Ledger', value: ledger === null ? null : ledger.toLocaleString('en') },
    ])}
  </section>`;
}

customElements.define('pay-ramp-page', RampPage);
