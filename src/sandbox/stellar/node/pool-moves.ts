import type { OperationResultTrWire, OperationWire } from '@stellar/stellar-sdk/xdr';
import type { LiquidityPool } from '../core/entries.ts';
import { assetText, poolIdOf } from '../core/ledger-asset.ts';
import { depositOf } from '../core/operations/liquidity-pool.ts';
import { shareOf } from '../core/pool-entry.ts';
import { claimedBy } from '../transaction-xdr.ts';

/** What went into a pool or came out of it for shares; results do not say it. */
export interface PoolMove {
  readonly assetA: string;
  readonly assetB: string;
  readonly amountA: bigint;
  readonly amountB: bigint;
  readonly shares: bigint;
}

type Pool = Pick<LiquidityPool, 'id' | 'assetA' | 'assetB' | 'reserveA' | 'reserveB' | 'shares'>;

/** Follows the pools of a ledger from operation to operation. */
export interface PoolFollower {
  /** Takes in a successful operation, in the order of the ledger; answers what it moved for shares, if that is what it did. */
  follow(operation: OperationWire, result: OperationResultTrWire | null): PoolMove | null;
}

/** Begins with the pools as they were before the ledger. */
export function followPools(before: Iterable<LiquidityPool>): PoolFollower {
  const pools = new Map<string, Pool>([...before].map(pool => [pool.id, pool]));

  function trade(result: OperationResultTrWire | null): void {
    for (const atom of claimedBy(result)) {
      if (atom.type !== 2) continue;
      const { liquidityPoolId, assetSold, amountSold, amountBought } = atom.liquidityPool;
      const pool = pools.get(Buffer.from(liquidityPoolId).toString('hex'));
      if (pool === undefined) continue;
      const sellsA = assetText(assetSold) === pool.assetA;
      const [a, b] = sellsA ? [-amountSold, amountBought] : [amountBought, -amountSold];
      pools.set(pool.id, { ...pool, reserveA: pool.reserveA + a, reserveB: pool.reserveB + b });
    }
  }

  function change(pool: Pool | undefined, sign: 1n | -1n, moved: (pool: Pool) => Omit<PoolMove, 'assetA' | 'assetB'>) {
    if (pool === undefined) return null;
    const { amountA, amountB, shares } = moved(pool);
    pools.set(pool.id, {
      ...pool,
      reserveA: pool.reserveA + sign * amountA,
      reserveB: pool.reserveB + sign * amountB,
      shares: pool.shares + sign * shares,
    });
    return { assetA: pool.assetA, assetB: pool.assetB, amountA, amountB, shares };
  }

  return {
    follow: ({ body }, result) => {
      if (body.type === 6 && body.changeTrustOp.line.type === 3) {
        const { assetA, assetB } = body.changeTrustOp.line.liquidityPool.constantProduct;
        const empty = emptyPool(assetText(assetA), assetText(assetB));
        if (!pools.has(empty.id)) pools.set(empty.id, empty);
      } else if (body.type === 22) {
        const op = body.liquidityPoolDepositOp;
        return change(pools.get(Buffer.from(op.liquidityPoolId).toString('hex')), 1n, pool => depositOf(pool, op));
      } else if (body.type === 23) {
        const { liquidityPoolId, amount } = body.liquidityPoolWithdrawOp;
        return change(pools.get(Buffer.from(liquidityPoolId).toString('hex')), -1n, pool => ({
          amountA: shareOf(amount, pool.shares, pool.reserveA),
          amountB: shareOf(amount, pool.shares, pool.reserveB),
          shares: amount,
        }));
      } else trade(result);
      return null;
    },
  };
}

function emptyPool(assetA: string, assetB: string): Pool {
  return { id: poolIdOf(assetA, assetB), assetA, assetB, reserveA: 0n, reserveB: 0n, shares: 0n };
}
