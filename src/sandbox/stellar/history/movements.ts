import type { OperationResultTrWire, OperationWire } from '@stellar/stellar-sdk/xdr';
import type { LiquidityPool } from '../core/state/entries.ts';
import { assetText, balanceIdText, poolIdOf } from '../core/state/identifiers.ts';
import { depositOf, shareOf } from '../core/trading/liquidity-pool.ts';
import { claimedBy } from './decoded-transaction.ts';

/** Some of an asset, in stroops. */
export interface Held {
  readonly asset: string;
  readonly amount: bigint;
}

/**
 * What an operation moved where neither envelope nor result says it: into a pool or out of it, for shares, or out of a
 * claimable balance.
 */
export interface Movement {
  readonly assets: readonly Held[];
  /** Shares of a pool that were given or taken for them. */
  readonly shares: bigint | null;
}

/** What the ledger held before: pools, and the claimable balances that were used up. */
export interface HeldBefore {
  readonly pools: Iterable<LiquidityPool>;
  readonly balances: ReadonlyMap<string, Held>;
}

/** Follows pools and claimable balances through a ledger, from operation to operation. */
export interface MovementFollower {
  /** Takes in a successful operation, in the order of the ledger; answers what it moved, if it is of such a kind. */
  follow(operation: OperationWire, result: OperationResultTrWire | null): Movement | null;
}

/** Begins with what was there before the ledger. */
export function followMovements(before: HeldBefore): MovementFollower {
  const pools = createPools(before.pools);
  const balances = new Map(before.balances);
  return {
    follow: ({ body }, result) => {
      switch (body.type) {
        case 6:
          if (body.changeTrustOp.line.type === 3) pools.open(body.changeTrustOp.line.liquidityPool.constantProduct);
          return null;
        case 14: {
          const created = result?.type === 14 ? result.createClaimableBalanceResult : null;
          const { asset, amount } = body.createClaimableBalanceOp;
          if (created?.code === 0) balances.set(balanceIdText(created.balanceId), { asset: assetText(asset), amount });
          return null;
        }
        case 15:
          return outOf(balances, balanceIdText(body.claimClaimableBalanceOp.balanceId));
        case 20:
          return outOf(balances, balanceIdText(body.clawbackClaimableBalanceOp.balanceId));
        case 22:
          return pools.deposit(body.liquidityPoolDepositOp);
        case 23:
          return pools.withdraw(body.liquidityPoolWithdrawOp);
        default:
          pools.trade(result);
          return null;
      }
    },
  };
}

function outOf(balances: ReadonlyMap<string, Held>, id: string): Movement | null {
  const held = balances.get(id);
  return held === undefined ? null : { assets: [held], shares: null };
}

type Pool = Pick<LiquidityPool, 'id' | 'assetA' | 'assetB' | 'reserveA' | 'reserveB' | 'shares'>;
type Body<Type extends number> = Extract<OperationWire['body'], { type: Type }>;
type PoolAssets = Extract<Body<6>['changeTrustOp']['line'], { type: 3 }>['liquidityPool']['constantProduct'];

function createPools(before: Iterable<LiquidityPool>) {
  const pools = new Map<string, Pool>([...before].map(pool => [pool.id, pool]));
  const poolOf = (id: Uint8Array) => pools.get(Buffer.from(id).toString('hex'));

  /** Adds to the pool, or takes away where the amounts are below zero. */
  function change(pool: Pool, amountA: bigint, amountB: bigint, shares: bigint): void {
    pools.set(pool.id, {
      ...pool,
      reserveA: pool.reserveA + amountA,
      reserveB: pool.reserveB + amountB,
      shares: pool.shares + shares,
    });
  }

  return {
    open: (assets: PoolAssets): void => {
      const [assetA, assetB] = [assetText(assets.assetA), assetText(assets.assetB)];
      const id = poolIdOf(assetA, assetB);
      if (!pools.has(id)) pools.set(id, { id, assetA, assetB, reserveA: 0n, reserveB: 0n, shares: 0n });
    },
    trade: (result: OperationResultTrWire | null): void => {
      for (const atom of claimedBy(result)) {
        if (atom.type !== 2) continue;
        const { liquidityPoolId, assetSold, amountSold, amountBought } = atom.liquidityPool;
        const pool = poolOf(liquidityPoolId);
        if (pool === undefined) continue;
        if (assetText(assetSold) === pool.assetA) change(pool, -amountSold, amountBought, 0n);
        else change(pool, amountBought, -amountSold, 0n);
      }
    },
    deposit: (op: Body<22>['liquidityPoolDepositOp']): Movement | null => {
      const pool = poolOf(op.liquidityPoolId);
      if (pool === undefined) return null;
      const { amountA, amountB, shares } = depositOf(pool, op);
      change(pool, amountA, amountB, shares);
      return movement(pool, amountA, amountB, shares);
    },
    withdraw: ({ liquidityPoolId, amount }: Body<23>['liquidityPoolWithdrawOp']): Movement | null => {
      const pool = poolOf(liquidityPoolId);
      if (pool === undefined) return null;
      const amountA = shareOf(amount, pool.shares, pool.reserveA);
      const amountB = shareOf(amount, pool.shares, pool.reserveB);
      change(pool, -amountA, -amountB, -amount);
      return movement(pool, amountA, amountB, amount);
    },
  };
}

function movement({ assetA, assetB }: Pool, amountA: bigint, amountB: bigint, shares: bigint): Movement {
  return {
    assets: [
      { asset: assetA, amount: amountA },
      { asset: assetB, amount: amountB },
    ],
    shares,
  };
}
