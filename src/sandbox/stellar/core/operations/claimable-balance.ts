import type {
  ClaimableBalanceIdWire,
  ClaimClaimableBalanceResultWire,
  ClaimPredicateWire,
  CreateClaimableBalanceOpWire,
  CreateClaimableBalanceResultWire,
} from '@stellar/stellar-sdk/xdr';
import { accountOf } from '../account-key.ts';
import { accountAt, clawbackFlag, findLine } from '../balance.ts';
import { balanceId } from '../claimable-id.ts';
import { assetText, isValidAsset, native } from '../ledger-asset.ts';
import type { LedgerState } from '../ledger-state.ts';
import { defineOperation, type OperationScope, type Refusal, reserveRefusal } from '../operation-rules.ts';
import { absolutePredicate, isPredicate, mayClaim } from '../predicate.ts';
import { releaseFor, reserveFor } from '../sponsorship.ts';
import { credit, debit } from './transfer.ts';

const createCode = { malformed: -1, lowReserve: -2 } as const;
const debitFaults = { no_trust: -3, not_authorized: -4, underfunded: -5 } as const;
const claimCode = { doesNotExist: -1, cannotClaim: -2 } as const;
const creditFaults = { line_full: -3, no_trust: -4, not_authorized: -5 } as const;

const clawbackAccountFlag = 8;

/** The id as an operation spells it, hex. */
export const balanceIdText = (id: ClaimableBalanceIdWire): string => `00000000${Buffer.from(id.v0).toString('hex')}`;

const balanceIdWire = (id: string): ClaimableBalanceIdWire => ({ type: 0, v0: Buffer.from(id.slice(8), 'hex') });

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
  const id = balanceId(scope);
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
