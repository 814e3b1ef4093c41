import { type OperationResult, TransactionResult } from '@stellar/stellar-sdk/xdr';
import type { ResultCodes } from '../network.ts';

/** What a `TransactionResult` says. */
export interface DecodedResult {
  /** Of a fee bump whose inner transaction was tried: the inner codes. Those of the outer one say no more. */
  readonly codes: ResultCodes;
  readonly successful: boolean;
  /** What was charged, in stroops; in a refusal what the least would be. */
  readonly feeCharged: bigint;
}

/** Reads a `TransactionResult` (base64), its codes in Horizon’s spelling. Throws when it is none. */
export function decodeResult(resultXdr: string): DecodedResult {
  const { feeCharged, result } = unwrap(resultXdr);
  return {
    codes: {
      transaction: spell(outerCodes, 'tx', withoutPrefix(result.type, 'tx')),
      operations: triedIn(result).map(operationCode),
    },
    successful: result.type === 'txSuccess',
    feeCharged,
  };
}

/** What an account had, in stroops, that the operation (counted from 0) merged into another; null where it did not. */
export function mergedBalance(resultXdr: string, operationIndex: number): bigint | null {
  const operation = triedIn(unwrap(resultXdr).result)[operationIndex];
  if (operation?.type !== 'opInner' || operation.tr.type !== 'accountMerge') return null;
  const { accountMergeResult: merge } = operation.tr;
  return merge.type === 'accountMergeSuccess' ? merge.sourceAccountBalance : null;
}

/** The result, or of a fee bump that was tried the one inside. */
function unwrap(resultXdr: string) {
  const { feeCharged, result: outer } = TransactionResult.fromXdr(resultXdr, 'base64');
  const isBump = outer.type === 'txFeeBumpInnerSuccess' || outer.type === 'txFeeBumpInnerFailed';
  return { feeCharged, result: isBump ? outer.innerResultPair.result.result : outer };
}

function triedIn(result: ReturnType<typeof unwrap>['result']): readonly OperationResult[] {
  return result.type === 'txSuccess' || result.type === 'txFailed' ? result.results : [];
}

function operationCode(result: OperationResult): string {
  if (result.type !== 'opInner') return spell(outerCodes, 'op', withoutPrefix(result.type, 'op'));
  const { tr } = result;
  // An operation that was tried carries a result of its own, whose name begins with the operation’s.
  return spell(operationCodes, 'op', withoutPrefix(tr.value.type, tr.type));
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Codes that Horizon spells otherwise than the protocol. */
const outerCodes: Readonly<Record<string, string>> = {
  tx_no_account: 'tx_no_source_account',
  tx_bad_min_seq_age_or_gap: 'tx_bad_minseq_age_or_gap',
  op_no_account: 'op_no_source_account',
};
const operationCodes: Readonly<Record<string, string>> = {
  op_already_exist: 'op_already_exists',
  op_offer_cross_self: 'op_cross_self',
  op_over_sendmax: 'op_over_source_max',
  op_under_destmin: 'op_under_dest_min',
  op_name_not_found: 'op_data_name_not_found',
  op_invalid_name: 'op_data_invalid_name',
  op_not_auth_maintain_liabilities: 'op_not_aut_maintain_liabilities',
  op_seqnum_too_far: 'op_seq_num_too_far',
  op_not_found: 'op_offer_not_found',
  op_sell_not_authorized: 'sell_not_authorized',
  op_buy_not_authorized: 'buy_not_authorized',
  op_buy_no_issuer: 'buy_no_issuer',
  op_no_trust_line: 'op_no_trust',
  op_not_issuer: 'op_no_issuer',
};

function spell(exceptions: Readonly<Record<string, string>>, prefix: string, camelCase: string): string {
  const code = `${prefix}_${camelCase.replace(/(?<!^)[A-Z]/g, letter => `_${letter}`).toLowerCase()}`;
  return exceptions[code] ?? code;
}

/**
 * What each operation of an applied transaction took out of its source account to deliver something else: one entry an
 * operation, in stroops of the asset it sent; null where the operation is no path payment. Throws when the text is no
 * `TransactionResult` (base64).
 */
export function sentAmounts(resultXdr: string): readonly (bigint | null)[] {
  const { result } = unwrap(resultXdr);
  return result.type === 'txSuccess' ? result.results.map(sentAmount) : [];
}

function sentAmount(operation: OperationResult): bigint | null {
  if (operation.type !== 'opInner' || operation.tr.type !== 'pathPaymentStrictReceive') return null;
  const result = operation.tr.pathPaymentStrictReceiveResult;
  if (result.type !== 'pathPaymentStrictReceiveSuccess') return null;
  const { offers, last } = result.success;
  const [first] = offers;
  if (first === undefined) return last.amount;
  const asset = first.value.assetBought.toXdr('base64');
  let sent = 0n;
  // The first hop is all that trades the asset that was sent, up to the first offer for another one.
  for (const { value } of offers) {
    if (value.assetBought.toXdr('base64') !== asset) break;
    sent += value.amountBought;
  }
  return sent;
}
