import { html, nothing, type TemplateResult } from 'lit';
import type { Settlement } from '../../api/client.ts';
import type { Account } from '../../api/merchant.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { jsonStyles, rawCard } from '../app/json-text.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { type Action, ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { keyValues } from '../controls/key-values.ts';
import { note } from '../controls/states.ts';
import { statusChip } from '../controls/status-chip.ts';
import { timeline, timelineStyles } from '../controls/timeline.ts';
import { moneyOf, moneyWords, shortened, shortenedWords, timeText, timeWords } from '../controls/values.ts';
import { destinationKinds, destinationWords, payoutStates } from '../payouts/payout-words.ts';
import { canKeep, countWords, isBack, settlementStates } from './settlement-words.ts';

type Shown = readonly [Settlement, Account];

/** Milliseconds between an event and the reading of the settlement. */
const pauseMs = 500;

/** One settlement: its money, destination and payouts, and the ways to send returned money again or to keep it. */
class SettlementPage extends ActionPage {
  static override readonly styles = [ActionPage.styles, timelineStyles, jsonStyles];

  readonly #shown = new Loaded<Shown>(this, signal =>
    Promise.all([
      this.app.client.settlements.retrieve(this.params['id'] ?? '', { signal }),
      this.app.client.account.retrieve({ signal }),
    ]),
  );
  readonly #soon = new Soon(this, () => this.#shown.reload(), pauseMs);

  override connectedCallback(): void {
    super.connectedCallback();
    for (const type of ['payment.settle', 'payout.', 'settlement.']) this.follow({ type }, () => this.#soon.ask());
  }

  override render(): TemplateResult {
    const settlement = this.#shown.value?.[0];
    if (settlement) this.app.setTitle(`Settlement ${shortenedWords(settlement.id, 8, 4)}`);
    return html`${pageFrame({
      title: settlement
        ? html`${moneyOf(settlement.amount, settlement.currency)} ${statusChip(settlement.status, settlementStates)}`
        : 'Settlement',
      above: { label: 'Settlements', path: '/balance/settlements' },
      ...(settlement ? { subtitle: shortened(settlement.id, 8, 4) } : {}),
      actions: this.#shown.value === null ? nothing : this.#actions(this.#shown.value),
      body: this.#shown.render(([found]) => bodyOf(found)),
    })}
    ${actionDialog(this)}`;
  }

  #actions([settlement, account]: Shown): TemplateResult | typeof nothing {
    if (!this.app.may('money')) return nothing;
    return html`${actionButtons(this, [
      canKeep(settlement, account) && {
        label: 'Keep in balance',
        style: 'second',
        start: () => this.#keep(settlement),
      },
      isBack(settlement) && { label: 'Send again', style: 'main', start: () => this.#retry([settlement, account]) },
    ])}`;
  }

  #retry([settlement, account]: Shown): Action {
    return {
      heading: 'Send again',
      effects: () => retryEffects(settlement, account),
      button: () => `Send ${moneyWords(settlement.amount, settlement.currency)} again`,
      run: async (_, idempotencyKey) => {
        await this.app.client.settlements.retry(settlement.id, { idempotencyKey });
        this.app.toast({ text: 'Settlement on its way again', tone: 'good' });
        await this.#shown.reload();
      },
    };
  }

  #keep(settlement: Settlement): Action {
    return {
      heading: 'Keep in balance',
      effects: () => keepEffects(settlement),
      note: 'This is for good: the settlement is not sent again. You can pay the money out, or withdraw it, whenever you like.',
      button: () => `Keep ${moneyWords(settlement.amount, settlement.currency)}`,
      run: async (_, idempotencyKey) => {
        await this.app.client.settlements.keep(settlement.id, { idempotencyKey });
        this.app.toast({ text: 'Settlement kept in the balance', tone: 'good' });
        await this.#shown.reload();
      },
    };
  }
}

function retryEffects({ amount, currency, failure }: Settlement, { settlement: { destination } }: Account) {
  return [
    { what: 'To', result: destination === null ? 'No destination is set' : destinationWords(destination) },
    { what: 'Failed because', result: failure?.message ?? 'No reason was given' },
    { what: 'Leaves your available balance', result: moneyWords(amount, currency) },
  ];
}

