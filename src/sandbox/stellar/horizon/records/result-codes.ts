import { TransactionResult } from '@stellar/stellar-sdk/xdr';
import type { Fields } from './fields.ts';

/** The shape of `TransactionResult` in SEP-51’s JSON, as far as codes are in it. */
type ResultJson = string | { readonly [code: string]: unknown };
interface InnerPair {
  readonly transaction_hash: string;
  readonly result: { readonly result: ResultJson };
}

/** Where Horizon spells the code of a transaction otherwise than the protocol. */
const transactionSpellings: Readonly<Record<string, string>> = {
  tx_no_account: 'tx_no_source_account',
  tx_bad_min_seq_age_or_gap: 'tx_bad_minseq_age_or_gap',
};

/** Where Horizon spells the code of an operation otherwise than `op_` and the protocol’s word: for all types … */
const operationSpellings: Readonly<Record<string, string>> = {
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

/** … and for one. */
const spellingsOfType: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  manage_sell_offer: { not_found: 'op_offer_not_found' },
  manage_buy_offer: { not_found: 'op_offer_not_found' },
  create_passive_sell_offer: { not_found: 'op_offer_not_found' },
  manage_data: { name_not_found: 'op_data_name_not_found', invalid_name: 'op_data_invalid_name' },
  clawback_claimable_balance: { not_issuer: 'op_no_issuer' },
};

/**
 * The codes of a `TransactionResult` (base64) in Horizon’s spelling: `transaction`, of a fee bump `inner_transaction`,
 * and where operations were tried `operations`. To who asks by the hash of the transaction inside a fee bump (hex) its
 * own code is that of the transaction.
 */
export function resultCodes(resultXdr: string, askedBy = ''): Fields {
  const { result } = TransactionResult.fromXdr(resultXdr, 'base64').toJson() as { readonly result: ResultJson };
  const { code, content } = parts(result);
  if (!code.startsWith('tx_fee_bump_inner')) return codesOf(result);
  const { transaction_hash: innerHash, result: inner } = content as InnerPair;
  const innerCodes = codesOf(inner.result);
  if (innerHash === askedBy) return innerCodes;
  const { transaction: innerCode, ...operations } = innerCodes;
  return { transaction: code, inner_transaction: innerCode, ...operations };
}

function codesOf(result: ResultJson): Fields {
  const { code, content } = parts(result);
  return {
    transaction: transactionSpellings[code] ?? code,
    ...(Array.isArray(content) && content.length > 0 && { operations: content.map(operationCode) }),
  };
}

function operationCode(result: ResultJson): string {
  const { code, content } = parts(result);
  if (code !== 'op_inner') return operationSpellings[code] ?? code;
  const { code: type, content: inner } = parts(content as ResultJson);
  const word = parts(inner as ResultJson).code;
  return spellingsOfType[type]?.[word] ?? operationSpellings[word] ?? `op_${word}`;
}

/** A code alone is a text; one with content is an object with one key. */
function parts(json: ResultJson): { readonly code: string; readonly content: unknown } {
  if (typeof json === 'string') return { code: json, content: null };
  const [code = '', content] = Object.entries(json)[0] ?? [];
  return { code, content };
}
