import type { AccountMergeResultWire } from '@stellar/stellar-sdk/xdr';
import { accountOf } from '../account-key.ts';
import { accountAt, addBalance } from '../balance.ts';
import type { Account } from '../entries.ts';
import { native } from '../ledger-asset.ts';
import type { LedgerState } from '../ledger-state.ts';
import { defineOperation } from '../operation-rules.ts';
import { releaseFor, removeSigner } from '../sponsorship.ts';

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
