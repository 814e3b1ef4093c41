import type { OperationResultWire, TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import type { Movement } from '../operations/operation.ts';
import { rulesOf } from '../operations/operation-table.ts';
import { BrokenInvariant } from '../state/entries.ts';
import { isPreAuthorized } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { removeSigner } from '../state/reserves.ts';
import { SignatureChecker } from './signatures.ts';
import { type Frame, resultOf, txCode, type Verdict } from './transaction.ts';
import { blankResults, commonValid, operationFault, operationSource, signatureFault } from './validity.ts';

/** The charged fee. For a fee bump, `innerFee` is the fee in the inner result. */
export interface Charge {
  readonly fee: bigint;
  readonly innerFee: bigint;
}

/** The movements of a successful transaction’s operations, by operation index. */
type Movements = readonly (Movement | null)[];

/** Applies a transaction in the ledger of the state’s header. The caller has already charged the fee. */
export function applyTransaction(
  state: LedgerState,
  frame: Frame,
  { fee, innerFee }: Charge,
): { readonly result: TransactionResultWire; readonly movements: Movements } {
  if (frame.inner) removePreAuthorized(state, frame.hashBytes, [frame.feeSource]);
  const { verdict, movements = [] } = apply(state, frame.inner ?? frame, frame.inner ? null : 0n);
  return { result: resultOf(frame, verdict, fee, innerFee), movements };
}

/** Removes the signers that pre-authorized this transaction, because each such signer may be used once. */
function removePreAuthorized(state: LedgerState, hash: Uint8Array, accounts: Iterable<string>): void {
  for (const id of accounts) {
    const signer = state.accounts.get(id)?.signers.find(({ key }) => isPreAuthorized(key, hash));
    if (signer) removeSigner(state, id, signer);
  }
}

interface Applied {
  readonly verdict: Verdict;
  readonly movements?: Movements;
}

function apply(state: LedgerState, frame: Frame, mustAfford: bigint | null): Applied {
  const { sequence: ledger, closeTime } = state.header;
  const checker = new SignatureChecker(frame);
  const moment = { ledger, earliest: closeTime, latest: closeTime };
  const minFee = mustAfford === null ? 0n : BigInt(state.header.baseFee) * BigInt(frame.operationCount);
  const { stage, fault } = commonValid(state, frame, checker, { moment, minFee, mustAfford });
  if (stage !== 'invalid') setSequence(state, frame);
  const refused = fault === null ? signaturesVerdict(state, frame, checker) : { code: fault };
  const sources = frame.operations.map(operation => operationSource(frame, operation));
  removePreAuthorized(state, frame.hashBytes, new Set([frame.source, ...sources]));
  return refused ? { verdict: refused } : applyOperations(state, frame);
}

function setSequence(state: LedgerState, { source, sequence }: Frame): void {
  const account = state.accounts.get(source);
  if (!account) return;
  const { sequence: sequenceLedger, closeTime: sequenceTime } = state.header;
  state.accounts.set(source, { ...account, sequence, sequenceLedger, sequenceTime });
}

/** Checks the signatures again, because signers may have changed since the transaction was submitted. */
function signaturesVerdict(state: LedgerState, frame: Frame, checker: SignatureChecker): Verdict | null {
  const faults = frame.operations.map(operation => signatureFault(state, frame, operation, checker));
  if (faults.some(fault => fault !== null)) {
    return { code: txCode.failed, results: blankResults(frame).map((blank, index) => faults[index] ?? blank) };
  }
  return checker.allUsed() ? null : { code: txCode.badAuthExtra };
}

/** Applies every operation, even after a failure, because each needs a result. A failure undoes all changes. */
function applyOperations(state: LedgerState, frame: Frame): Applied {
  const mark = state.journal.mark();
  const undone = (verdict: Verdict): Applied => {
    state.journal.undo(mark);
    return { verdict };
  };
  const movements: (Movement | null)[] = frame.operations.map(() => null);
  try {
    const outcomes = frame.operations.map((_, index) =>
      applyOperation(state, frame, index, movement => {
        movements[index] = movement;
      }),
    );
    const results = outcomes.map(({ result }) => result);
    if (outcomes.some(({ successful }) => !successful)) return undone({ code: txCode.failed, results });
    if (state.sponsorships.size > 0) return undone({ code: txCode.badSponsorship });
    return { verdict: { code: txCode.success, results }, movements };
  } catch (error) {
    if (!(error instanceof BrokenInvariant)) throw error;
    return undone({ code: txCode.internalError });
  }
}

function applyOperation(
  state: LedgerState,
  frame: Frame,
  index: number,
  reportMovement: (movement: Movement) => void,
): { readonly successful: boolean; readonly result: OperationResultWire } {
  const operation = frame.operations[index];
  if (!operation) throw new RangeError(`no operation ${index}`);
  const source = operationSource(frame, operation);
  const mark = state.journal.mark();
  const rules = rulesOf(operation.body);
  if (!rules.supported) return { successful: false, result: { code: -3 } };
  if (!state.accounts.get(source)) return { successful: false, result: { code: -2 } };
  const fault = operationFault(frame, operation);
  if (fault) return { successful: false, result: fault };
  const position = { transactionSource: frame.source, sequence: frame.sequence, index };
  const outcome = rules.apply(operation.body, { state, source, ...position, reportMovement });
  if (!outcome.successful) state.journal.undo(mark);
  return outcome;
}
