import { convertDown, feeOf } from '../../core/ramp/price.ts';
import { move } from '../ledger/posting.ts';
import type { RampRow } from './tables.ts';

/** The part of the received money that buys coins, fee included: without refunds and disputes. In minor units. */
export function keptOf({ amount_in, amount_refunded, amount_disputed }: Kept): bigint {
  const kept = amount_in - amount_refunded - amount_disputed;
  return kept > 0n ? kept : 0n;
}

type Kept = Pick<RampRow, 'amount_in' | 'amount_refunded' | 'amount_disputed'>;
type Priced = Pick<RampRow, 'direction' | 'amount_out' | 'payout_step' | keyof RampFeeColumns>;
type RampFeeColumns = Pick<RampRow, 'fee_basis_points' | 'fee_fixed' | 'rate_numerator' | 'rate_denominator'>;

/**
 * The fee of the kept money, and the coins that it buys at the ramp's price. The payout of a sale is a multiple of its
 * step, and the fee takes the rest.
 */
export function pricedColumns(row: Kept & Priced): Pick<RampRow, 'amount_fee' | 'amount_out'> {
  const kept = keptOf(row);
  const fee = feeOf(kept, { basisPoints: row.fee_basis_points, fixed: row.fee_fixed });
  if (row.direction === 'off') {
    return { amount_fee: fee + ((kept - fee) % row.payout_step), amount_out: row.amount_out };
  }
  const rate = { numerator: row.rate_numerator, denominator: row.rate_denominator };
  return { amount_fee: fee, amount_out: convertDown(kept - fee, rate) };
}

/** The fee's way through its own account, which shows the turnover, to the merchant. `from`: where it is now. */
export function feePostings(from: 'merchant.reserved' | 'merchant.available', currency: string, fee: bigint) {
  return [...move(from, 'ramps.fee', currency, fee), ...move('ramps.fee', 'merchant.available', currency, fee)];
}

/** The money that a sale pays out, in minor units. */
export function payableOf(row: Kept & Pick<RampRow, 'amount_fee'>): bigint {
  return keptOf(row) - row.amount_fee;
}
