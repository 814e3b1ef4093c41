import { html, nothing, type TemplateResult } from 'lit';
import type { Balance, BalanceEntry } from '../../api/balance/balance.ts';
import type { TopUp } from '../../api/balance/top-up.ts';
import type { Account } from '../../api/merchant.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { download, SavedFile } from '../app/download.ts';
import { Loaded } from '../app/loaded.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { formField, formValues } from '../controls/form-field.ts';
import { emptyState, errorNote } from '../controls/states.ts';
import { sentenceCase } from '../controls/status-chip.ts';
import { assetOf, moneyOf } from '../controls/values.ts';
import { topUpAction, withdrawAction } from './balance-actions.ts';
import { topUpInstructions } from './top-up-instructions.ts';
import '../controls/data-table.ts';

type Money = Balance['available'][number];

const moneyCell = (money: Money): TemplateResult =>
  'asset' in money ? assetOf(money.amount, money.asset) : moneyOf(money.amount, money.currency);
const unitOf = (money: Money): string => ('asset' in money ? money.asset : money.currency);

const parts = [
  ['available', 'Available', 'You can withdraw it or pay it out.'],
  ['pending', 'Waiting', 'Paid by payers, not settled yet.'],
  ['reserved', 'Being sent', 'On its way to you or to recipients.'],
  ['suspense', 'To decide', 'Arrived, and waits for your decision.'],
  ['receivable', 'Owed', 'Refunds of settled payments that you still owe.'],
] as const;

