import type {
  ClaimClaimableBalanceResultWire,
  ClaimPredicateWire,
  ClawbackClaimableBalanceResultWire,
  ClawbackResultWire,
  CreateClaimableBalanceOpWire,
  CreateClaimableBalanceResultWire,
} from '@stellar/stellar-sdk/xdr';
import { accountAt, addCredit, clawbackFlag, credit, debit, findLine } from '../state/balances.ts';
import { BrokenInvariant, maxAmount } from '../state/entries.ts';
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
import { type LedgerState, lineKey } from '../state/ledger-state.ts';
import { releaseFor, reserveFor } from '../state/reserves.ts';
import { defineOperation, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

const createCode = { malformed: -1, lowReserve: -2 } as const;
const debitFaults = { no_trust: -3, not_authorized: -4, underfunded: -5 } as const;
const claimCode = { doesNotExist: -1, cannotClaim: -2 } as const;
const creditFaults = { line_full: -3, no_trust: -4, not_authorized: -5 } as const;

const clawbackAccountFlag = 8;

/** Whether the issuer may take a balance of this account’s credit back (CAP-35). */
function isClawbackEnabled(state: LedgerState, account: string, asset: string): boolean {
  if (asset === native) return false;
  const line = findLine(state, account, asset);
  if (line === 'issuer') return (accountAt(state, account).flags & clawbackAccountFlag) !== 0;
  return line !== null && (line.flags & clawbackFlag) !== 0;
}

function create(op: CreateClaimableBalanceOpWire, scope: OperationScope): CreateClaimableBalanceResultWire | Refusal {
  const { state, source } = scope;
  const asset = assetText(op.asset);
  const short = debit(state, source, asset, op.amount);
  if (short) return { code: debitFaults[short] };
  const clawback = isClawbackEnabled(state, source, asset);
  const reserved = reserveFor(state, source, op.claimants.length);
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

/** Sets an amount aside for claimants (CAP-23). */
export const createClaimableBalance = defineOperation<14, CreateClaimableBalanceResultWire>(14, {
  threshold: 'medium',
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
      !predicates.every(predicate => isPredicate(predicate));
    return isBad ? { code: createCode.malformed } : null;
  },
  apply: ({ createClaimableBalanceOp }, scope) => create(createClaimableBalanceOp, scope),
});

/** Takes the whole of a claimable balance. */
export const claimClaimableBalance = defineOperation<15, ClaimClaimableBalanceResultWire>(15, {
  threshold: 'low',
  blank: { code: 0 },
  wrap: claimClaimableBalanceResult => ({ type: 15, claimClaimableBalanceResult }),
  apply: ({ claimClaimableBalanceOp }, { state, source }) => {
    const id = balanceIdText(claimClaimableBalanceOp.balanceId);
    const balance = state.balances.get(id);
    if (!balance) return { code: claimCode.doesNotExist };
    const claimant = balance.claimants.find(({ destination }) => destination === source);
    if (!claimant || !mayClaim(claimant.predicate, state.header.closeTime)) return { code: claimCode.cannotClaim };
    const full = credit(state, source, balance.asset, balance.amount);
    if (full) return { code: creditFaults[full] };
    releaseFor(state, balance.sponsor, balance.claimants.length);
    state.balances.delete(id);
    return { code: 0 };
  },
});

const lineCode = { malformed: -1, notEnabled: -2, noTrust: -3, underfunded: -4 } as const;
const balanceCode = { doesNotExist: -1, notIssuer: -2, notEnabled: -3 } as const;

/** Takes credit back from a line (CAP-35). */
export const clawback = defineOperation<19, ClawbackResultWire>(19, {
  threshold: 'medium',
  blank: { code: 0 },
  wrap: clawbackResult => ({ type: 19, clawbackResult }),
  check: ({ clawbackOp: { asset, from, amount } }, source) => {
    const ofSource = asset.type !== 0 && isValidAsset(asset) && isIssuer(source, assetText(asset));
    // A muxed spelling of the issuer is not noticed here, as in stellar-core: it has no line.
    const isSelf = from.type === 0 && accountOf(from) === source;
    return isSelf || amount < 1n || !ofSource ? { code: lineCode.malformed } : null;
  },
  apply: ({ clawbackOp: { asset, from, amount } }, { state }) => {
    const line = state.lines.get(lineKey(accountOf(from), assetText(asset)));
    if (!line) return { code: lineCode.noTrust };
    if (!(line.flags & clawbackFlag)) return { code: lineCode.notEnabled };
    return addCredit(state, line, -amount) ? { code: 0 } : { code: lineCode.underfunded };
  },
});

/** Destroys a claimable balance of the source’s credit. */
export const clawbackClaimableBalance = defineOperation<20, ClawbackClaimableBalanceResultWire>(20, {
  threshold: 'medium',
  blank: { code: 0 },
  wrap: clawbackClaimableBalanceResult => ({ type: 20, clawbackClaimableBalanceResult }),
  apply: ({ clawbackClaimableBalanceOp }, { state, source }) => {
    const id = balanceIdText(clawbackClaimableBalanceOp.balanceId);
    const balance = state.balances.get(id);
    if (!balance) return { code: balanceCode.doesNotExist };
    if (!isIssuer(source, balance.asset)) return { code: balanceCode.notIssuer };
    if (!balance.clawback) return { code: balanceCode.notEnabled };
    releaseFor(state, balance.sponsor, balance.claimants.length);
    state.balances.delete(id);
    return { code: 0 };
  },
});

/** Levels of `and`, `or` and `not` that a predicate may have. */
const deepest = 4;

/** Whether the predicate is one that can be kept: two branches each, times not negative (CAP-23). */
function isPredicate(predicate: ClaimPredicateWire, depth = 1): boolean {
  if (depth > deepest) return false;
  switch (predicate.type) {
    case 0:
      return true;
    case 1:
      return isPair(predicate.andPredicates, depth + 1);
    case 2:
      return isPair(predicate.orPredicates, depth + 1);
    case 3:
      return predicate.notPredicate !== null && isPredicate(predicate.notPredicate, depth + 1);
    case 4:
      return predicate.absBefore >= 0n;
    case 5:
      return predicate.relBefore >= 0n;
  }
}

const isPair = (predicates: readonly ClaimPredicateWire[], depth: number): boolean =>
  predicates.length === 2 && predicates.every(predicate => isPredicate(predicate, depth));

/** The predicate with times from now on turned into times of the clock, as it is kept. */
function absolutePredicate(predicate: ClaimPredicateWire, closeTime: bigint): ClaimPredicateWire {
  const turned = (inner: ClaimPredicateWire) => absolutePredicate(inner, closeTime);
  switch (predicate.type) {
    case 1:
      return { type: 1, andPredicates: predicate.andPredicates.map(turned) };
    case 2:
      return { type: 2, orPredicates: predicate.orPredicates.map(turned) };
    case 3:
      return { type: 3, notPredicate: predicate.notPredicate && turned(predicate.notPredicate) };
    case 5: {
      const absBefore = closeTime + predicate.relBefore;
      return { type: 4, absBefore: absBefore > maxAmount ? maxAmount : absBefore };
    }
    default:
      return predicate;
  }
}

/** Whether a claim at this time is allowed. */
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
