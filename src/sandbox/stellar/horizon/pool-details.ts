import type { OperationWire } from '@stellar/stellar-sdk/xdr';
import type { KeptPoolMove } from '../stellar-tables.ts';
import { amountText, type Fields, priceText } from './horizon-values.ts';

type Deposit = Extract<OperationWire['body'], { type: 22 }>['liquidityPoolDepositOp'];
type Withdrawal = Extract<OperationWire['body'], { type: 23 }>['liquidityPoolWithdrawOp'];

/** What a transaction that failed moved, in Horizon’s words. */
const nothing: KeptPoolMove = { assetA: '', assetB: '', amountA: '0', amountB: '0', shares: '0' };

/** What Horizon tells of a deposit in a pool; `moved` is null when its transaction failed. */
export function depositDetails(op: Deposit, moved: KeptPoolMove | null): Fields {
  const move = moved ?? nothing;
  return {
    liquidity_pool_id: Buffer.from(op.liquidityPoolId).toString('hex'),
    reserves_max: amounts(move, op.maxAmountA, op.maxAmountB),
    min_price: priceText(op.minPrice),
    min_price_r: { n: op.minPrice.n, d: op.minPrice.d },
    max_price: priceText(op.maxPrice),
    max_price_r: { n: op.maxPrice.n, d: op.maxPrice.d },
    reserves_deposited: amounts(move, BigInt(move.amountA), BigInt(move.amountB)),
    shares_received: amountText(BigInt(move.shares)),
  };
}

/** What Horizon tells of a withdrawal from a pool; `moved` is null when its transaction failed. */
export function withdrawalDetails(op: Withdrawal, moved: KeptPoolMove | null): Fields {
  const move = moved ?? nothing;
  return {
    liquidity_pool_id: Buffer.from(op.liquidityPoolId).toString('hex'),
    reserves_min: amounts(move, op.minAmountA, op.minAmountB),
    shares: amountText(op.amount),
    reserves_received: amounts(move, BigInt(move.amountA), BigInt(move.amountB)),
  };
}

function amounts({ assetA, assetB }: KeptPoolMove, a: bigint, b: bigint): readonly Fields[] {
  return [
    { asset: assetA, amount: amountText(a) },
    { asset: assetB, amount: amountText(b) },
  ];
}
