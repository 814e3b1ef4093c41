import type { PayerHolding } from '../../api/crypto.ts';
import { parseUnits, stellarDecimals } from '../../core/money.ts';

/** Whether the payment can be paid with it: something leads there, and there is enough even at the worst price allowed. */
export function isPayable({ balance, amount_max: atMost }: PayerHolding): boolean {
  const held = parseUnits(balance, stellarDecimals);
  const needed = atMost === null ? null : parseUnits(atMost, stellarDecimals);
  return held !== null && needed !== null && held >= needed;
}

/** What can pay first; among those, what needs no exchange. */
export function payableFirst(holdings: readonly PayerHolding[], wanted: string): PayerHolding[] {
  const rank = (holding: PayerHolding) => (isPayable(holding) ? (holding.asset === wanted ? 0 : 1) : 2);
  return [...holdings].sort((one, other) => rank(one) - rank(other));
}
