import type { AccountMergeResultWire, CreateAccountResultWire, PaymentResultWire } from '@stellar/stellar-sdk/xdr';
import { accountAt, addBalance, credit, debit } from '../state/balances.ts';
import { type Account, newAccount } from '../state/entries.ts';
import { accountOf, assetText, isIssuer, isValidAsset, native } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { releaseFor, removeSigner, reserveAccount } from '../state/reserves.ts';
import { defineOperation, reserveRefusal } from './operation.ts';

const accountCreated: CreateAccountResultWire = { code: 0 };
const accountMalformed: CreateAccountResultWire = { code: -1 };
const underfunded: CreateAccountResultWire = { code: -2 };
const lowReserve: CreateAccountResultWire = { code: -3 };
const alreadyExists: CreateAccountResultWire = { code: -4 };

/** Brings an account into being with a first balance. */
export const createAccount = defineOperation<0, CreateAccountResultWire>(0, {
  threshold: 'medium',
  blank: accountCreated,
  wrap: createAccountResult => ({ type: 0, createAccountResult }),
  check: ({ createAccountOp: { startingBalance, destination } }, source) =>
    startingBalance < 0n || accountOf(destination) === source ? accountMalformed : null,
  apply: ({ createAccountOp: { startingBalance, ...op } }, { state, source }) => {
    const destination = accountOf(op.destination);
    if (state.accounts.get(destination)) return alreadyExists;
    const reserved = reserveAccount(state, destination, startingBalance);
    if (reserved.fault) return reserveRefusal(reserved.fault, lowReserve);
    if (debit(state, source, native, startingBalance)) return underfunded;
    state.accounts.set(destination, newAccount(destination, startingBalance, state.header.sequence, reserved.sponsor));
    return accountCreated;
  },
});

const success: PaymentResultWire = { code: 0 };
const malformed: PaymentResultWire = { code: -1 };
const noDestination: PaymentResultWire = { code: -5 };
const debitFaults = { underfunded: -2, no_trust: -3, not_authorized: -4 } as const;
const creditFaults = { no_trust: -6, not_authorized: -7, line_full: -8 } as const;

/** Moves one asset; the destination is credited first, so of two faults its own is reported. */
export const payment = defineOperation<1, PaymentResultWire>(1, {
  threshold: 'medium',
  blank: success,
  wrap: paymentResult => ({ type: 1, paymentResult }),
  check: ({ paymentOp: { amount, asset } }) => (amount <= 0n || !isValidAsset(asset) ? malformed : null),
  apply: ({ paymentOp }, { state, source }) => {
    const destination = accountOf(paymentOp.destination);
    const asset = assetText(paymentOp.asset);
    if (asset === native && destination === source) return success;
    // Credit can always go back to its issuer, even to one that is gone.
    if (!isIssuer(destination, asset) && !state.accounts.get(destination)) return noDestination;
    const full = credit(state, destination, asset, paymentOp.amount);
    if (full) return { code: creditFaults[full] };
    const short = debit(state, source, asset, paymentOp.amount);
    return short ? { code: debitFaults[short] } : success;
  },
});

const code = {
  malformed: -1,
  noAccount: -2,
  immutableSet: -3,
  hasSubEntries: -4,
  sequenceTooFar: -5,
  destinationFull: -6,
  isSponsor: -7,
} as const;

const immutable = 4;

/** Whether a later account of this name could use a sequence a second time (CAP-19). */
function isSequenceTooFar(state: LedgerState, { id, sequence }: Account): boolean {
  const start = BigInt(state.header.sequence) << 32n;
  return sequence >= start || (state.sequencesToCome.get(id) ?? -1n) >= start;
}

function faultOf(state: LedgerState, account: Account): (typeof code)[keyof typeof code] | null {
  if (account.flags & immutable) return code.immutableSet;
  if (account.subEntries !== account.signers.length) return code.hasSubEntries;
  if (isSequenceTooFar(state, account)) return code.sequenceTooFar;
  return state.sponsorshipCounts.get(account.id) || account.sponsoring > 0 ? code.isSponsor : null;
}

/** Ends an account and gives all it has to another. */
export const accountMerge = defineOperation<8, AccountMergeResultWire>(8, {
  threshold: 'high',
  blank: { code: 0, sourceAccountBalance: 0n },
  wrap: accountMergeResult => ({ type: 8, accountMergeResult }),
  check: ({ destination }, source) => (accountOf(destination) === source ? { code: code.malformed } : null),
  apply: (body, { state, source }) => {
    const destination = accountOf(body.destination);
    if (!state.accounts.get(destination)) return { code: code.noAccount };
    const account = accountAt(state, source);
    const fault = faultOf(state, account);
    if (fault !== null) return { code: fault };
    for (const signer of account.signers.toReversed()) removeSigner(state, source, signer);
    if (!addBalance(state, destination, native, account.balance)) return { code: code.destinationFull };
    releaseFor(state, account.sponsor, 2);
    state.accounts.delete(source);
    return { code: 0, sourceAccountBalance: account.balance };
  },
});
