import { divideRounded, formatUnits } from '../../../core/money.ts';
import type { LedgerHeader } from '../ledger.ts';
import type { FeePaid } from './horizon-history.store.ts';
import type { Fields } from './horizon-values.ts';

/** Ledgers that the statistics look back on. */
export const feeStatsLedgers = 5;

const percentiles = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99] as const;

/**
 * What the latest ledgers charged for an operation and what was offered, as Horizon shows it; where they are empty the
 * base fee. `used` is the number of operations in them, `ledgers` how many they are.
 */
export function feeStats(header: LedgerHeader, fees: readonly FeePaid[], used: number, ledgers: number): Fields {
  const base = [BigInt(header.baseFee)];
  const room = BigInt(header.maxTxSetSize * ledgers);
  const usage = room === 0n ? 0n : divideRounded(BigInt(used) * 100n, room);
  return {
    last_ledger: String(header.sequence),
    last_ledger_base_fee: String(header.baseFee),
    ledger_capacity_usage: formatUnits(usage, 2).replace(/\.?0+$/, ''),
    fee_charged: feeDistribution(fees.length === 0 ? base : fees.map(({ charged }) => charged)),
    max_fee: feeDistribution(fees.length === 0 ? base : fees.map(({ offered }) => offered)),
  };
}

/** Largest, smallest and most frequent value, and the value at each percentile (the first at or above the share). */
export function feeDistribution(values: readonly bigint[]): Fields {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const at = (percent: number) => String(sorted[Math.floor((percent * sorted.length + 99) / 100) - 1]);
  return {
    max: String(sorted.at(-1)),
    min: String(sorted[0]),
    mode: String(mode(sorted)),
    ...Object.fromEntries(percentiles.map(percent => [`p${percent}`, at(percent)])),
  };
}

/** The most frequent of sorted values; of several the smallest. */
function mode(sorted: readonly bigint[]): bigint | undefined {
  const counts = new Map<bigint, number>();
  for (const value of sorted) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best = sorted[0];
  for (const [value, count] of counts) if (best === undefined || count > (counts.get(best) ?? 0)) best = value;
  return best;
}
