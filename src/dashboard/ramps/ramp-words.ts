import { html, type TemplateResult } from 'lit';
import { type Ramp, sidesOf } from '../../api/ramps/ramp.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { chip, type StateTable, statusChip } from '../controls/status-chip.ts';
import { assetOf, assetWords, moneyOf, moneyWords } from '../controls/values.ts';
import type { Named } from '../customers/customer-names.ts';
import { methods } from '../payments/payment-states.ts';

/** Words and tones of the states of a ramp. */
export const rampStates: StateTable = {
  incomplete: ['Identity check', 'warn'],
  pending_user_transfer_start: ['To be paid', 'plain'],
  pending_anchor: ['Paid', 'busy'],
  pending_stellar: ['Coins on their way', 'busy'],
  pending_external: ['Payout on its way', 'busy'],
  pending_trust: ['Wallet not ready', 'warn'],
  on_hold: ['On hold', 'warn'],
  completed: ['Delivered', 'good'],
  refunded: ['Refunded', 'plain'],
  expired: ['Ended', 'plain'],
};

/** The chip of a ramp. A dispute of delivered coins is shown, because the merchant answers it. */
export const rampChip = ({ status, amount_disputed: disputed }: Pick<Ramp, 'status' | 'amount_disputed'>) =>
  disputed > 0 && status === 'completed' ? chip('Disputed', 'warn') : statusChip(status, rampStates);

/** An asset's code without its issuer. */
export const codeOf = (asset: string): string => asset.split(':')[0] ?? asset;

/** The coins of the ramp, for example `25 USDC`. */
export const coinsWords = (ramp: Ramp): string => assetWords(sidesOf(ramp).coins, ramp.asset);

/** The money of the ramp, for example `€100.00`. */
export const rampMoneyWords = (ramp: Ramp): string => moneyWords(sidesOf(ramp).money, ramp.fiat_currency);

/** What the customer gives, in words. */
export const givenWords = (ramp: Ramp): string => (ramp.direction === 'on' ? rampMoneyWords(ramp) : coinsWords(ramp));

/** What the customer gets, in words. */
export const gotWords = (ramp: Ramp): string => (ramp.direction === 'on' ? coinsWords(ramp) : rampMoneyWords(ramp));

/** The price without the fee, for example `1 USDC = €0.92`. */
export const priceWords = ({ price, asset, fiat_currency: currency }: Ramp): string =>
  `1 ${codeOf(asset)} = ${assetWords(price, currency)}`;

/** The money of the ramp that can still be refunded, in minor units. */
export function keptOf(ramp: Ramp): number {
  const { direction, amount_fee: fee, refunds, amount_disputed: disputed } = ramp;
  const { money } = sidesOf(ramp);
  return direction === 'on' ? Math.max(0, money - refunds.amount_refunded - disputed) : money + fee;
}

/** Both sides of a ramp in words, for example `€100.00 for 25 USDC`. */
export const tradeWords = (ramp: Ramp): string => `${givenWords(ramp)} for ${gotWords(ramp)}`;

/** The columns of the list of ramps. */
export const rampColumns: readonly Column<Named<Ramp>>[] = [
  { label: 'Customer', share: 1.6, cell: ({ customer_name: name }) => name },
  { label: 'By', share: 1, cell: ({ method }) => methods[method] },
  { label: 'State', share: 1.2, inCard: 'last', cell: rampChip },
  { label: 'Amount', share: 1.8, align: 'end', inCard: 'value', cell: tradeCell },
  { label: 'When', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

function tradeCell(ramp: Ramp): TemplateResult {
  const { money, coins } = sidesOf(ramp);
  const sides = [moneyOf(money, ramp.fiat_currency), assetOf(coins, ramp.asset)];
  const [given, got] = ramp.direction === 'on' ? sides : sides.reverse();
  return html`${given} <span aria-hidden="true">→</span><span class="quiet">for</span> ${got}`;
}
