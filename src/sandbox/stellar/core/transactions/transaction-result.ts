import { type OperationResultWire, TransactionResult, type TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import type { Frame } from './transaction-frame.ts';

/** Codes of `TransactionResultCode`. */
export const txCode = {
  feeBumpInnerSuccess: 1,
  success: 0,
  failed: -1,
  tooEarly: -2,
  tooLate: -3,
  missingOperation: -4,
  badSequence: -5,
  badAuth: -6,
  insufficientBalance: -7,
  noAccount: -8,
  insufficientFee: -9,
  badAuthExtra: -10,
  internalError: -11,
  feeBumpInnerFailed: -13,
  badSponsorship: -14,
  badMinSequenceAgeOrGap: -15,
  malformed: -16,
} as const;

/** Codes without further content. */
export type BareCode = Exclude<(typeof txCode)[keyof typeof txCode], 1 | 0 | -1 | -13>;

/** The result of a transaction without its fee. */
export type Verdict = { readonly code: BareCode } | { readonly code: 0 | -1; readonly results: OperationResultWire[] };

export const isSuccess = (verdict: Verdict): boolean => verdict.code === 0;

const noExtension = { v: 0 } as const;

/** The result of a transaction. The verdict on a fee bump’s inner transaction is part of its result. */
export function resultOf(
  frame: Frame,
  verdict: Verdict,
  feeCharged: bigint,
  innerFeeCharged: bigint,
): TransactionResultWire {
  if (!frame.inner) return { feeCharged, result: verdict, ext: noExtension };
  const innerResultPair = {
    transactionHash: frame.inner.hashBytes,
    result: { feeCharged: innerFeeCharged, result: verdict, ext: noExtension },
  };
  const code = verdict.code === 0 ? txCode.feeBumpInnerSuccess : txCode.feeBumpInnerFailed;
  return { feeCharged, result: { code, innerResultPair }, ext: noExtension };
}

/** The result of a refusal; of a fee bump, before its inner transaction is checked. */
export const refusalOf = (code: BareCode, feeCharged: bigint): TransactionResultWire => ({
  feeCharged,
  result: { code },
  ext: noExtension,
});

export const resultXdr = (result: TransactionResultWire): string =>
  Buffer.from(TransactionResult.schema.encode(result)).toString('base64');
