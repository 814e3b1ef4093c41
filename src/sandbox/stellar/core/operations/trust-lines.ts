import type { ChangeTrustOpWire, ChangeTrustResultWire } from '@stellar/stellar-sdk/xdr';
import { authorizedFlag, clawbackFlag, findLine, mayMaintain } from '../state/balances.ts';
import type { Trustline } from '../state/entries.ts';
import { assetText, isIssuer, isPoolShare, issuerOf, isValidLine, poolIdOf } from '../state/identifiers.ts';
import { type LedgerState, lineKey } from '../state/ledger-state.ts';
import { releaseSubEntry, reserveSubEntry } from '../state/reserves.ts';
import { changePoolUse, joinPool, leavePool, type PoolAssets } from '../trading/liquidity-pool.ts';
import { defineOperation, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

const code = {
  success: 0,
  malformed: -1,
  noIssuer: -2,
  invalidLimit: -3,
  lowReserve: -4,
  trustLineMissing: -6,
  cannotDelete: -7,
  notAuthMaintainLiabilities: -8,
} as const;

const accountFlags = { required: 1, clawback: 8 };

/** The line that is asked for. */
interface LineOrder {
  readonly asset: string;
  /** Of pool shares, what the pool is of. */
  readonly pool: PoolAssets | null;
  readonly limit: bigint;
}

function orderOf({ line, limit }: ChangeTrustOpWire): LineOrder {
  if (line.type !== 3) return { asset: assetText(line), pool: null, limit };
  const { assetA, assetB } = line.liquidityPool.constantProduct;
  const pool = { assetA: assetText(assetA), assetB: assetText(assetB) };
  return { asset: poolIdOf(pool.assetA, pool.assetB), pool, limit };
}

/** What a sub entry of this line weighs: shares count twice (CAP-38). */
const reservesOf = (asset: string): number => (isPoolShare(asset) ? 2 : 1);

function changeLine(state: LedgerState, line: Trustline, { asset, pool, limit }: LineOrder): ChangeTrustResultWire {
  if (limit < line.balance + line.buying) return { code: code.invalidLimit };
  const key = lineKey(line.account, asset);
  if (limit > 0n) {
    const issuer = issuerOf(asset);
    if (issuer !== null && !state.accounts.get(issuer)) return { code: code.noIssuer };
    state.lines.set(key, { ...line, limit });
    return { code: code.success };
  }
  if (line.poolUses !== 0) return { code: code.cannotDelete };
  releaseSubEntry(state, line.account, reservesOf(asset), line.sponsor);
  state.lines.delete(key);
  if (pool) leavePool(state, line.account, pool);
  return { code: code.success };
}

/** The flags a line begins with: what its issuer asks for. */
function firstFlags(state: LedgerState, asset: string): number | null {
  const name = issuerOf(asset);
  if (name === null) return 0;
  const issuer = state.accounts.get(name);
  if (!issuer) return null;
  const authorized = issuer.flags & accountFlags.required ? 0 : authorizedFlag;
  return authorized | (issuer.flags & accountFlags.clawback ? clawbackFlag : 0);
}

/** A line of shares needs lines for both assets, which must at least maintain liabilities. */
function poolFault(state: LedgerState, account: string, pool: PoolAssets): ChangeTrustResultWire | null {
  for (const asset of [pool.assetA, pool.assetB]) {
    if (issuerOf(asset) === null) continue;
    const line = findLine(state, account, asset);
    if (line === null) return { code: code.trustLineMissing };
    if (!mayMaintain(line)) return { code: code.notAuthMaintainLiabilities };
    changePoolUse(state, account, asset, 1);
  }
  return null;
}

function addLine(
  { state, source }: OperationScope,
  { asset, pool, limit }: LineOrder,
): ChangeTrustResultWire | Refusal {
  if (limit === 0n) return { code: code.invalidLimit };
  const flags = firstFlags(state, asset);
  if (flags === null) return { code: code.noIssuer };
  if (pool) {
    const fault = poolFault(state, source, pool);
    if (fault) return fault;
    joinPool(state, pool);
  }
  const reserved = reserveSubEntry(state, source, reservesOf(asset));
  if (reserved.fault) return reserveRefusal(reserved.fault, { code: code.lowReserve });
  const amounts = { balance: 0n, limit, buying: 0n, selling: 0n };
  const { sponsor } = reserved;
  state.lines.set(lineKey(source, asset), {
    account: source,
    asset,
    ...amounts,
    flags,
    poolUses: 0,
    sponsor,
    lastModified: 0,
  });
  return { code: code.success };
}

/** Adds, changes or deletes a trust line, to credit or to the shares of a pool. */
export const changeTrust = defineOperation<6, ChangeTrustResultWire>(6, {
  threshold: 'medium',
  blank: { code: 0 },
  wrap: changeTrustResult => ({ type: 6, changeTrustResult }),
  check: ({ changeTrustOp: { line, limit } }, source) => {
    const isBad = limit < 0n || line.type === 0 || !isValidLine(line);
    return isBad || (line.type !== 3 && isIssuer(source, assetText(line))) ? { code: code.malformed } : null;
  },
  apply: ({ changeTrustOp }, scope) => {
    const order = orderOf(changeTrustOp);
    const line = scope.state.lines.get(lineKey(scope.source, order.asset));
    return line ? changeLine(scope.state, line, order) : addLine(scope, order);
  },
});
