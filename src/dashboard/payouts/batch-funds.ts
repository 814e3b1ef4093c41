import type { Balance } from '../../api/balance/balance.ts';
import type { PayoutBatch } from '../../api/payout.ts';
import { parseAmount } from '../../core/typed-amount.ts';
import { unitWords } from './payout-words.ts';

/** The available balance of a currency or asset, in its smallest unit. */
export function availableOf(balance: Balance | null, unit: string): number {
  for (const money of balance?.available ?? []) {
    if ('asset' in money && money.asset === unit) return parseAmount(money.amount, 7, '.') ?? 0;
    if ('currency' in money && money.currency === unit) return money.amount;
  }
  return 0;
}

/** The amounts that the available balance lacks for the batch, in words. Empty while the balance is unknown. */
export function shortfalls({ totals }: Pick<PayoutBatch, 'totals'>, balance: Balance | null): readonly string[] {
  if (balance === null) return [];
  return totals.flatMap(({ currency, amount, fee }) => {
    const missing = amount + fee - availableOf(balance, currency);
    return missing > 0 ? [unitWords(missing, currency)] : [];
  });
}
