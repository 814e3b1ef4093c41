import { type OperationResult, TransactionResult } from '@stellar/stellar-sdk/xdr';
import { ExchangeError } from '../../platform/http-exchange.ts';
import {
  type LedgerOutcome,
  type ResultCodes,
  StellarUnavailable,
  type SubmitOutcome,
  type TransactionStatus,
} from '../network.ts';

/**
 * Decodes a `TransactionResult` (base64). If a fee was too low, `feeCharged` is the lowest sufficient fee. Throws for
 * any other text.
 */
export function decodeResult(resultXdr: string): Pick<LedgerOutcome, 'codes' | 'successful' | 'feeCharged'> {
  const { feeCharged, result } = unwrap(resultXdr);
  return {
    codes: {
      transaction: spell(outerCodes, 'tx', withoutPrefix(result.type, 'tx')),
      operations: operationResults(result).map(operationCode),
    },
    successful: result.type === 'txSuccess',
    feeCharged,
  };
}

/** The balance (stroops) that an account merge moved. Null if the operation (counted from 0) is not a merge. */
export function mergedBalance(resultXdr: string, operationIndex: number): bigint | null {
  const operation = operationResults(unwrap(resultXdr).result)[operationIndex];
  if (operation?.type !== 'opInner' || operation.tr.type !== 'accountMerge') return null;
  const { accountMergeResult: merge } = operation.tr;
  return merge.type === 'accountMergeSuccess' ? merge.sourceAccountBalance : null;
}

/** The result. For a fee bump that was tried, the inner result. */
function unwrap(resultXdr: string) {
  const { feeCharged, result: outer } = TransactionResult.fromXdr(resultXdr, 'base64');
  const isBump = outer.type === 'txFeeBumpInnerSuccess' || outer.type === 'txFeeBumpInnerFailed';
  return { feeCharged, result: isBump ? outer.innerResultPair.result.result : outer };
}

function operationResults(result: ReturnType<typeof unwrap>['result']): readonly OperationResult[] {
  return result.type === 'txSuccess' || result.type === 'txFailed' ? result.results : [];
}

function operationCode(result: OperationResult): string {
  if (result.type !== 'opInner') return spell(outerCodes, 'op', withoutPrefix(result.type, 'op'));
  const { tr } = result;
  // The name of an inner result begins with the operation's name, which is cut off.
  return spell(operationCodes, 'op', withoutPrefix(tr.value.type, tr.type));
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Codes that Horizon spells differently from the protocol. */
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
 * The amounts that the path payments of an applied transaction spent, in stroops of the sent asset, by operation. Null
 * for other operations. Throws if the text is not a `TransactionResult` (base64).
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
  // The first trades exchange the sent asset. A trade of another asset belongs to the next step of the path.
  for (const { value } of offers) {
    if (value.assetBought.toXdr('base64') !== asset) break;
    sent += value.amountBought;
  }
  return sent;
}

/**
 * Submits an envelope by `send`. If the sequence number is already used, an earlier submission may have been applied.
 * Then `find` looks for the transaction in the history.
 */
export async function submitEnvelope(
  hash: string,
  send: () => Promise<SubmitOutcome>,
  find: () => Promise<TransactionStatus>,
): Promise<SubmitOutcome> {
  const outcome = await send().catch(error => outcomeOfFailure(hash, error));
  if (outcome.state !== 'refused' || outcome.codes.transaction !== 'tx_bad_seq') return outcome;
  const earlier = await find().catch(() => null);
  return earlier?.state === 'applied' ? earlier : outcome;
}

/** The outcome without a readable answer: unknown, even if no connection was made. */
function outcomeOfFailure(hash: string, error: unknown): SubmitOutcome {
  if (error instanceof StellarUnavailable) return unknownOutcome(hash, 'unreadable_answer', error.retryAfterSeconds);
  if (error instanceof ExchangeError) return unknownOutcome(hash, error.reason, null);
  throw error;
}

/** Seconds to wait before the next submission when the network's queue is full: about one ledger. */
const nextLedgerSeconds = 5;

/** The outcome of a server's answer: the status of stellar-core, and for `ERROR` the `TransactionResult` (base64). */
export function outcomeOfStatus(hash: string, status: string, resultXdr: string | null): SubmitOutcome {
  // `DUPLICATE`: the envelope is in the queue, or was a moment ago.
  if (status === 'PENDING' || status === 'DUPLICATE') return { state: 'pending', hash };
  if (status === 'TRY_AGAIN_LATER') return unknownOutcome(hash, 'try_again_later', nextLedgerSeconds);
  const codes = status === 'ERROR' && resultXdr !== null ? readCodes(resultXdr) : null;
  if (codes === null) return unknownOutcome(hash, 'unreadable_answer', null);
  // An internal error of stellar-core says nothing about the transaction.
  if (codes.transaction === 'tx_internal_error') return unknownOutcome(hash, codes.transaction, nextLedgerSeconds);
  return { state: 'refused', hash, codes };
}

function readCodes(resultXdr: string): ResultCodes | null {
  try {
    return decodeResult(resultXdr).codes;
  } catch {
    return null;
  }
}

/** The outcome for an envelope whose bytes the network cannot read. */
export function malformedOutcome(hash: string): SubmitOutcome {
  return { state: 'refused', hash, codes: { transaction: 'tx_malformed', operations: [] } };
}

/** The outcome of a transaction that may have been accepted. `reason` is one word. */
export function unknownOutcome(hash: string, reason: string, retryAfterSeconds: number | null): SubmitOutcome {
  return { state: 'unknown', hash, reason, retryAfterSeconds };
}

/** The outcome of a transaction in a ledger, from its `TransactionResult` (base64). Throws `StellarUnavailable`. */
export function ledgerOutcome(hash: string, ledger: number, resultXdr: string): LedgerOutcome {
  try {
    return { hash, ledger, resultXdr, ...decodeResult(resultXdr) };
  } catch (cause) {
    throw new StellarUnavailable(`the result of transaction ${hash} cannot be read`, { cause });
  }
}
