import { html, nothing, type TemplateResult } from 'lit';
import type { Settlement } from '../../api/client.ts';
import type { Account } from '../../api/merchant.ts';
import { parseCurrency } from '../../core/currency.ts';
import { pathTo } from '../app/router.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { note } from '../controls/states.ts';
import { type StateTable, statusChip } from '../controls/status-chip.ts';
import { moneyOf, moneyWords, timeWords } from '../controls/values.ts';

/** Words and tones of the states of a settlement. */
export const settlementStates: StateTable = {
  open: ['Open', 'plain'],
  paying: ['Being paid', 'busy'],
  paid: ['Paid', 'good'],
  failed: ['Failed', 'bad'],
  returned: ['Returned', 'bad'],
  kept: ['Kept in balance', 'plain'],
};

/** A number of payments: `1 payment`, `12 payments`. */
export const countWords = ({ payments: count }: Pick<Settlement, 'payments'>): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'payment' : 'payments'}`;

/** Whether a person can send the settlement's money again. */
export const isBack = ({ status }: Pick<Settlement, 'status'>): boolean => status === 'failed' || status === 'returned';

/** Whether a person can keep the settlement's money: it came back, or the account does not have it paid out. */
export function canKeep(settlement: Settlement, { settlement: terms }: Account): boolean {
  const { schedule, destination, asset } = terms;
  const isPaidOut = schedule === 'automatic' && destination !== null && parseCurrency(asset) !== null;
  const waits = settlement.status === 'open' && (!isPaidOut || settlement.failure?.code === 'no_route');
  return waits || isBack(settlement);
}

/** The columns of the list of settlements. */
export const settlementColumns: readonly Column<Settlement>[] = [
  { label: 'Payments', share: 2, cell: paymentsCell },
  { label: 'State', share: 1, inCard: 'last', cell: ({ status }) => statusChip(status, settlementStates) },
  { label: 'Deducted', share: 1, align: 'end', cell: deductedCell },
  {
    label: 'Amount',
    share: 1.2,
    align: 'end',
    inCard: 'value',
    cell: ({ amount, currency }) => moneyOf(amount, currency),
  },
  { label: 'Payout', share: 1.2, align: 'end', cell: timeCell },
];

function paymentsCell(settlement: Settlement): TemplateResult {
  const { failure } = settlement;
  const reason = failure === null ? nothing : html`<div class="second-line whole">${failure.message}</div>`;
  return html`${countWords(settlement)}${reason}`;
}

function deductedCell({ deducted, currency }: Settlement): TemplateResult | string {
  return deducted === 0 ? '' : moneyOf(-deducted, currency);
}

function timeCell({ scheduled_at: next, paid_at: paid, closed_at: closed, created_at: made }: Settlement) {
  return next === null ? agoText(paid ?? closed ?? made) : timeWords(next);
}

/** The next payouts of open settlements, each with its time, amount and number of payments. Empty if none is open. */
export function nextPayouts(open: readonly Settlement[]): readonly TemplateResult[] {
  return open.map(settlement => {
    const { id, amount, currency, scheduled_at: next, failure } = settlement;
    const when = next === null ? 'The next payout waits:' : `Next payout on ${timeWords(next)}:`;
    const sum = `${moneyWords(amount, currency)} of ${countWords(settlement)}`;
    const text = html`<strong>${when}</strong> <a href=${pathTo(`/balance/settlements/${id}`)}>${sum}</a>.
      ${failure === null ? nothing : failure.message}`;
    return note(text, failure === null ? undefined : 'warn', 'status');
  });
}
