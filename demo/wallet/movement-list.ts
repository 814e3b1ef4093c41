import { systemClock } from '../../src/core/clock.ts';
import { decodeStrkey, encodeStrkey } from '../../src/core/stellar/strkey.ts';
import { h, icon } from '../shop/dom.ts';
import type { Movement } from '../wallet-messages.ts';
import { moneyText, shortText, timeText } from './amount-text.ts';
import { copyable, fact, rowText, walletIcons } from './elements.ts';

/** The payments of an account, newest first. Each payment unfolds to show details. */
export function movementList(movements: readonly Movement[]): HTMLElement {
  const paid = new Set(
    movements.filter(({ direction }) => direction === 'out').map(({ with: other }) => accountOf(other)),
  );
  return h('ul.movements', ...movements.map(movement => row(movement, paid)));
}

function row(movement: Movement, paid: ReadonlySet<string>): HTMLElement {
  const { direction, asset, amount, spent, at } = movement;
  const left = direction === 'out' ? (spent ?? { asset, amount }) : { asset, amount };
  const time = h('time', { datetime: at }, timeText(at, systemClock.now()));
  const summary = h(
    'summary.row',
    h('span', { class: `way ${direction}` }, icon(direction === 'in' ? walletIcons.receive : walletIcons.send)),
    ...rowText(
      titleOf(movement, paid),
      h(
        'span',
        { class: `row-amount figure ${direction}` },
        `${direction === 'in' ? '+' : '−'}${moneyText(left.amount, left.asset)}`,
      ),
      h('span', lineOf(movement), ' · ', time),
    ),
  );
  return h('li', { 'data-hash': movement.hash }, h('details', summary, details(movement)));
}

/** Money from an account that the wallet has paid is shown as a refund. */
function titleOf({ direction, with: other }: Movement, paid: ReadonlySet<string>): string {
  if (direction === 'in') return paid.has(accountOf(other)) ? 'Money back' : 'Received';
  return 'Paid';
}

/** The other account. If an outgoing payment exchanged assets, the delivered amount precedes the account. */
function lineOf({ direction, with: other, asset, amount, spent }: Movement): string {
  const exchanged = direction === 'out' && spent !== null ? [`${moneyText(amount, asset)} arrived`] : [];
  return [...exchanged, shortText(other)].join(' · ');
}

/** The account of an address, without a muxed id (SEP-23). */
function accountOf(address: string): string {
  const bytes = decodeStrkey('M', address);
  return bytes === null ? address : encodeStrkey('G', bytes.subarray(0, 32));
}

function details({ direction, with: other, memo, hash, spent, asset, amount }: Movement): HTMLElement {
  return h(
    'dl.facts',
    fact(direction === 'in' ? 'From' : 'To', copyable('the address', other)),
    spent === null || direction === 'out' ? null : fact('Paid with', moneyText(spent.amount, spent.asset)),
    spent === null || direction === 'in' ? null : fact('They received', moneyText(amount, asset)),
    memo === null ? null : fact('Memo', memo),
    fact('Transaction', copyable('the transaction', hash)),
  );
}
