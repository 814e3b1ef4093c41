import { parseUnits, stellarDecimals } from '../../src/core/money.ts';
import { h } from '../shop/dom.ts';
import type { PayWay } from '../wallet-wire.ts';
import { codeOf, moneyText } from './amount-text.ts';
import { assetSign, rowText } from './parts.ts';

const stroops = (amount: string) => parseUnits(amount, stellarDecimals) ?? 0n;

/** Whether there is enough for it, should the price move as far as it may. */
function isPayable({ atMost, spendable }: PayWay): boolean {
  return stroops(atMost) <= stroops(spendable);
}

/** The first way for which there is enough, or null. */
export function firstPayable(ways: readonly PayWay[]): PayWay | null {
  return ways.find(isPayable) ?? null;
}

/** What to pay with so that `asset` arrives: one radio button a way, the first that can be paid chosen. */
export function wayChoice(ways: readonly PayWay[], asset: string, onChoose: (way: PayWay) => void): HTMLElement {
  const first = firstPayable(ways);
  return h(
    'fieldset',
    { class: 'pay-ways' },
    h('legend', {}, 'Pay with'),
    ...ways.map((way, at) => {
      const isFine = isPayable(way);
      const input = h('input', {
        ...{ type: 'radio', name: 'way', id: `way-${at}`, checked: way === first, disabled: !isFine },
        onchange: () => onChoose(way),
      });
      const price = h('span', { class: 'row-amount figure' }, moneyText(way.amount, way.asset));
      const words = rowText(codeOf(way.asset), price, line(way, asset));
      return h('label', { class: 'row pay-way', for: input.id }, input, assetSign(way.asset), ...words);
    }),
  );
}

function line(way: PayWay, asset: string): string {
  if (!isPayable(way)) return `Not enough: ${moneyText(way.spendable, way.asset)} can be spent`;
  if (way.asset === asset) return 'Sent as it is';
  const path = [way.asset, ...way.path, asset].map(codeOf).join(' → ');
  return `${path}, at most ${moneyText(way.atMost, way.asset)}`;
}
