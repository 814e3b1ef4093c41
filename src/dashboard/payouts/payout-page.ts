import { html, nothing, type TemplateResult } from 'lit';
import type { BalanceEntry } from '../../api/balance/balance.ts';
import type { Event } from '../../api/event.ts';
import type { Payout } from '../../api/payout.ts';
import type { Words } from '../app/area-words.ts';
import { bookingsOf } from '../app/booking-moments.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { jsonStyles, rawCard, rawJson } from '../app/json-text.ts';
import { allowed, Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { keyValues } from '../controls/key-values.ts';
import { note } from '../controls/states.ts';
import { statusChip } from '../controls/status-chip.ts';
import { type Moment, timeline, timelineStyles } from '../controls/timeline.ts';
import { assetWords, moneyOf, shortened, shortenedWords, timeText } from '../controls/values.ts';
import { payoutActions } from './payout-actions.ts';
import { debitWords, destinationKinds, destinationWords, payoutStates, railWords, unitWords } from './payout-words.ts';
import { mayNotSend } from './roles.ts';

interface History {
  readonly payout: Payout;
  readonly events: readonly Event[];
  readonly entries: readonly BalanceEntry[];
}

const limit = 100;

/** One payout: its history, destination, money and actions. */
class PayoutPage extends ActionPage {
  static override readonly styles = [ActionPage.styles, timelineStyles, jsonStyles];

  readonly #history = new Loaded<History>(this, async signal => {
    const { client } = this.app;
    const [payout, events, entries] = await Promise.all([
      client.payouts.retrieve(this.#id, { signal }),
      allowed(client.events.list({ resource: this.#id, limit }, { signal })),
      allowed(client.balance.entries({ source: this.#id, limit }, { signal })),
    ]);
    return { payout, events, entries };
  });

  get #id(): string {
    return this.params['id'] ?? '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payout.', object: this.#id }, () => void this.#history.reload());
  }

  override render(): TemplateResult {
    const payout = this.#history.value?.payout;
    if (payout) this.app.setTitle(`Payout ${shortenedWords(payout.id, 8, 4)}`);
    return html`${pageFrame({
      title: payout
        ? html`${moneyOf(payout.amount, payout.currency)} ${statusChip(payout.status, payoutStates)}`
        : 'Payout',
      above: { label: 'Payouts', path: '/payouts' },
      ...(payout ? { subtitle: shortened(payout.id, 8, 4) } : {}),
      actions: payout && this.app.may('money') ? this.#actions(payout) : nothing,
      body: html`${mayNotSend(this.app)}${this.#history.render(history => bodyOf(this.app, history))}`,
    })}
    ${actionDialog(this)}`;
  }

  #actions(payout: Payout): TemplateResult {
    const acting = {
      client: this.app.client,
      payout,
      done: (_: Payout, text: string) => {
        this.app.toast({ text, tone: 'good' });
        void this.#history.reload();
      },
    };
    return html`${actionButtons(this, payoutActions(acting))}`;
  }
}

function bodyOf(words: Words, { payout, events, entries }: History): TemplateResult {
  const reason = payout.failure ?? payout.hold;
  return html`${reason === null ? nothing : note(html`<strong>${reason.message}</strong>`, 'warn', 'status')}
    ${waitsForApproval(payout) ? approvalNote(payout) : nothing}
    <div class="beside">
      <section class="card" aria-labelledby="happened">
        <h2 id="happened">What happened</h2>
        ${timeline(momentsOf(words, events, entries))}
      </section>
      <div class="stack">
        ${destinationCard(payout)} ${moneyCard(payout)}
        ${rawCard(payout)}
      </div>
    </div>`;
}

/** Whether another person must approve the payout's batch. Only such a payout is `scheduled` without a time. */
const waitsForApproval = ({ status, scheduled_at: at }: Payout): boolean => status === 'scheduled' && at === null;

const approvalNote = ({ batch }: Payout): TemplateResult =>
  note(
    html`<strong>Another person approves it first,</strong> on the page of <a href=${pathTo(`/payouts/batches/${batch}`)}>its batch</a>.`,
    'warn',
    'status',
  );

function momentsOf(
  { eventWords }: Words,
  events: readonly Event[],
  entries: readonly BalanceEntry[],
): readonly Moment[] {
  const told = events.map(event => {
    const { title, tone } = eventWords(event);
    const { failure, hold, trace } = (event.data as { object: Payout }).object;
    const reason = (failure ?? hold)?.message;
    const place = trace.rail === null ? '' : `by ${railWords(trace.rail)}`;
    return { at: event.created_at, title, tone, text: reason ?? place, more: rawJson(event) };
  });
  return [...told, ...bookingsOf(entries)].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

function destinationCard({ destination, recipient_id: recipient, trace, eta_at: eta }: Payout): TemplateResult {
  const holder = destination.type === 'bank_account' ? destination.account_holder : null;
  const { tx_hash: hash, provider_reference: reference, file_id: file } = trace;
  const mark = hash ?? reference ?? file;
  return html`<section class="card" aria-labelledby="destination">
    <h2 id="destination">${destinationKinds[destination.type]}</h2>
    ${keyValues([
      { label: 'Holder', value: holder },
      { label: 'To', value: destinationWords(destination) },
      recipient !== null && {
        label: 'Recipient',
        value: html`<a href=${pathTo(`/recipients/${recipient}`)}>${shortenedWords(recipient, 8, 4)}</a>`,
        copy: recipient,
      },
      { label: 'By', value: railWords(trace.rail) },
      mark !== null && {
        label: hash === null ? (file === null ? 'Reference of the rail' : 'File') : 'Transaction',
        value: shortened(mark),
        copy: mark,
      },
      { label: 'Expected', value: eta === null ? null : timeText(eta) },
    ])}
  </section>`;
}

function moneyCard(payout: Payout): TemplateResult {
  const { fx, fee, returned, batch, settlement, reference, description, attempt, scheduled_at: at } = payout;
  return html`<section class="card" aria-labelledby="money">
    <h2 id="money">Money</h2>
    ${keyValues([
      { label: 'From your balance', value: debitWords(payout) },
      { label: 'Fee', value: unitWords(fee.amount, fee.currency) },
      returned.amount > 0 && { label: 'Came back', value: unitWords(returned.amount, returned.currency) },
      fx !== null && fx.amount !== null && { label: 'Arrives', value: assetWords(fx.amount, fx.currency) },
      fx !== null && { label: 'Rate', value: fx.rate },
      { label: 'Scheduled', value: at === null ? null : timeText(at) },
      settlement !== null && {
        label: 'Settlement',
        value: html`<a href=${pathTo(`/balance/settlements/${settlement}`)}>${shortenedWords(settlement, 8, 4)}</a>`,
      },
      { label: 'Reference', value: reference },
      { label: 'Description', value: description },
      { label: 'Attempt', value: attempt > 1 ? attempt : null },
      {
        label: 'Batch',
        value: html`<a href=${pathTo(`/payouts/batches/${batch}`)}>${shortenedWords(batch, 9, 4)}</a>`,
      },
    ])}
  </section>`;
}

customElements.define('pay-payout-page', PayoutPage);
