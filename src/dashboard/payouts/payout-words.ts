import { html, nothing, type TemplateResult } from 'lit';
import type { Payout, PayoutDestination } from '../../api/payout.ts';
import { walletName, wayName } from '../../core/locale/way-name.ts';
import { decimalText } from '../../element/money-text.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { type StateTable, statusChip } from '../controls/status-chip.ts';
import { assetWords, moneyOf, moneyWords, shortenedWords } from '../controls/values.ts';

/** Words and tones of the states of a payout. */
export const payoutStates: StateTable = {
  scheduled: ['Scheduled', 'plain'],
  queued: ['Queued', 'busy'],
  on_hold: ['On hold', 'warn'],
  processing: ['Sending', 'busy'],
  sent: ['Sent', 'busy'],
  completed: ['Completed', 'good'],
  failed: ['Failed', 'bad'],
  returned: ['Returned', 'bad'],
  canceled: ['Canceled', 'plain'],
};

/** The choices of a filter by state. */
export const choicesOf = (states: StateTable): readonly (readonly [string, string])[] =>
  Object.entries(states).map(([value, [label]]) => [value, label] as const);

export const destinationKinds = {
  bank_account: 'Bank account',
  mobile_money: 'Mobile money',
  crypto_wallet: 'Wallet',
} as const satisfies Record<PayoutDestination['type'], string>;

/** A destination on one line: `DE8937040044…3000`, `MTN MoMo +256 772 123 456`, `USDC on Stellar, GDQPQK…4ZWM3`. */
export function destinationWords(destination: PayoutDestination): string {
  if (destination.type === 'mobile_money') return walletName(destination);
  if (destination.type === 'crypto_wallet') {
    const { asset, chain, address } = destination;
    return `${asset.split(':')[0]} on ${wayName(chain)}, ${shortenedWords(address)}`;
  }
  const { iban, bic, routing, account, country } = destination;
  const number = iban ?? [routing, account].filter(Boolean).join(' ');
  return [shortenedWords(number, 12, 4), iban ? null : (bic ?? country)].filter(Boolean).join(', ');
}

/** The name of a rail. Null: no rail has been chosen. */
export const railWords = (rail: string | null): string | null => (rail === null ? null : wayName(rail));

/** The name of the account's holder. Null if the payout does not contain it. */
const holderOf = ({ destination }: Payout): string | null =>
  (destination.type === 'bank_account' && destination.account_holder) || null;

/** An amount in the smallest unit of a currency, or of an asset on Stellar. */
export function unitWords(amount: number, unit: string): string {
  const isCurrency = /^[A-Z]{3}$/.test(unit) && unit !== 'XLM';
  return isCurrency ? moneyWords(amount, unit) : assetWords(decimalText(amount, 7), unit);
}

/** The debit of the balance for a payout, without its fee. */
export function debitWords({ amount, currency, fx }: Pick<Payout, 'amount' | 'currency' | 'fx'>): string {
  return fx === null ? moneyWords(amount, currency) : unitWords(fx.source_amount, fx.source_currency);
}

/** The columns of lists of payouts. */
export const payoutColumns: readonly Column<Payout>[] = [
  { label: 'To', share: 2, cell: toCell },
  {
    label: 'By',
    share: 1,
    cell: ({ trace, destination }) => railWords(trace.rail) ?? destinationKinds[destination.type],
  },
  { label: 'State', share: 1, inCard: 'last', cell: ({ status }) => statusChip(status, payoutStates) },
  {
    label: 'Amount',
    share: 1.2,
    align: 'end',
    inCard: 'value',
    cell: ({ amount, currency }) => moneyOf(amount, currency),
  },
  { label: 'When', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

function toCell(payout: Payout): TemplateResult {
  const where = destinationWords(payout.destination);
  const holder = holderOf(payout);
  const reason = payout.failure ?? payout.hold;
  const second = [holder === null ? null : where, payout.reference, reason?.message].filter(Boolean);
  return html`${holder ?? where}${second.length === 0 ? nothing : html`<div class="second-line">${second.join(' · ')}</div>`}`;
}
