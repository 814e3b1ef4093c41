import type { AllowTrustResultWire, ClawbackResultWire, SetTrustLineFlagsResultWire } from '@stellar/stellar-sdk/xdr';
import {
  accountAt,
  addCredit,
  authorizationFlags,
  findLine,
  isAuthorized,
  maintainsLiabilities,
} from '../state/balances.ts';
import { accountFlag, BrokenInvariant, type LiquidityPool, lineFlag, type Trustline } from '../state/entries.ts';
import {
  accountOf,
  allowTrustAsset,
  assetText,
  isIssuer,
  isPoolShare,
  isValidAsset,
  lineKey,
  native,
  newBalanceId,
} from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { forceReserve, type ReserveFault, releaseSubEntry, reserveBalance } from '../state/reserves.ts';
import { deleteOffersWith } from '../trading/conversion.ts';
import { leavePool, shareOf } from '../trading/liquidity-pool.ts';
import { defineOperation, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

const allowCode = { malformed: -1, noTrustLine: -2, cantRevoke: -4, lowReserve: -6 } as const;
const setCode = { malformed: -1, noTrustLine: -2, cantRevoke: -3, invalidState: -4, lowReserve: -5 } as const;
const clawbackCode = { malformed: -1, notEnabled: -2, noTrust: -3, underfunded: -4 } as const;

const isRevocable = ({ state, source }: OperationScope): boolean =>
  (accountAt(state, source).flags & accountFlag.revocable) !== 0;

/**
 * Sets the flags of a trust line. If the line may no longer maintain liabilities, the holder’s offers in the asset are
 * deleted (CAP-3). The holder’s shares of the asset’s pools then become claimable balances (CAP-38).
 */
function setFlags<R>(scope: OperationScope, line: Trustline, flags: number, lowReserve: R): { code: 0 } | R | Refusal {
  const { state } = scope;
  if (maintainsLiabilities(line.flags) && !maintainsLiabilities(flags)) {
    deleteOffersWith(state, line.account, line.asset);
    const fault = redeemPoolShares(scope, line.account, line.asset);
    if (fault) return reserveRefusal(fault, lowReserve);
  }
  const key = lineKey(line.account, line.asset);
  state.lines.set(key, { ...(state.lines.get(key) ?? line), flags });
  return { code: 0 };
}

export const allowTrust = defineOperation<7, AllowTrustResultWire>(7, {
  threshold: 'low',
  wrap: allowTrustResult => ({ type: 7, allowTrustResult }),
  check: ({ allowTrustOp: { asset, authorize, trustor } }, source) => {
    const isBad =
      authorize > lineFlag.maintainLiabilities ||
      !isValidAsset(allowTrustAsset(asset, source)) ||
      accountOf(trustor) === source;
    return isBad ? { code: allowCode.malformed } : null;
  },
  apply: ({ allowTrustOp: { asset, authorize, trustor } }, scope) => {
    if (!isRevocable(scope) && authorize === 0) return { code: allowCode.cantRevoke };
    const text = assetText(allowTrustAsset(asset, scope.source));
    const line = scope.state.lines.get(lineKey(accountOf(trustor), text));
    if (!line) return { code: allowCode.noTrustLine };
    const flags = (line.flags & ~authorizationFlags) | authorize;
    const lessens = isAuthorized(line) && (flags & lineFlag.maintainLiabilities) !== 0;
    if (lessens && !isRevocable(scope)) return { code: allowCode.cantRevoke };
    return setFlags(scope, line, flags, { code: allowCode.lowReserve });
  },
});

export const setTrustLineFlags = defineOperation<21, SetTrustLineFlagsResultWire>(21, {
  threshold: 'low',
  wrap: setTrustLineFlagsResult => ({ type: 21, setTrustLineFlagsResult }),
  check: ({ setTrustLineFlagsOp: { asset, trustor, setFlags: set, clearFlags: clear } }, source) => {
    const ofSource = asset.type !== 0 && isValidAsset(asset) && isIssuer(source, assetText(asset));
    const isBad =
      !ofSource ||
      accountOf(trustor) === source ||
      (set & clear) !== 0 ||
      (set & ~authorizationFlags) !== 0 ||
      (set & authorizationFlags) === authorizationFlags ||
      (clear & ~(authorizationFlags | lineFlag.clawback)) !== 0;
    return isBad ? { code: setCode.malformed } : null;
  },
  apply: ({ setTrustLineFlagsOp: op }, scope) => {
    const clears = (op.clearFlags & authorizationFlags) !== 0;
    if (clears && (op.setFlags & lineFlag.authorized) === 0 && !isRevocable(scope)) return { code: setCode.cantRevoke };
    const line = scope.state.lines.get(lineKey(accountOf(op.trustor), assetText(op.asset)));
    if (!line) return { code: setCode.noTrustLine };
    const flags = (line.flags & ~op.clearFlags) | op.setFlags;
    if ((flags & authorizationFlags) === authorizationFlags) return { code: setCode.invalidState };
    return setFlags(scope, line, flags, { code: setCode.lowReserve });
  },
});

/** Takes credit back from a trust line (CAP-35). */
export const clawback = defineOperation<19, ClawbackResultWire>(19, {
  wrap: clawbackResult => ({ type: 19, clawbackResult }),
  check: ({ clawbackOp: { asset, from, amount } }, source) => {
    const ofSource = asset.type !== 0 && isValidAsset(asset) && isIssuer(source, assetText(asset));
    // stellar-core does not recognize the source’s muxed address here. Such an operation fails later with `noTrust`.
    const isSelf = from.type === 0 && accountOf(from) === source;
    return isSelf || amount < 1n || !ofSource ? { code: clawbackCode.malformed } : null;
  },
  apply: ({ clawbackOp: { asset, from, amount } }, { state }) => {
    const line = state.lines.get(lineKey(accountOf(from), assetText(asset)));
    if (!line) return { code: clawbackCode.noTrust };
    if (!(line.flags & lineFlag.clawback)) return { code: clawbackCode.notEnabled };
    return addCredit(state, line, -amount) ? { code: 0 } : { code: clawbackCode.underfunded };
  },
});

/** Converts an account’s shares of all pools of an asset to claimable balances (CAP-38). */
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

/** Takes the reserve of a new claimable balance from `payer`, or from its current sponsor. */
function takeReserve(state: LedgerState, payer: string): { sponsor: string } | { fault: ReserveFault } {
  if (state.sponsorships.get(payer) === undefined) {
    forceReserve(state, payer, 1);
    return { sponsor: payer };
  }
  const reserved = reserveBalance(state, payer, 1);
  return reserved.fault ? { fault: reserved.fault } : { sponsor: reserved.sponsor ?? payer };
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
  const isClawback = line !== null && line !== 'issuer' && (line.flags & lineFlag.clawback) !== 0;
  const reserved = takeReserve(state, sponsor ?? account);
  if ('fault' in reserved) return reserved.fault;
  const id = newBalanceId(scope, { poolId, asset });
  const claimants = [{ destination: account, predicate: { type: 0 } as const }];
  const balance = { id, asset, amount, claimants, clawback: isClawback, sponsor: reserved.sponsor, lastModified: 0 };
  state.balances.set(id, balance);
  return null;
}
