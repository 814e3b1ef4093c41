import { html } from 'lit';
import type { BalanceEntry } from '../../api/balance/balance.ts';
import { sentenceCase } from '../controls/status-chip.ts';
import type { Moment } from '../controls/timeline.ts';
import { assetWords, moneyWords } from '../controls/values.ts';

/** The bookings of balance entries, for a timeline. Entries with the same time and kind belong to one booking. */
export function bookingsOf(entries: readonly BalanceEntry[]): Moment[] {
  return [...Map.groupBy(entries, ({ created_at: at, kind }) => `${at} ${kind}`).values()].map(group => ({
    at: group[0]?.created_at ?? '',
    title: 'Booked',
    text: group.map(entryWords).join(' · '),
    more: html`<table class="rows"><caption class="quiet">Entries</caption><tbody>
      ${group.map(
        entry => html`<tr><th scope="row">${sentenceCase(entry.account)}</th><td>${sentenceCase(entry.kind)}</td>
        <td class="end num">${sumWords(entry)}</td></tr>`,
      )}
    </tbody></table>`,
  }));
}

/** The account and amount of an entry. A word joiner keeps the sign and the amount on one line. */
const entryWords = (entry: BalanceEntry) => `${entry.account} ${sumWords(entry).replace(/^[+\u2212]/, '$&\u2060')}`;

function sumWords({ amount, currency, asset, asset_amount: units }: BalanceEntry): string {
  const text = units !== null && asset !== null ? assetWords(units, asset) : moneyWords(amount ?? 0, currency ?? 'EUR');
  return text.startsWith('\u2212') ? text : `+${text}`;
}
