import type { OperationResultWire, TransactionWire } from '@stellar/stellar-sdk/xdr';
import { accountOf } from '../../core/state/identifiers.ts';
import {
  decodeEnvelope,
  decodeResult,
  innerResult,
  operationResults,
  sourceOf,
} from '../../history/decoded-transaction.ts';
import { positionOf } from '../../history/total-order-id.ts';
import type { OperationRow, TransactionRow } from '../../tables.ts';
import type { Links } from '../http/request.ts';
import { type Fields, muxedFields, timeText } from './fields.ts';
import { operationDetails } from './operation-details.ts';

/** Horizon's names of operations, in the order of `OperationType`. */
const typeNames: readonly string[] = [
  'create_account',
  'payment',
  'path_payment_strict_receive',
  'manage_sell_offer',
  'create_passive_sell_offer',
  'set_options',
  'change_trust',
  'allow_trust',
  'account_merge',
  'inflation',
  'manage_data',
  'bump_sequence',
  'manage_buy_offer',
  'path_payment_strict_send',
  'create_claimable_balance',
  'claim_claimable_balance',
  'begin_sponsoring_future_reserves',
  'end_sponsoring_future_reserves',
  'revoke_sponsorship',
  'clawback',
  'clawback_claimable_balance',
  'set_trust_line_flags',
  'liquidity_pool_deposit',
  'liquidity_pool_withdraw',
];

/** A transaction that is decoded once for all of its operations. */
interface DecodedTransaction {
  readonly row: TransactionRow;
  readonly transaction: TransactionWire;
  /** Empty if the transaction failed. */
  readonly results: readonly OperationResultWire[];
}

export function decodeTransaction(row: TransactionRow): DecodedTransaction {
  const { transaction } = decodeEnvelope(row.envelope);
  return { row, transaction, results: row.successful ? operationResults(decodeResult(row.result)) : [] };
}

/** Horizon’s record of an operation. Contains the record of its transaction unless `transactionFields` is null. */
export function operationRecord(
  row: OperationRow,
  { row: { hash, closed_at }, transaction, results }: DecodedTransaction,
  links: Links,
  transactionFields: Fields | null,
): Fields {
  const index = positionOf(row.id).operation - 1;
  const operation = transaction.operations[index];
  if (operation === undefined) throw new Error(`operation ${row.id} is not in its transaction`);
  const source = sourceOf(operation, transaction);
  const details = { operation, transaction, index, result: innerResult(results[index]) };
  return {
    _links: operationLinks(links, String(row.id), hash),
    id: String(row.id),
    paging_token: String(row.id),
    transaction_successful: row.successful,
    source_account: accountOf(source),
    ...muxedFields(source, 'source_account'),
    type: typeNames[operation.body.type] ?? 'unknown',
    type_i: operation.body.type,
    created_at: timeText(closed_at),
    transaction_hash: hash,
    ...(transactionFields !== null && { transaction: transactionFields }),
    ...operationDetails(details, row.moved),
  };
}

function operationLinks(links: Links, id: string, transactionHash: string): Fields {
  return {
    self: links.to(`/operations/${id}`),
    transaction: links.to(`/transactions/${transactionHash}`),
    effects: links.to(`/operations/${id}/effects`),
    succeeds: links.to(`/effects?order=desc&cursor=${id}`),
    precedes: links.to(`/effects?order=asc&cursor=${id}`),
  };
}
