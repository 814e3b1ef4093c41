import type { TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import { feeBumpFault } from './fee-bump.ts';
import type { LedgerState } from './ledger-state.ts';
import type { Frame } from './transaction-frame.ts';
import { isSuccess, refusalOf, resultOf } from './transaction-result.ts';
import { checkTransaction, feeFor, type Moment } from './validity.ts';

/** A verdict on a transaction that is not applied yet. */
export interface Checked {
  readonly isValid: boolean;
  /** Its fee is what the transaction would have to bid at least. */
  readonly result: TransactionResultWire;
}

/** Whether the transaction could go into the next ledger (stellar-core’s `checkValid`). */
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
