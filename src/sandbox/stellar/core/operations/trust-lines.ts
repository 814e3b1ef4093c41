import type { ChangeTrustOpWire, ChangeTrustResultWire } from '@stellar/stellar-sdk/xdr';
import { findLine, mayMaintain } from '../state/balances.ts';
import { accountFlag, lineFlag, type Trustline } from '../state/entries.ts';
import { assetText, isIssuer, isPoolShare, issuerOf, isValidLine, lineKey, poolIdOf } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { releaseSubEntry, reserveSubEntry } from '../state/reserves.ts';
import { changePoolUse, joinPool, leavePool, type PoolAssets } from '../trading/liquidity-pool.ts';
import { defineOperation, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

const code = {
  malformed: -1,
  noIssuer: -2,
  invalidLimit: -3,
  lowReserve: -4,
  trustLineMissing: -6,
  cannotDelete: -7,
  notAuthMaintainLiabilities: -8,
} as const;

interface LineTerms {
  readonly asset: string;
  /** The pool’s assets, if the trust line is for pool shares. Otherwise null. */
  readonly pool: PoolAssets | null;
  readonly limit: bigint;
}

function termsOf({ line, limit }: ChangeTrustOpWire): LineTerms {
  if (line.type !== 3) return { asset: assetText(line), pool: null, limit };
  const { assetA, assetB } = line.liquidityPool.constantProduct;
  const pool = { assetA: assetText(assetA), assetB: assetText(assetB) };
  return { asset: poolIdOf(pool.assetA, pool.assetB), pool, limit };
}

/** Number of reserves of a trust line: 2 for pool shares (CAP-38), otherwise 1. */
export const lineReserves = (asset: string): number => (isPoolShare(asset) ? 2 : 1);

function changeLine(state: LedgerState, line: Trustline, { asset, pool, limit }: LineTerms): ChangeTrustResultWire {
  if (limit < line.balance + line.buying) return { code: code.invalidLimit };
  const key = lineKey(line.account, asset);
  if (limit > 0n) {
    const issuer = issuerOf(asset);
    if (issuer !== null && !state.accounts.get(issuer)) return { code: code.noIssuer };
    state.lines.set(key, { ...line, limit });
    return { code: 0 };
  }
  if (line.poolUses !== 0) return { code: code.cannotDelete };
  releaseSubEntry(state, line.account, lineReserves(asset), line.sponsor);
  state.lines.delete(key);
  if (pool) leavePool(state, line.account, pool);
  return { code: 0 };
}

/** The flags of a new trust line. Its issuer’s flags determine them. Null if the issuer does not exist. */
function initialFlags(state: LedgerState, asset: string): number | null {
  const issuerId = issuerOf(asset);
  if (issuerId === null) return 0;
  const issuer = state.accounts.get(issuerId);
  if (!issuer) return null;
  const authorized = issuer.flags & accountFlag.required ? 0 : lineFlag.authorized;
  return authorized | (issuer.flags & accountFlag.clawback ? lineFlag.clawback : 0);
}

/**
 * A pool share trust line needs a trust line for each issued asset. Each must be authorized at least to maintain
 * liabilities. Counts the pool in these trust lines.
 */
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
  { asset, pool, limit }: LineTerms,
): ChangeTrustResultWire | Refusal {
  if (limit === 0n) return { code: code.invalidLimit };
  const flags = initialFlags(state, asset);
  if (flags === null) return { code: code.noIssuer };
  if (pool) {
    const fault = poolFault(state, source, pool);
    if (fault) return fault;
    joinPool(state, pool);
  }
  const reserved = reserveSubEntry(state, source, lineReserves(asset));
  if (reserved.fault) return reserveRefusal(reserved.fault, { code: code.lowReserve });
  state.lines.set(lineKey(source, asset), {
    account: source,
    asset,
    limit,
    flags,
    poolUses: 0,
    sponsor: reserved.sponsor,
    balance: 0n,
    buying: 0n,
    selling: 0n,
    lastModified: 0,
  });
  return { code: 0 };
}

export const changeTrust = defineOperation<6, ChangeTrustResultWire>(6, {
  wrap: changeTrustResult => ({ type: 6, changeTrustResult }),
  check: ({ changeTrustOp: { line, limit } }, source) => {
    const isBad = limit < 0n || line.type === 0 || !isValidLine(line);
    return isBad || (line.type !== 3 && isIssuer(source, assetText(line))) ? { code: code.malformed } : null;
  },
  apply: ({ changeTrustOp }, scope) => {
    const terms = termsOf(changeTrustOp);
    const line = scope.state.lines.get(lineKey(scope.source, terms.asset));
    return line ? changeLine(scope.state, line, terms) : addLine(scope, terms);
  },
});
