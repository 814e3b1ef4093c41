import type {
  ClaimClaimableBalanceResultWire,
  ClaimPredicateWire,
  ClawbackClaimableBalanceResultWire,
  CreateClaimableBalanceOpWire,
  CreateClaimableBalanceResultWire,
} from '@stellar/stellar-sdk/xdr';
import { accountAt, credit, debit, findLine } from '../state/balances.ts';
import { accountFlag, BrokenInvariant, type ClaimableBalance, lineFlag, maxAmount } from '../state/entries.ts';
import {
  accountOf,
  assetText,
  balanceIdText,
  balanceIdWire,
  isIssuer,
  isValidAsset,
  native,
  newBalanceId,
} from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { releaseSponsored, reserveBalance } from '../state/reserves.ts';
import { defineOperation, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

const createCode = { malformed: -1, lowReserve: -2 } as const;
const debitCode = { no_trust: -3, not_authorized: -4, underfunded: -5 } as const;
const claimCode = { doesNotExist: -1, cannotClaim: -2 } as const;
const creditCode = { line_full: -3, no_trust: -4, not_authorized: -5 } as const;
const clawbackCode = { doesNotExist: -1, notIssuer: -2, notEnabled: -3 } as const;

/** Whether the issuer may claw back a balance that this account creates (CAP-35). */
function isClawbackEnabled(state: LedgerState, account: string, asset: string): boolean {
  if (asset === native) return false;
  const line = findLine(state, account, asset);
  if (line === 'issuer') return (accountAt(state, account).flags & accountFlag.clawback) !== 0;
  return line !== null && (line.flags & lineFlag.clawback) !== 0;
}

function create(op: CreateClaimableBalanceOpWire, scope: OperationScope): CreateClaimableBalanceResultWire | Refusal {
  const { state, source } = scope;
  const asset = assetText(op.asset);
  const short = debit(state, source, asset, op.amount);
  if (short) return { code: debitCode[short] };
  const clawback = isClawbackEnabled(state, source, asset);
  const reserved = reserveBalance(state, source, op.claimants.length);
  if (reserved.fault) return reserveRefusal(reserved.fault, { code: createCode.lowReserve });
  const id = newBalanceId(scope);
  const claimants = op.claimants.map(({ v0: { destination, predicate } }) => ({
    destination: accountOf(destination),
    predicate: absolutePredicate(predicate, state.header.closeTime),
  }));
  const { sponsor } = reserved;
  state.balances.set(id, { id, asset, amount: op.amount, claimants, clawback, sponsor, lastModified: 0 });
  return { code: 0, balanceId: balanceIdWire(id) };
}

/** Creates a balance that its claimants may take (CAP-23). */
export const createClaimableBalance = defineOperation<14, CreateClaimableBalanceResultWire>(14, {
  blank: { code: 0, balanceId: { type: 0, v0: new Uint8Array(32) } },
  wrap: createClaimableBalanceResult => ({ type: 14, createClaimableBalanceResult }),
  check: ({ createClaimableBalanceOp: { asset, amount, claimants } }) => {
    const destinations = new Set(claimants.map(({ v0 }) => accountOf(v0.destination)));
    const predicates: readonly ClaimPredicateWire[] = claimants.map(({ v0 }) => v0.predicate);
    const isBad =
      !isValidAsset(asset) ||
      amount <= 0n ||
      claimants.length === 0 ||
      destinations.size < claimants.length ||
      !predicates.every(predicate => isValidPredicate(predicate));
    return isBad ? { code: createCode.malformed } : null;
  },
  apply: ({ createClaimableBalanceOp }, scope) => create(createClaimableBalanceOp, scope),
});

export const claimClaimableBalance = defineOperation<15, ClaimClaimableBalanceResultWire>(15, {
  threshold: 'low',
  wrap: claimClaimableBalanceResult => ({ type: 15, claimClaimableBalanceResult }),
  apply: ({ claimClaimableBalanceOp }, scope) => {
    const { state, source } = scope;
    const balance = state.balances.get(balanceIdText(claimClaimableBalanceOp.balanceId));
    if (!balance) return { code: claimCode.doesNotExist };
    const claimant = balance.claimants.find(({ destination }) => destination === source);
    if (!claimant || !mayClaim(claimant.predicate, state.header.closeTime)) return { code: claimCode.cannotClaim };
    const full = credit(state, source, balance.asset, balance.amount);
    if (full) return { code: creditCode[full] };
    remove(scope, balance);
    return { code: 0 };
  },
});

/** Destroys a claimable balance whose asset the source issued (CAP-35). */
export const clawbackClaimableBalance = defineOperation<20, ClawbackClaimableBalanceResultWire>(20, {
  wrap: clawbackClaimableBalanceResult => ({ type: 20, clawbackClaimableBalanceResult }),
  apply: ({ clawbackClaimableBalanceOp }, scope) => {
    const balance = scope.state.balances.get(balanceIdText(clawbackClaimableBalanceOp.balanceId));
    if (!balance) return { code: clawbackCode.doesNotExist };
    if (!isIssuer(scope.source, balance.asset)) return { code: clawbackCode.notIssuer };
    if (!balance.clawback) return { code: clawbackCode.notEnabled };
    remove(scope, balance);
    return { code: 0 };
  },
});

function remove({ state, reportMovement }: OperationScope, balance: ClaimableBalance): void {
  const { id, asset, amount, sponsor, claimants } = balance;
  releaseSponsored(state, sponsor, claimants.length);
  state.balances.delete(id);
  reportMovement({ assets: [{ asset, amount }], shares: null });
}

/** The maximum depth of a predicate, including the innermost predicates. */
const maxDepth = 4;

/** Whether the predicate is valid (CAP-23): not too deep, two predicates in each `and` and `or`, no negative times. */
function isValidPredicate(predicate: ClaimPredicateWire, depth = 1): boolean {
  if (depth > maxDepth) return false;
  switch (predicate.type) {
    case 0:
      return true;
    case 1:
      return isValidPair(predicate.andPredicates, depth + 1);
    case 2:
      return isValidPair(predicate.orPredicates, depth + 1);
    case 3:
      return predicate.notPredicate !== null && isValidPredicate(predicate.notPredicate, depth + 1);
    case 4:
      return predicate.absBefore >= 0n;
    case 5:
      return predicate.relBefore >= 0n;
  }
}

const isValidPair = (predicates: readonly ClaimPredicateWire[], depth: number): boolean =>
  predicates.length === 2 && predicates.every(predicate => isValidPredicate(predicate, depth));

/** The predicate in its stored form: relative times become absolute. */
function absolutePredicate(predicate: ClaimPredicateWire, closeTime: bigint): ClaimPredicateWire {
  const absolute = (inner: ClaimPredicateWire) => absolutePredicate(inner, closeTime);
  switch (predicate.type) {
    case 1:
      return { type: 1, andPredicates: predicate.andPredicates.map(absolute) };
    case 2:
      return { type: 2, orPredicates: predicate.orPredicates.map(absolute) };
    case 3:
      return { type: 3, notPredicate: predicate.notPredicate && absolute(predicate.notPredicate) };
    case 5: {
      const absBefore = closeTime + predicate.relBefore;
      return { type: 4, absBefore: absBefore > maxAmount ? maxAmount : absBefore };
    }
    default:
      return predicate;
  }
}

function mayClaim(predicate: ClaimPredicateWire, closeTime: bigint): boolean {
  switch (predicate.type) {
    case 0:
      return true;
    case 1:
      return predicate.andPredicates.every(inner => mayClaim(inner, closeTime));
    case 2:
      return predicate.orPredicates.some(inner => mayClaim(inner, closeTime));
    case 3:
      return predicate.notPredicate !== null && !mayClaim(predicate.notPredicate, closeTime);
    case 4:
      return predicate.absBefore > closeTime;
    case 5:
      throw new BrokenInvariant('Invalid ClaimPredicate');
  }
}
