import type { OperationResultWire, TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import { rulesOf } from '../operations/operation-table.ts';
import { BrokenInvariant } from '../state/entries.ts';
import { isPreAuthorized } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { removeSigner } from '../state/reserves.ts';
import { SignatureChecker } from './signatures.ts';
import type { Frame } from './transaction-frame.ts';
import { resultOf, txCode, type Verdict } from './transaction-result.ts';
import { blankResults, judge, operationFault, operationSource, signatureFault } from './validity.ts';

/** What a transaction was charged; of a fee bump also what the inner one would have been. */
export interface Charge {
  readonly fee: bigint;
  readonly innerFee: bigint;
}

/** Takes one-time signers for this transaction off the accounts. */
function removeOneTimeSigners(state: LedgerState, hash: Uint8Array, accounts: Iterable<string>): void {
  for (const id of accounts) {
    const signer = state.accounts.get(id)?.signers.find(({ key }) => isPreAuthorized(key, hash));
    if (signer) removeSigner(state, id, signer);
  }
}

const sourcesOf = (frame: Frame): Set<string> =>
  new Set([frame.source, ...frame.operations.map(operation => operationSource(frame, operation))]);

/** Applies a transaction whose fee is paid, in the ledger that the header tells. */
export function applyTransaction(state: LedgerState, frame: Frame, { fee, innerFee }: Charge): TransactionResultWire {
  if (!frame.inner) return resultOf(frame, apply(state, frame, 0n), fee, 0n);
  removeOneTimeSigners(state, frame.hashBytes, [frame.feeSource]);
  return resultOf(frame, apply(state, frame.inner, null), fee, innerFee);
}

function apply(state: LedgerState, frame: Frame, mustAfford: bigint | null): Verdict {
  const { sequence: ledger, closeTime } = state.header;
  const checker = new SignatureChecker(frame);
  const moment = { ledger, earliest: closeTime, latest: closeTime };
  const minFee = mustAfford === null ? 0n : BigInt(state.header.baseFee) * BigInt(frame.operationCount);
  const { stage, fault } = judge(state, frame, checker, { moment, minFee, mustAfford });
  if (stage !== 'invalid') useSequence(state, frame);
  const unsigned = fault === null ? unsignedVerdict(state, frame, checker) : { code: fault };
  removeOneTimeSigners(state, frame.hashBytes, sourcesOf(frame));
  return unsigned ?? applyOperations(state, frame);
}

function useSequence(state: LedgerState, { source, sequence }: Frame): void {
  const account = state.accounts.get(source);
  if (!account) return;
  const { sequence: sequenceLedger, closeTime: sequenceTime } = state.header;
  state.accounts.set(source, { ...account, sequence, sequenceLedger, sequenceTime });
}

/** Signers may have changed since the transaction came. */
function unsignedVerdict(state: LedgerState, frame: Frame, checker: SignatureChecker): Verdict | null {
  const faults = frame.operations.map(operation => signatureFault(state, frame, operation, checker));
  if (faults.some(fault => fault !== null)) {
    return { code: txCode.failed, results: blankResults(frame).map((blank, index) => faults[index] ?? blank) };
  }
  return checker.allUsed() ? null : { code: txCode.badAuthExtra };
}

/** Applies all operations, also after one failed; then keeps what they did, or none of it. */
function applyOperations(state: LedgerState, frame: Frame): Verdict {
  const mark = state.journal.mark();
  const undone = (verdict: Verdict): Verdict => {
    state.journal.undo(mark);
    return verdict;
  };
  try {
    const outcomes = frame.operations.map((_, index) => applyOperation(state, frame, index));
    const results = outcomes.map(({ result }) => result);
    if (outcomes.some(({ successful }) => !successful)) return undone({ code: txCode.failed, results });
    return state.sponsorships.size > 0 ? undone({ code: txCode.badSponsorship }) : { code: txCode.success, results };
  } catch (error) {
    if (!(error instanceof BrokenInvariant)) throw error;
    return undone({ code: txCode.internalError });
  }
}

function applyOperation(
  state: LedgerState,
  frame: Frame,
  index: number,
): { successful: boolean; result: OperationResultWire } {
  const operation = frame.operations[index];
  if (!operation) throw new RangeError(`no operation ${index}`);
  const source = operationSource(frame, operation);
  const mark = state.journal.mark();
  const rules = rulesOf(operation.body);
  if (!rules.supported) return { successful: false, result: { code: -3 } };
  if (!state.accounts.get(source)) return { successful: false, result: { code: -2 } };
  const fault = operationFault(frame, operation);
  if (fault) return { successful: false, result: fault };
  const place = { transactionSource: frame.source, sequence: frame.sequence, index };
  const outcome = rules.apply(operation.body, { state, source, ...place });
  if (!outcome.successful) state.journal.undo(mark);
  return outcome;
}
