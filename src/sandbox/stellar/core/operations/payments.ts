import type { AccountMergeResultWire, CreateAccountResultWire, PaymentResultWire } from '@stellar/stellar-sdk/xdr';
import { accountAt, addBalance, credit, debit } from '../state/balances.ts';
import { type Account, accountFlag, newAccount } from '../state/entries.ts';
import { accountOf, assetText, isIssuer, isValidAsset, native } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { releaseSponsored, removeSigner, reserveAccount } from '../state/reserves.ts';
import { defineOperation, reserveRefusal } from './operation.ts';

const createCode = { malformed: -1, underfunded: -2, lowReserve: -3, alreadyExists: -4 } as const;

export const createAccount = defineOperation<0, CreateAccountResultWire>(0, {
  wrap: createAccountResult => ({ type: 0, createAccountResult }),
  check: ({ createAccountOp: { startingBalance, destination } }, source) =>
    startingBalance < 0n || accountOf(destination) === source ? { code: createCode.malformed } : null,
  apply: ({ createAccountOp: { startingBalance, ...op } }, { state, source }) => {
    const destination = accountOf(op.destination);
    if (state.accounts.get(destination)) return { code: createCode.alreadyExists };
    const reserved = reserveAccount(state, destination, startingBalance);
    if (reserved.fault) return reserveRefusal(reserved.fault, { code: createCode.lowReserve });
    if (debit(state, source, native, startingBalance)) return { code: createCode.underfunded };
    state.accounts.set(destination, newAccount(destination, startingBalance, state.header.sequence, reserved.sponsor));
    return { code: 0 };
  },
});

const payCode = { malformed: -1, noDestination: -5 } as const;

/** Codes of a payment or path payment whose source cannot send. */
export const payDebitCode = { underfunded: -2, no_trust: -3, not_authorized: -4 } as const;

/** Codes of a payment or path payment whose destination cannot receive. */
export const payCreditCode = { no_trust: -6, not_authorized: -7, line_full: -8 } as const;

/** A payment. Credits the destination before it debits the source, so the destination’s fault is reported first. */
export const payment = defineOperation<1, PaymentResultWire>(1, {
  wrap: paymentResult => ({ type: 1, paymentResult }),
  check: ({ paymentOp: { amount, asset } }) =>
    amount <= 0n || !isValidAsset(asset) ? { code: payCode.malformed } : null,
  apply: ({ paymentOp }, { state, source }) => {
    const destination = accountOf(paymentOp.destination);
    const asset = assetText(paymentOp.asset);
    if (asset === native && destination === source) return { code: 0 };
    // Credit can be returned to its issuer even after a merge has deleted the issuer’s account.
    if (!isIssuer(destination, asset) && !state.accounts.get(destination)) return { code: payCode.noDestination };
    const full = credit(state, destination, asset, paymentOp.amount);
    if (full) return { code: payCreditCode[full] };
    const short = debit(state, source, asset, paymentOp.amount);
    return { code: short ? payDebitCode[short] : 0 };
  },
});

const mergeCode = {
  malformed: -1,
  noAccount: -2,
  immutableSet: -3,
  hasSubEntries: -4,
  sequenceTooFar: -5,
  destinationFull: -6,
  isSponsor: -7,
} as const;

/** Whether a merge is refused, because a later account with the same id could reuse a sequence number (CAP-1). */
function isSequenceTooFar(state: LedgerState, { id, sequence }: Account): boolean {
  const start = BigInt(state.header.sequence) << 32n;
  return sequence >= start || (state.highestSequences.get(id) ?? -1n) >= start;
}

function mergeFault(state: LedgerState, account: Account) {
  if (account.flags & accountFlag.immutable) return mergeCode.immutableSet;
  if (account.subEntries !== account.signers.length) return mergeCode.hasSubEntries;
  if (isSequenceTooFar(state, account)) return mergeCode.sequenceTooFar;
  return state.sponsorshipCounts.get(account.id) || account.sponsoring > 0 ? mergeCode.isSponsor : null;
}

export const accountMerge = defineOperation<8, AccountMergeResultWire>(8, {
  threshold: 'high',
  blank: { code: 0, sourceAccountBalance: 0n },
  wrap: accountMergeResult => ({ type: 8, accountMergeResult }),
  check: ({ destination }, source) => (accountOf(destination) === source ? { code: mergeCode.malformed } : null),
  apply: (body, { state, source }) => {
    const destination = accountOf(body.destination);
    if (!state.accounts.get(destination)) return { code: mergeCode.noAccount };
    const account = accountAt(state, source);
    const fault = mergeFault(state, account);
    if (fault !== null) return { code: fault };
    for (const signer of account.signers.toReversed()) removeSigner(state, source, signer);
    if (!addBalance(state, destination, native, account.balance)) return { code: mergeCode.destinationFull };
    releaseSponsored(state, account.sponsor, 2);
    state.accounts.delete(source);
    return { code: 0, sourceAccountBalance: account.balance };
  },
});