const columns: readonly Column<BalanceEntry>[] = [
  { label: 'What', share: 1.4, cell: ({ kind }) => sentenceCase(kind) },
  { label: 'Part', share: 1, cell: ({ account }) => sentenceCase(account) },
  { label: 'Of', share: 1.4, cell: ownerLink },
  { label: 'Amount', share: 1.2, align: 'end', inCard: 'value', cell: entryMoney },
  { label: 'When', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

function ownerLink({ payment, source, refund }: BalanceEntry): TemplateResult {
  if (payment !== null)
    return html`<a class="mono" href=${pathTo(`/payments/${payment}`)}>${payment.slice(0, 12)}…</a>`;
  return html`<span class="mono">${(source ?? refund ?? '').slice(0, 14)}</span>`;
}

function entryMoney({ amount, currency, asset, asset_amount: units }: BalanceEntry): TemplateResult {
  return asset !== null && units !== null ? assetOf(units, asset) : moneyOf(amount ?? 0, currency ?? 'EUR');
}

/** The balance by account, its entries and statements, and actions that move money in or out. */
class BalancePage extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    topUp: { state: true },
    error: { state: true },
  };

  /** The top-up that the person has just created. */
  declare topUp: TopUp | null;
  declare error: unknown;

  readonly #sums = new Loaded<readonly [Balance, Account]>(this, signal =>
    Promise.all([this.app.client.balance.retrieve({ signal }), this.app.client.account.retrieve({ signal })]),
  );
  readonly #entries = new PagedRows<BalanceEntry>(this, (page, options) =>
    this.app.client.balance.entries(page, options),
  );

  readonly #ledger = new SavedFile(this, () => ({ path: '/v1/ledger.csv', name: 'ledger.csv' }));

  constructor() {
    super();
    Object.assign(this, { topUp: null, error: null });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    for (const type of ['top_up.', 'withdrawal.', 'payment.settled', 'payment.completed']) {
      this.follow({ type }, () => void this.#reload());
    }
  }

  async #reload(): Promise<void> {
    await Promise.all([this.#sums.reload(), this.#entries.reload()]);
  }

  override render(): TemplateResult {
    const sums = this.#sums.value;
    return html`${pageFrame({
      title: 'Balance',
      actions: sums === null || !this.app.may('money') ? nothing : this.#actions(...sums),
      body: html`${this.error === null ? nothing : errorNote(this.error)}
        ${this.topUp?.instructions ? newTopUp(this.topUp) : nothing}
        ${this.#sums.render(([balance]) => sumsCards(balance))}
        <div class="beside">
          <section class="card" aria-labelledby="entries">
            <div class="card-head">
              <h2 id="entries">Entries</h2>
              <a href=${pathTo('/balance/movements')}>Top-ups and withdrawals</a>
            </div>
            <pay-data-table label="Entries" .columns=${columns} .rows=${this.#entries}>
              <div slot="empty">${emptyState('No entries yet', 'Each booking of your money is listed here.')}</div>
            </pay-data-table>
          </section>
          ${sums === null ? nothing : this.#statement(unitsOf(...sums))}
        </div>`,
    })}
    ${actionDialog(this)}`;
  }

  #actions(balance: Balance, account: Account): TemplateResult {
    const { client } = this.app;
    const units = unitsOf(balance, account);
    const held = balance.available.map(unitOf);
    const add = () =>
      topUpAction(client, units, topUp => {
        this.topUp = topUp;
      });
    const withdraw = () =>
      withdrawAction(client, account, held, text => {
        this.app.toast({ text, tone: 'good' });
        void this.#reload();
      });
    return html`<a class="second" href=${pathTo('/balance/unmatched')}>Unmatched money</a>
      <a class="second" href=${pathTo('/balance/settlements')}>Settlements</a>
      <a class="second" href=${pathTo('/approvals')}>Approvals</a>
      <a class="second" href=${pathTo('/balance/disputes')}>Disputes</a>
      <button class="second" type="button" @click=${() => this.ask(add())}>Add money</button>
      <button class="main" type="button" ?disabled=${held.length === 0} @click=${() => this.ask(withdraw())}>Withdraw</button>`;
  }

  #statement(units: readonly string[]): TemplateResult {
    const save = async (event: SubmitEvent) => {
      event.preventDefault();
      const { unit = '', from = '', to } = formValues(event.target as HTMLFormElement);
      const type = (event.submitter as HTMLButtonElement).value;
      const query = new URLSearchParams({ from, ...(to && { to }), [isAsset(unit) ? 'asset' : 'currency']: unit });
      this.error = null;
      try {
        await download(
          this.app,
          `/v1/balance/statement.${type}?${query}`,
          `statement-${unit.split(':')[0]}-${from}.${type}`,
        );
      } catch (error) {
        this.error = error;
      }
    };
    return html`<form class="card" aria-labelledby="statement" @submit=${save}>
      <h2 id="statement">Statement</h2>
      <div class="fields">
        ${formField({ label: 'Money', name: 'unit', options: units.map(unit => [unit, unit.split(':')[0] ?? unit] as const) })}
        ${formField({ label: 'From', name: 'from', type: 'date', required: true })}
        ${formField({ label: 'To', name: 'to', type: 'date', hint: 'Empty: today.' })}
      </div>
      <div class="actions">
        <button class="second" type="submit" value="csv">CSV</button>
        <button class="second" type="submit" value="xml">camt.053</button>
        ${this.#ledger.button('Ledger as CSV')}
      </div>
      ${this.#ledger.note()}
    </form>`;
  }
}

const isAsset = (unit: string): boolean => unit.includes(':') || unit.length !== 3 || unit === 'XLM';

/**
 * The units to offer: all in the balance, the settlement asset and the euro. The settlement asset may lack the issuer
 * (`USDC`) that the balance names (`USDC:G…`).
 */
function unitsOf(balance: Balance, { settlement: { asset } }: Account): readonly string[] {
  const held = parts.flatMap(([part]) => balance[part].map(unitOf));
  const settled = held.find(unit => unit.startsWith(`${asset}:`)) ?? asset;
  return [...new Set([...held, settled, 'EUR'])];
}

function sumsCards(balance: Balance): TemplateResult {
  const shown = parts.filter(([part]) => balance[part].length > 0 || part === 'available' || part === 'pending');
  return html`<div class="grid">
    ${shown.map(
      ([part, label, text]) => html`<section class="card" aria-label=${label}>
        <div><h2>${label}</h2><p class="hint">${text}</p></div>
        ${balance[part].length === 0 ? html`<div class="big">0</div>` : balance[part].map(money => html`<div class="big">${moneyCell(money)}</div>`)}
      </section>`,
    )}
  </div>`;
}

function newTopUp(topUp: TopUp): TemplateResult {
  return html`<section class="card" aria-label="Where to send" role="status">
    <h2>Send the money here</h2>
    ${topUpInstructions(topUp)}
  </section>`;
}

customElements.define('pay-balance-page', BalancePage);
