import { TransactionResult } from '@stellar/stellar-sdk/xdr';
import type { Fields } from './fields.ts';

/** The codes in the JSON form of a `TransactionResult` (SEP-51). */
type ResultJson = string | { readonly [code: string]: unknown };

interface InnerPair {
  readonly transaction_hash: string;
  readonly result: { readonly result: ResultJson };
}

/** Transaction codes that Horizon names differently from the protocol. */
const transactionNames: Readonly<Record<string, string>> = {
  tx_no_account: 'tx_no_source_account',
  tx_bad_min_seq_age_or_gap: 'tx_bad_minseq_age_or_gap',
};

/** Horizon’s names of operation codes that differ from `op_` followed by the protocol’s name. */
const operationNames: Readonly<Record<string, string>> = {
  op_no_account: 'op_no_source_account',
  already_exist: 'op_already_exists',
  over_sendmax: 'op_over_source_max',
  under_destmin: 'op_under_dest_min',
  offer_cross_self: 'op_cross_self',
  sell_not_authorized: 'sell_not_authorized',
  buy_not_authorized: 'buy_not_authorized',
  buy_no_issuer: 'buy_no_issuer',
  no_trust_line: 'op_no_trust',
  trust_not_required: 'op_not_required',
  seqnum_too_far: 'op_seq_num_too_far',
  not_auth_maintain_liabilities: 'op_not_aut_maintain_liabilities',
};

/** Like `operationNames`, but for a single operation type. */
const namesByType: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  manage_sell_offer: { not_found: 'op_offer_not_found' },
  manage_buy_offer: { not_found: 'op_offer_not_found' },
  create_passive_sell_offer: { not_found: 'op_offer_not_found' },
  manage_data: { name_not_found: 'op_data_name_not_found', invalid_name: 'op_data_invalid_name' },
  clawback_claimable_balance: { not_issuer: 'op_no_issuer' },
};

/**
 * The codes of a `TransactionResult` (base64) with Horizon’s names: `transaction`, `inner_transaction` for a fee bump,
 * and `operations` if the result contains any. If `hash` is the inner transaction’s hash, `transaction` is the inner
 * code.
 */
export function resultCodes(resultXdr: string, hash = ''): Fields {
  const { result } = TransactionResult.fromXdr(resultXdr, 'base64').toJson() as { readonly result: ResultJson };
  const { code, content } = parts(result);
  if (!code.startsWith('tx_fee_bump_inner')) return codesOf(result);
  const { transaction_hash: innerHash, result: inner } = content as InnerPair;
  const innerCodes = codesOf(inner.result);
  if (innerHash === hash) return innerCodes;
  const { transaction: innerCode, ...operations } = innerCodes;
  return { transaction: code, inner_transaction: innerCode, ...operations };
}

function codesOf(result: ResultJson): Fields {
  const { code, content } = parts(result);
  return {
    transaction: transactionNames[code] ?? code,
    ...(Array.isArray(content) && content.length > 0 && { operations: content.map(operationCode) }),
  };
}

function operationCode(result: ResultJson): string {
  const { code, content } = parts(result);
  if (code !== 'op_inner') return operationNames[code] ?? code;
  const { code: type, content: inner } = parts(content as ResultJson);
  const word = parts(inner as ResultJson).code;
  return namesByType[type]?.[word] ?? operationNames[word] ?? `op_${word}`;
}

/** A code without content is a string. A code with content is an object with one key. */
function parts(json: ResultJson): { readonly code: string; readonly content: unknown } {
  if (typeof json === 'string') return { code: json, content: null };
  const [code = '', content] = Object.entries(json)[0] ?? [];
  return { code, content };
}
