import type {
  LiquidityPoolDepositOpWire,
  LiquidityPoolDepositResultWire,
  LiquidityPoolWithdrawResultWire,
  PriceWire,
} from '@stellar/stellar-sdk/xdr';
import { addBalance, addCredit, available, findLine, isAuthorized } from '../state/balances.ts';
import { BrokenInvariant, type LiquidityPool, maxAmount, type Trustline } from '../state/entries.ts';
import { hex, lineKey, native } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { depositOf, type PoolDeposit, shareOf } from '../trading/liquidity-pool.ts';
import { defineOperation, type OperationScope } from './operation.ts';

const depositCode = {
  malformed: -1,
  noTrust: -2,
  notAuthorized: -3,
  underfunded: -4,
  lineFull: -5,
  badPrice: -6,
  poolFull: -7,
} as const;
const withdrawCode = { malformed: -1, noTrust: -2, underfunded: -3, lineFull: -4, underMinimum: -5 } as const;

interface Holding {
  readonly line: Trustline;
  readonly pool: LiquidityPool;
}

/** The source’s pool share trust line and its pool, or null. */
function findHolding({ state, source }: OperationScope, poolId: Uint8Array): Holding | null {
  const id = hex(poolId);
  const line = state.lines.get(lineKey(source, id));
  if (!line) return null;
  const pool = state.pools.get(id);
  if (!pool) throw new BrokenInvariant('liquidity pool is missing');
  return { line, pool };
}

function isBadPrice({ amountA: a, amountB: b }: PoolDeposit, min: PriceWire, max: PriceWire): boolean {
  const isUnder = a * BigInt(min.d) < b * BigInt(min.n);
  const isOver = a * BigInt(max.d) > b * BigInt(max.n);
  return a === 0n || b === 0n || isUnder || isOver;
}

function depositFault(
  { state, source }: OperationScope,
  op: LiquidityPoolDepositOpWire,
  { line, pool }: Holding,
  deposit: PoolDeposit,
): LiquidityPoolDepositResultWire | null {
  const { amountA, amountB, shares } = deposit;
  const shortOf = (asset: string, amount: bigint) => (available(state, source, asset) ?? 0n) < amount;
  if (shortOf(pool.assetA, amountA) || shortOf(pool.assetB, amountB)) return { code: depositCode.underfunded };
  if (isBadPrice(deposit, op.minPrice, op.maxPrice)) return { code: depositCode.badPrice };
  if (line.limit - line.balance - line.buying < shares) return { code: depositCode.lineFull };
  const overflows = [amountA + pool.reserveA, amountB + pool.reserveB, shares + pool.shares].some(
    sum => sum > maxAmount,
  );
  return overflows ? { code: depositCode.poolFull } : null;
}

function maySend(state: LedgerState, account: string, asset: string): boolean {
  const line = asset === native ? 'issuer' : findLine(state, account, asset);
  if (line === null) throw new BrokenInvariant('Invalid ledger state');
  return isAuthorized(line);
}

function deposit(op: LiquidityPoolDepositOpWire, scope: OperationScope): LiquidityPoolDepositResultWire {
  const { state, source } = scope;
  const holding = findHolding(scope, op.liquidityPoolId);
  if (!holding) return { code: depositCode.noTrust };
  const { line, pool } = holding;
  const maySendBoth = [pool.assetA, pool.assetB].map(asset => maySend(state, source, asset));
  if (maySendBoth.includes(false)) return { code: depositCode.notAuthorized };
  const given = depositOf(pool, op);
  const fault = depositFault(scope, op, holding, given);
  if (fault) return fault;
  const { amountA, amountB, shares } = given;
  if (shares <= 0n) throw new BrokenInvariant('must receive a positive amount of pool shares');
  const moved =
    addBalance(state, source, pool.assetA, -amountA) &&
    addBalance(state, source, pool.assetB, -amountB) &&
    addCredit(state, line, shares);
  if (!moved) throw new BrokenInvariant('insufficient balance');
  const reserves = { reserveA: pool.reserveA + amountA, reserveB: pool.reserveB + amountB };
  state.pools.set(pool.id, { ...pool, ...reserves, shares: pool.shares + shares });
  reportMovement(scope, pool, amountA, amountB, shares);
  return { code: 0 };
}

function reportMovement(
  scope: OperationScope,
  pool: LiquidityPool,
  amountA: bigint,
  amountB: bigint,
  shares: bigint,
): void {
  const [a, b] = [
    { asset: pool.assetA, amount: amountA },
    { asset: pool.assetB, amount: amountB },
  ];
  scope.reportMovement({ assets: [a, b], shares });
}

const isPrice = ({ n, d }: PriceWire): boolean => n > 0 && d > 0;

/** Deposits two assets in their pool (CAP-38). */
export const liquidityPoolDeposit = defineOperation<22, LiquidityPoolDepositResultWire>(22, {
  wrap: liquidityPoolDepositResult => ({ type: 22, liquidityPoolDepositResult }),
  check: ({ liquidityPoolDepositOp: { maxAmountA, maxAmountB, minPrice: min, maxPrice: max } }) => {
    const isBad = maxAmountA <= 0n || maxAmountB <= 0n || !isPrice(min) || !isPrice(max);
    const isEmptyRange = BigInt(min.n) * BigInt(max.d) > BigInt(min.d) * BigInt(max.n);
    return isBad || isEmptyRange ? { code: depositCode.malformed } : null;
  },
  apply: ({ liquidityPoolDepositOp }, scope) => deposit(liquidityPoolDepositOp, scope),
});

export const liquidityPoolWithdraw = defineOperation<23, LiquidityPoolWithdrawResultWire>(23, {
  wrap: liquidityPoolWithdrawResult => ({ type: 23, liquidityPoolWithdrawResult }),
  check: ({ liquidityPoolWithdrawOp: { amount, minAmountA, minAmountB } }) =>
    amount <= 0n || minAmountA < 0n || minAmountB < 0n ? { code: withdrawCode.malformed } : null,
  apply: ({ liquidityPoolWithdrawOp: { liquidityPoolId, amount, minAmountA, minAmountB } }, scope) => {
    const { state, source } = scope;
    const holding = findHolding(scope, liquidityPoolId);
    if (!holding) return { code: withdrawCode.noTrust };
    const { line, pool } = holding;
    if (line.balance - line.selling < amount) return { code: withdrawCode.underfunded };
    const amountA = shareOf(amount, pool.shares, pool.reserveA);
    if (amountA < minAmountA) return { code: withdrawCode.underMinimum };
    if (!addBalance(state, source, pool.assetA, amountA)) return { code: withdrawCode.lineFull };
    const amountB = shareOf(amount, pool.shares, pool.reserveB);
    if (amountB < minAmountB) return { code: withdrawCode.underMinimum };
    if (!addBalance(state, source, pool.assetB, amountB)) return { code: withdrawCode.lineFull };
    if (!addCredit(state, line, -amount)) throw new BrokenInvariant('pool withdrawal invalid');
    const reserves = { reserveA: pool.reserveA - amountA, reserveB: pool.reserveB - amountB };
    state.pools.set(pool.id, { ...pool, ...reserves, shares: pool.shares - amount });
    reportMovement(scope, pool, amountA, amountB, amount);
    return { code: 0 };
  },
});