function keepEffects(settlement: Settlement) {
  const { amount, currency, failure } = settlement;
  const sum = moneyWords(amount, currency);
  return [
    isBack(settlement)
      ? { what: 'Stays in your available balance', result: sum }
      : { what: 'Moves to your available balance', result: `${sum}, less refunds and disputes to deduct` },
    { what: 'Its payments', result: 'Count as kept, not as paid out' },
    ...(failure === null ? [] : [{ what: 'Not paid out because', result: failure.message }]),
  ];
}

function bodyOf(settlement: Settlement): TemplateResult {
  const { failure } = settlement;
  const back = isBack(settlement) ? ' The money is in your available balance. Nothing is sent again by itself.' : '';
  return html`${failure === null ? nothing : note(html`<strong>${failure.message}</strong>${back}`, 'warn', 'status')}
    ${settlement.status === 'kept' ? note('Its money is in your available balance. It is not sent again.') : nothing}
    <div class="beside">
      ${moneyCard(settlement)}
      <div class="stack">${payoutCard(settlement)} ${historyCard(settlement)} ${rawCard(settlement)}</div>
    </div>`;
}

function moneyCard(settlement: Settlement): TemplateResult {
  const { id, gross, deducted, carried, amount, currency, status } = settlement;
  return html`<section class="card" aria-labelledby="money">
    <h2 id="money">Money</h2>
    ${keyValues([
      { label: countWords(settlement), value: moneyOf(gross, currency) },
      deducted > 0 && { label: 'Refunds and disputes', value: moneyOf(-deducted, currency) },
      carried > 0 && { label: 'Left from an earlier settlement', value: moneyOf(carried, currency) },
      carried < 0 && { label: 'Left to the next settlement', value: moneyOf(carried, currency) },
      { label: amountWords[status] ?? 'To pay out', value: moneyOf(amount, currency) },
    ])}
    <a href=${pathTo(`/payments?find=${id}`)}>See the payments</a>
  </section>`;
}

const amountWords: Readonly<Partial<Record<Settlement['status'], string>>> = { paid: 'Paid out', kept: 'Kept' };

function payoutCard(settlement: Settlement): TemplateResult {
  const { destination, payout, scheduled_at: next, closed_at: closed, paid_at: paid } = settlement;
  return html`<section class="card" aria-labelledby="payout">
    <h2 id="payout">Payout</h2>
    ${keyValues([
      destination !== null && { label: destinationKinds[destination.type], value: destinationWords(destination) },
      { label: 'Next payout', value: next === null ? null : timeText(next) },
      { label: settlement.status === 'kept' ? 'Kept' : 'Sent', value: closed === null ? null : timeText(closed) },
      { label: 'Arrived', value: paid === null ? null : timeText(paid) },
      payout !== null && {
        label: 'Payout',
        value: html`<a href=${pathTo(`/payouts/${payout}`)}>${shortenedWords(payout, 8, 4)}</a>`,
        copy: payout,
      },
      payout === null &&
        settlement.status === 'paid' && { label: 'Payout', value: 'None: deductions left nothing to pay' },
    ])}
  </section>`;
}

/** All payouts of a settlement that was sent more than once, or kept after its payout. */
function historyCard({ payouts = [], currency, status: state }: Settlement): TemplateResult | typeof nothing {
  if (payouts.length < (state === 'kept' ? 1 : 2)) return nothing;
  const moments = payouts.map(payout => {
    const { id, status, amount, failure, created_at: at, completed_at: ended } = payout;
    const [words, tone] = payoutStates[status] ?? [status, 'plain'];
    const facts = [moneyWords(amount, currency), failure?.message, ended && `ended ${timeWords(ended)}`];
    return {
      at,
      tone,
      title: html`<a href=${pathTo(`/payouts/${id}`)}>${words}</a>`,
      text: facts.filter(Boolean).join(' · '),
    };
  });
  return html`<section class="card" aria-labelledby="payouts">
    <h2 id="payouts">All payouts</h2>
    ${timeline(moments)}
  </section>`;
}

customElements.define('pay-settlement-page', SettlementPage);
