import { availableNative } from './balance.ts';
import { maxAmount } from './entries.ts';
import { divideUp } from './exchange.ts';
import type { LedgerState } from './ledger-state.ts';
import { keysOf, SignatureChecker } from './signatures.ts';
import type { Frame } from './transaction-frame.ts';
import { type BareCode, txCode } from './transaction-result.ts';
import { feeFor } from './validity.ts';

/** Why a fee bump is refused, and the fee that is told with it. */
export interface FeeBumpFault {
  readonly code: BareCode;
  readonly feeCharged: bigint;
}

/** The outer part of a fee bump (CAP-15): it must pay per operation at least what the inner one bids. */
export function feeBumpFault(state: LedgerState, frame: Frame, inner: Frame, mustAfford: bigint): FeeBumpFault | null {
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
