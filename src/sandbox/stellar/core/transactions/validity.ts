import type { OperationResultWire, OperationWire, TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import { divideUp } from '../../../../core/money.ts';
import { rulesOf } from '../operations/operation-table.ts';
import { availableNative } from '../state/balances.ts';
import { type Account, maxAmount } from '../state/entries.ts';
import { accountOf, signerText } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { keysOf, SignatureChecker } from './signatures.ts';
import { type BareCode, type Frame, isSuccess, refusalOf, resultOf, txCode, type Verdict } from './transaction.ts';

/** The ledger and the close times for which a transaction is checked. */
export interface Moment {
  readonly ledger: number;
  /** The earliest and the latest time at which the ledger closes. */
  readonly earliest: bigint;
  readonly latest: bigint;
}

/** stellar-core’s `ValidationType`. A transaction with stage `sequence` or `valid` uses up its sequence number. */
type Stage = 'invalid' | 'sequence' | 'valid';

interface Validity {
  readonly stage: Stage;
  readonly fault: BareCode | null;
}

const valid: Validity = { stage: 'valid', fault: null };

/** The fee of a transaction. A transaction without operations counts as one operation. */
export const feeFor = (frame: Frame, baseFee: bigint): bigint => baseFee * BigInt(Math.max(1, frame.operationCount));

export const operationSource = (frame: Frame, { sourceAccount }: OperationWire): string =>
  sourceAccount === null ? frame.source : accountOf(sourceAccount);

function isMalformed({ hasContractData, conditions: { extraSigners } }: Frame): boolean {
  const [first, second] = extraSigners;
  const isTwice = first && second && signerText(first) === signerText(second);
  const isEmpty = extraSigners.some(key => key.type === 3 && key.ed25519SignedPayload.payload.length === 0);
  return hasContractData || isTwice === true || isEmpty;
}

function boundsFault({ conditions: { timeBounds, ledgerBounds } }: Frame, moment: Moment): BareCode | null {
  const { minTime = 0n, maxTime = 0n } = timeBounds ?? {};
  const { minLedger = 0, maxLedger = 0 } = ledgerBounds ?? {};
  if ((minTime > 0n && minTime > moment.earliest) || minLedger > moment.ledger) return txCode.tooEarly;
  const isLate = (maxTime > 0n && maxTime < moment.latest) || (maxLedger !== 0 && maxLedger <= moment.ledger);
  return isLate ? txCode.tooLate : null;
}

/** Whether the sequence is wrong. With `minSeqNum` a transaction may skip numbers (CAP-21). */
function isBadSequence({ sequence, conditions: { minSeqNum } }: Frame, current: bigint, ledger: number): boolean {
  if (sequence === BigInt(ledger) << 32n) return true;
  if (minSeqNum !== null) return current < minSeqNum || current >= sequence;
  return current + 1n !== sequence;
}

function isTooSoon({ conditions: { minSeqAge, minSeqLedgerGap } }: Frame, account: Account, moment: Moment): boolean {
  return (
    moment.earliest - minSeqAge < account.sequenceTime ||
    minSeqAge > moment.earliest ||
    moment.ledger - minSeqLedgerGap < account.sequenceLedger ||
    minSeqLedgerGap > moment.ledger
  );
}

interface Terms {
  readonly moment: Moment;
  /** The sequence number that the transaction must follow. Default: the account’s sequence. */
  readonly sequence?: bigint;
  /** The lowest accepted bid. 0 for the inner transaction of a fee bump. */
  readonly minFee: bigint;
  /** The balance that the payer must have available. `null` if another account pays the fee. */
  readonly mustAfford: bigint | null;
}

/** Checks everything except the operations and their signatures, in the order of stellar-core’s `commonValid`. */
export function commonValid(state: LedgerState, frame: Frame, checker: SignatureChecker, terms: Terms): Validity {
  const { moment, minFee, mustAfford } = terms;
  const invalid = (fault: BareCode): Validity => ({ stage: 'invalid', fault });
  if (isMalformed(frame)) return invalid(txCode.malformed);
  if (frame.operations.length === 0) return invalid(txCode.missingOperation);
  const outOfBounds = boundsFault(frame, moment);
  if (outOfBounds !== null) return invalid(outOfBounds);
  if (frame.feeBid < minFee) return invalid(txCode.insufficientFee);
  const account = state.accounts.get(frame.source);
  if (!account) return invalid(txCode.noAccount);
  const current = terms.sequence ?? account.sequence;
  if (isBadSequence(frame, current, moment.ledger)) return invalid(txCode.badSequence);
  const late = (fault: BareCode): Validity => ({ stage: 'sequence', fault });
  if (isTooSoon(frame, account, moment)) return late(txCode.badMinSequenceAgeOrGap);
  if (!checker.weighs(keysOf(account), account.thresholds.low)) return late(txCode.badAuth);
  if (!hasExtraSigners(frame, checker)) return late(txCode.badAuth);
  if (mustAfford !== null && availableNative(state, account) < mustAfford) return late(txCode.insufficientBalance);
  return valid;
}

function hasExtraSigners({ conditions: { extraSigners } }: Frame, checker: SignatureChecker): boolean {
  const keys = extraSigners.map(key => ({ key: signerText(key), weight: 1 }));
  return keys.length === 0 || checker.weighs(keys, keys.length);
}

/** Results of operations that were not applied. */
export const blankResults = (frame: Frame): OperationResultWire[] =>
  frame.operations.map(({ body }) => rulesOf(body).blank);

/**
 * The refusal of an operation whose signatures do not suffice, or null. For a missing source account, the signature of
 * its own key suffices.
 */
export function signatureFault(
  state: LedgerState,
  frame: Frame,
  operation: OperationWire,
  checker: SignatureChecker,
): OperationResultWire | null {
  const source = operationSource(frame, operation);
  const account = state.accounts.get(source);
  if (account) {
    const needed = account.thresholds[rulesOf(operation.body).threshold(operation.body)];
    return checker.weighs(keysOf(account), needed) ? null : { code: -1 };
  }
  if (operation.sourceAccount === null) return { code: -2 };
  return checker.weighs([{ key: source, weight: 1 }], 0) ? null : { code: -1 };
}

/** The refusal of an operation by the checks that need no ledger, or null. */
export function operationFault(frame: Frame, operation: OperationWire): OperationResultWire | null {
  const rules = rulesOf(operation.body);
  return rules.supported ? rules.check(operation.body, operationSource(frame, operation)) : { code: -3 };
}

/** stellar-core’s `checkValid` for a transaction that is not a fee bump. */
function checkTransaction(state: LedgerState, frame: Frame, terms: Terms): Verdict {
  const checker = new SignatureChecker(frame);
  const { fault } = commonValid(state, frame, checker, terms);
  if (fault !== null) return { code: fault };
  const results = blankResults(frame);
  for (const [index, operation] of frame.operations.entries()) {
    const unsupported = rulesOf(operation.body).supported ? null : operationFault(frame, operation);
    const wrong = unsupported ?? signatureFault(state, frame, operation, checker) ?? operationFault(frame, operation);
    if (wrong) return { code: txCode.failed, results: results.with(index, wrong) };
  }
  return checker.allUsed() ? { code: txCode.success, results } : { code: txCode.badAuthExtra };
}

/** The refusal of a fee bump, with the fee in its result. */
interface FeeBumpFault {
  readonly code: BareCode;
  readonly feeCharged: bigint;
}

/** The fault of a fee bump’s outer part (CAP-15). The outer bid per operation must not be below the inner bid. */
function feeBumpFault(state: LedgerState, frame: Frame, inner: Frame, mustAfford: bigint): FeeBumpFault | null {
  const baseFee = BigInt(state.header.baseFee);
  const minFee = feeFor(frame, baseFee);
  const fault = (code: BareCode, feeCharged = minFee): FeeBumpFault => ({ code, feeCharged });
  if (frame.feeBid < minFee) return fault(txCode.insufficientFee);
  const innerMinFee = feeFor(inner, baseFee);
  if (frame.feeBid * innerMinFee < inner.feeBid * minFee) {
    const enough = divideUp(inner.feeBid * minFee, innerMinFee);
    return fault(txCode.insufficientFee, enough > maxAmount ? maxAmount : enough);
  }
  const payer = state.accounts.get(frame.feeSource);
  if (!payer) return fault(txCode.noAccount);
  const checker = new SignatureChecker(frame);
  if (!checker.weighs(keysOf(payer), payer.thresholds.low)) return fault(txCode.badAuth);
  if (availableNative(state, payer) < mustAfford) return fault(txCode.insufficientBalance);
  return checker.allUsed() ? null : fault(txCode.badAuthExtra);
}

interface Checked {
  readonly isValid: boolean;
  /** The result. If the bid is too low, the fee in the result is the lowest accepted bid. */
  readonly result: TransactionResultWire;
}

/** Whether the transaction is valid for the next ledger (stellar-core’s `checkValid`). */
export function checkSubmission(state: LedgerState, frame: Frame, moment: Moment, sequence?: bigint): Checked {
  const minFee = feeFor(frame, BigInt(state.header.baseFee));
  const follows = sequence === undefined ? {} : { sequence };
  if (!frame.inner) {
    const verdict = checkTransaction(state, frame, { moment, ...follows, minFee, mustAfford: frame.feeBid });
    return { isValid: isSuccess(verdict), result: resultOf(frame, verdict, minFee, 0n) };
  }
  const fault = feeBumpFault(state, frame, frame.inner, frame.feeBid);
  if (fault) return { isValid: false, result: refusalOf(fault.code, fault.feeCharged) };
  const verdict = checkTransaction(state, frame.inner, { moment, ...follows, minFee: 0n, mustAfford: null });
  return { isValid: isSuccess(verdict), result: resultOf(frame, verdict, minFee, 0n) };
}
