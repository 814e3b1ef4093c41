import { html, nothing, type TemplateResult } from 'lit';
import type { TopUp } from '../../api/balance/top-up.ts';
import type { Withdrawal } from '../../api/balance/withdrawal.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { agoText } from '../controls/ago-text.ts';
import { copyButton } from '../controls/copy-button.ts';
import type { Column } from '../controls/data-table.ts';
import { emptyState } from '../controls/states.ts';
import { statusChip } from '../controls/status-chip.ts';
import { assetOf, moneyOf, shortened } from '../controls/values.ts';
import { approvedChip } from './approval-words.ts';
import { topUpInstructions } from './top-up-instructions.ts';
import '../controls/data-table.ts';
import '../controls/dialog.ts';

type Units = Pick<TopUp, 'currency' | 'asset'>;

/** An amount of a currency or an asset. The API writes amounts of assets as text. */
function sumOf(amount: number | string, { currency, asset }: Units): TemplateResult {
  return typeof amount === 'number' ? moneyOf(amount, currency ?? 'EUR') : assetOf(amount, asset ?? '');
}

const topUpStates = { awaiting_funds: ['Waiting', 'busy'], received: ['Received', 'good'] } as const;
const withdrawalStates = {
  pending: ['On its way', 'busy'],
  completed: ['Completed', 'good'],
  failed: ['Failed', 'bad'],
} as const;

const withdrawalColumns: readonly Column<Withdrawal>[] = [
  { label: 'Amount', share: 1.1, inCard: 'value', cell: withdrawal => sumOf(withdrawal.amount, withdrawal) },
  {
    label: 'State',
    share: 1.4,
    cell: withdrawal => html`${approvedChip(withdrawal, withdrawalStates)}
      ${withdrawal.failure === null ? nothing : html`<div class="second-line">${withdrawal.failure.message}</div>`}`,
  },
  { label: 'Arrives as', share: 1.2, cell: ({ paid }) => assetOf(paid.amount, paid.asset) },
  { label: 'At', share: 1.2, cell: ({ destination }) => shortened(destination.address) },
  {
    label: 'Transaction',
    share: 1.2,
    cell: ({ tx_hash: hash }) =>
      hash === null ? nothing : html`${shortened(hash)} ${copyButton(hash, 'transaction')}`,
  },
  { label: 'When', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

/** Top-ups and withdrawals, each with its state. A top-up shows again where to send its money. */
class MovementsPage extends DashboardPage {
  static override readonly properties = { ...DashboardPage.properties, shown: { state: true } };

  /** The top-up whose instructions are shown. */
  declare shown: TopUp | null;

  readonly #topUps = new PagedRows<TopUp>(this, (page, options) =>
    this.app.client.balance.topUps.list({ ...page }, options),
  );
  readonly #withdrawals = new PagedRows<Withdrawal>(this, (page, options) =>
    this.app.client.balance.withdrawals.list({ ...page }, options),
  );

  readonly #topUpColumns: readonly Column<TopUp>[] = [
    {
      label: 'Expected',
      share: 1.1,
      inCard: 'value',
      cell: topUp =>
        topUp.amount === null ? `Any ${topUp.currency ?? topUp.asset?.split(':')[0]}` : sumOf(topUp.amount, topUp),
    },
    { label: 'State', share: 1, cell: ({ status }) => statusChip(status, topUpStates) },
    { label: 'Received', share: 1.1, cell: topUp => sumOf(topUp.amount_received, topUp) },
    {
      label: 'Reference',
      share: 1.4,
      cell: ({ instructions: way }) => (way?.type === 'bank_instructions' ? way.reference : (way?.memo ?? '')),
    },
    { label: 'When', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
    { label: 'Action', share: 1.2, align: 'end', cell: topUp => this.#showButton(topUp) },
  ];

  constructor() {
    super();
    this.shown = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'top_up.' }, () => void this.#topUps.reload());
    this.follow({ type: 'withdrawal.' }, () => void this.#withdrawals.reload());
  }

  #showButton(topUp: TopUp): TemplateResult | typeof nothing {
    if (topUp.instructions === null) return nothing;
    return html`<button class="plain" type="button" @click=${() => {
      this.shown = topUp;
    }}>Where to send</button>`;
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Balance', path: '/balance' },
      title: 'Top-ups and withdrawals',
      body: html`<section class="card" aria-labelledby="top-ups">
          <h2 id="top-ups">Top-ups</h2>
          <pay-data-table label="Top-ups" .columns=${this.#topUpColumns} .rows=${this.#topUps}>
            <div slot="empty">${emptyState('No top-ups yet', '“Add money” on the balance says where to send it.')}</div>
          </pay-data-table>
        </section>
        <section class="card" aria-labelledby="withdrawals">
          <h2 id="withdrawals">Withdrawals</h2>
          <pay-data-table label="Withdrawals" .columns=${withdrawalColumns} .rows=${this.#withdrawals}>
            <div slot="empty">${emptyState('No withdrawals yet', '“Withdraw” on the balance sends money to your Stellar account.')}</div>
          </pay-data-table>
        </section>
        ${this.#instructions()}`,
    });
  }

  #instructions(): TemplateResult {
    const close = () => {
      this.shown = null;
    };
    return html`<pay-dialog heading="Send the money here" ?open=${this.shown !== null} @close=${close}>
      ${this.shown === null ? nothing : topUpInstructions(this.shown)}
      <button slot="buttons" class="main" type="button" @click=${close}>Close</button>
    </pay-dialog>`;
  }
}

customElements.define('pay-movements-page', MovementsPage);
