import type { AllowTrustResultWire, SetTrustLineFlagsResultWire } from '@stellar/stellar-sdk/xdr';
import {
  accountAt,
  authorizedFlag,
  clawbackFlag,
  findLine,
  isAuthorized,
  maintainFlag,
  maintainsLiabilities,
} from '../state/balances.ts';
import { BrokenInvariant, type LiquidityPool, type Trustline } from '../state/entries.ts';
import {
  accountOf,
  assetText,
  isIssuer,
  isPoolShare,
  isValidAsset,
  native,
  newBalanceId,
  publicKeyOf,
} from '../state/identifiers.ts';
import { type LedgerState, lineKey } from '../state/ledger-state.ts';
import { forceReserve, type ReserveFault, releaseSubEntry, reserveFor } from '../state/reserves.ts';
import { leavePool, shareOf } from '../trading/liquidity-pool.ts';
import { deleteOffersWith } from '../trading/offer-conversion.ts';
import { defineOperation, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

const revocable = 2;
const authorization = authorizedFlag | maintainFlag;

const allowCode = { malformed: -1, noTrustLine: -2, cantRevoke: -4, lowReserve: -6 } as const;
const setCode = { malformed: -1, noTrustLine: -2, cantRevoke: -3, invalidState: -4, lowReserve: -5 } as const;

const isRevocable = ({ state, source }: OperationScope): boolean => (accountAt(state, source).flags & revocable) !== 0;

/**
 * Gives a line its new flags. Where it may no longer maintain liabilities its offers go, and its shares of pools become
 * claimable balances (CAP-29, CAP-38).
 */
function setFlags<R>(
  scope: OperationScope,
  line: Trustline,
  flags: number,
  result: { done: R; lowReserve: R },
): R | Refusal {
  const { state } = scope;
  if (maintainsLiabilities(line.flags) && !maintainsLiabilities(flags)) {
    deleteOffersWith(state, line.account, line.asset);
    const fault = redeemPoolShares(scope, line.account, line.asset);
    if (fault) return reserveRefusal(fault, result.lowReserve);
  }
  const key = lineKey(line.account, line.asset);
  state.lines.set(key, { ...(state.lines.get(key) ?? line), flags });
  return result.done;
}

/** Authorizes a line, lets it maintain liabilities only, or revokes it. */
export const allowTrust = defineOperation<7, AllowTrustResultWire>(7, {
  threshold: 'low',
  blank: { code: 0 },
  wrap: allowTrustResult => ({ type: 7, allowTrustResult }),
  check: ({ allowTrustOp: { asset, authorize, trustor } }, source) => {
    const issuer = publicKeyOf(source);
    const credit =
      asset.type === 1
        ? ({ type: 1, alphaNum4: { assetCode: asset.assetCode4, issuer } } as const)
        : ({ type: 2, alphaNum12: { assetCode: asset.assetCode12, issuer } } as const);
    const isBad = authorize > maintainFlag || !isValidAsset(credit) || accountOf(trustor) === source;
    return isBad ? { code: allowCode.malformed } : null;
  },
  apply: ({ allowTrustOp: { asset, authorize, trustor } }, scope) => {
    if (!isRevocable(scope) && authorize === 0) return { code: allowCode.cantRevoke };
    const code = asset.type === 1 ? asset.assetCode4 : asset.assetCode12;
    const text = Buffer.from(code).toString('latin1').replaceAll('\0', '');
    const line = scope.state.lines.get(lineKey(accountOf(trustor), `${text}:${scope.source}`));
    if (!line) return { code: allowCode.noTrustLine };
    const flags = (line.flags & ~authorization) | authorize;
    const lessens = isAuthorized(line) && (flags & maintainFlag) !== 0;
    if (lessens && !isRevocable(scope)) return { code: allowCode.cantRevoke };
    return setFlags<AllowTrustResultWire>(scope, line, flags, {
      done: { code: 0 },
      lowReserve: { code: allowCode.lowReserve },
    });
  },
});

/** Sets and clears flags of a line (CAP-35). */
export const setTrustLineFlags = defineOperation<21, SetTrustLineFlagsResultWire>(21, {
  threshold: 'low',
  blank: { code: 0 },
  wrap: setTrustLineFlagsResult => ({ type: 21, setTrustLineFlagsResult }),
  check: ({ setTrustLineFlagsOp: { asset, trustor, setFlags: set, clearFlags: clear } }, source) => {
    const ofSource = asset.type !== 0 && isValidAsset(asset) && isIssuer(source, assetText(asset));
    const isBad =
      !ofSource ||
      accountOf(trustor) === source ||
      (set & clear) !== 0 ||
      (set & ~authorization) !== 0 ||
      (set & authorization) === authorization ||
      (clear & ~(authorization | clawbackFlag)) !== 0;
    return isBad ? { code: setCode.malformed } : null;
  },
  apply: ({ setTrustLineFlagsOp: op }, scope) => {
    const clears = (op.clearFlags & authorization) !== 0;
    if (clears && (op.setFlags & authorizedFlag) === 0 && !isRevocable(scope)) return { code: setCode.cantRevoke };
    const line = scope.state.lines.get(lineKey(accountOf(op.trustor), assetText(op.asset)));
    if (!line) return { code: setCode.noTrustLine };
    const flags = (line.flags & ~op.clearFlags) | op.setFlags;
    if ((flags & authorization) === authorization) return { code: setCode.invalidState };
    return setFlags<SetTrustLineFlagsResultWire>(scope, line, flags, {
      done: { code: 0 },
      lowReserve: { code: setCode.lowReserve },
    });
  },
});

/** Turns what an account has in pools of an asset into claimable balances for it (CAP-38). */
function redeemPoolShares(scope: OperationScope, account: string, asset: string): ReserveFault | null {
  const { state } = scope;
  for (const line of state.linesOf(account)) {
    const pool = isPoolShare(line.asset) ? state.pools.get(line.asset) : undefined;
    if (!pool || (pool.assetA !== asset && pool.assetB !== asset)) continue;
    const fault = redeem(scope, line, pool);
    if (fault) return fault;
  }
  return null;
}

function redeem(scope: OperationScope, line: Trustline, pool: LiquidityPool): ReserveFault | null {
  const { state } = scope;
  releaseSubEntry(state, line.account, 2, line.sponsor);
  state.lines.delete(lineKey(line.account, line.asset));
  if (line.balance !== 0n) {
    const amountA = shareOf(line.balance, pool.shares, pool.reserveA);
    const amountB = shareOf(line.balance, pool.shares, pool.reserveB);
    const fault = redeemInto(scope, line, pool.assetA, amountA) ?? redeemInto(scope, line, pool.assetB, amountB);
    if (fault) return fault;
    state.pools.set(pool.id, {
      ...pool,
      shares: pool.shares - line.balance,
      reserveA: pool.reserveA - amountA,
      reserveB: pool.reserveB - amountB,
    });
  }
  leavePool(state, line.account, pool);
  return null;
}

/** Who paid for the line of shares pays for the balance, or who sponsors that one at the moment. */
function payerOf(state: LedgerState, backer: string): { sponsor: string } | { fault: ReserveFault } {
  if (state.sponsorships.get(backer) === undefined) {
    forceReserve(state, backer, 1);
    return { sponsor: backer };
  }
  const reserved = reserveFor(state, backer, 1);
  return reserved.fault ? { fault: reserved.fault } : { sponsor: reserved.sponsor ?? backer };
}

function redeemInto(
  scope: OperationScope,
  { account, asset: poolId, sponsor }: Trustline,
  asset: string,
  amount: bigint,
): ReserveFault | null {
  const { state } = scope;
  if (amount === 0n || isIssuer(account, asset)) return null;
  const line = asset === native ? null : findLine(state, account, asset);
  if (asset !== native && (line === null || line === 'issuer')) throw new BrokenInvariant('asset trustline is missing');
  const clawback = line !== null && line !== 'issuer' && (line.flags & clawbackFlag) !== 0;
  const payer = payerOf(state, sponsor ?? account);
  if ('fault' in payer) return payer.fault;
  const id = newBalanceId(scope, { poolId, asset });
  const claimants = [{ destination: account, predicate: { type: 0 } as const }];
  state.balances.set(id, { id, asset, amount, claimants, clawback, sponsor: payer.sponsor, lastModified: 0 });
  return null;
}
