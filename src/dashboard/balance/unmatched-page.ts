import { html, nothing, type TemplateResult } from 'lit';
import type { Transfer } from '../../api/transfer.ts';
import { wayName } from '../../core/locale/way-name.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { emptyState } from '../controls/states.ts';
import { shortenedWords } from '../controls/values.ts';
import { waitsChip } from './approval-words.ts';
import { assignAction, returnAction, transferWords } from './balance-actions.ts';
import '../controls/data-table.ts';

/** Money that arrived without a payment. A person assigns the money or returns it. */
class UnmatchedPage extends ActionPage {
  readonly #rows = new PagedRows<Transfer>(this, (page, options) =>
    this.app.client.transfers.list({ status: 'unmatched', ...page }, options),
  );

  /** Money that returns to a named destination once a second person approves it. */
  readonly #waiting = new PagedRows<Transfer>(this, (page, options) =>
    this.app.client.transfers.list({ status: 'awaiting_approval', ...page }, options),
  );

  readonly #columns: readonly Column<Transfer>[] = [
    { label: 'From', share: 1.6, cell: ({ sender }) => (sender === null ? 'Unknown' : shortenedWords(sender, 14, 5)) },
    {
      label: 'Reference',
      share: 1.6,
      cell: ({ reference, memo, failure }) => html`${reference ?? memo ?? ''}
        ${failure === null ? nothing : html`<div class="second-line">Not sent back: ${failure.message}</div>`}`,
    },
    { label: 'By', share: 0.8, cell: ({ rail }) => wayName(rail) },
    { label: 'Amount', share: 1.1, align: 'end', inCard: 'value', cell: transferWords },
    { label: 'When', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
    { label: 'Action', share: 1.6, align: 'end', cell: transfer => this.#buttons(transfer) },
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    for (const type of ['transfer.', 'approval.']) {
      this.follow({ type }, () => void Promise.all([this.#rows.reload(), this.#waiting.reload()]));
    }
  }

  #buttons(transfer: Transfer): TemplateResult | string {
    if (transfer.status === 'awaiting_approval') return waitsChip();
    if (!this.app.may('money')) return '';
    const { client } = this.app;
    const done = (sentence: string) => () => {
      this.#rows.remove(transfer.id);
      this.app.toast({ text: sentence, tone: 'good' });
    };
    const assign = () => assignAction(client, transfer, done('The money counts towards the payment'));
    const giveBack = () => returnAction(client, transfer, done('The money is on its way back'));
    const about = `${transferWords(transfer)}, ${transfer.id}`;
    return html`${actionButtons(this, [
      transfer.problem === null && { label: 'Assign', about, style: 'plain', start: assign },
      { label: 'Send back', about, style: 'plain', start: giveBack },
    ])}`;
  }

  override render(): TemplateResult {
    return html`${pageFrame({
      above: { label: 'Balance', path: '/balance' },
      title: 'Unmatched money',
      subtitle: 'It arrived, but names no payment. It stays yours to decide.',
      body: html`<section class="card" aria-label="Unmatched money">
        <pay-data-table label="Unmatched money" .columns=${this.#columns} .rows=${this.#rows}>
          <div slot="empty">${emptyState('Nothing to decide', 'Every transfer belongs to a payment.')}</div>
        </pay-data-table>
      </section>
      ${
        this.#waiting.count === 0
          ? nothing
          : html`<section class="card" aria-labelledby="waiting">
              <h2 id="waiting">To be sent back</h2>
              <pay-data-table label="To be sent back" .columns=${this.#columns} .rows=${this.#waiting}></pay-data-table>
            </section>`
      }`,
    })}
    ${actionDialog(this)}`;
  }
}

customElements.define('pay-unmatched-page', UnmatchedPage);
