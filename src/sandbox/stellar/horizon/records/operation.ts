import { accountOf } from '../../core/state/identifiers.ts';
import {
  innerResult,
  openEnvelope,
  openResult,
  operationResults,
  sourceOf,
} from '../../history/decoded-transaction.ts';
import { placeOf } from '../../history/total-order-id.ts';
import type { OperationRow, TransactionRow } from '../../tables.ts';
import type { Links } from '../http/request.ts';
import { type Fields, muxedFields, timeText } from './fields.ts';
import { type KnownOperation, operationDetails } from './operation-details.ts';

/** Names of the types of operations, by number. */
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

/** A transaction read so that its operations can be shown. */
export interface OpenedTransaction {
  readonly row: TransactionRow;
  /** The operation at the index, with what it came to. */
  at(index: number): KnownOperation | null;
}

/** Opens a transaction for the operations in it: it is decoded once. */
export function openTransaction(row: TransactionRow): OpenedTransaction {
  const { transaction } = openEnvelope(row.envelope);
  const results = row.successful ? operationResults(openResult(row.result)) : null;
  return {
    row,
    at: index => {
      const operation = transaction.operations[index];
      return operation === undefined ? null : { operation, transaction, index, result: innerResult(results?.[index]) };
    },
  };
}

/** An operation as Horizon shows it, with its transaction where the caller asked for that. */
export function operationResource(
  row: OperationRow,
  opened: OpenedTransaction,
  links: Links,
  transaction: Fields | null,
): Fields {
  const known = opened.at(placeOf(row.id).operation - 1);
  if (known === null) throw new Error(`operation ${row.id} is not in its transaction`);
  const { operation } = known;
  const source = sourceOf(operation, known.transaction);
  return {
    _links: operationLinks(links, String(row.id), opened.row.hash),
    ...{ id: String(row.id), paging_token: String(row.id), transaction_successful: row.successful },
    source_account: accountOf(source),
    ...muxedFields(source, 'source_account'),
    type: typeNames[operation.body.type] ?? 'unknown',
    type_i: operation.body.type,
    created_at: timeText(opened.row.closed_at),
    transaction_hash: opened.row.hash,
    ...(transaction !== null && { transaction }),
    ...operationDetails(known, row.moved),
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
