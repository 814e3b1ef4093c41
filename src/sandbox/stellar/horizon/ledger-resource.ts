import type { Selectable } from 'kysely';
import { protocolVersion } from '../node/header-xdr.ts';
import type { StellarLedgersTable } from '../stellar-tables.ts';
import { ledgerId } from '../total-order-id.ts';
import type { Links } from './horizon-links.ts';
import { amountText, type Fields, timeText } from './horizon-values.ts';

/** A closed ledger as history keeps it. */
export type LedgerRow = Selectable<StellarLedgersTable>;

/** A closed ledger as Horizon shows it. */
export function ledgerResource(row: LedgerRow, links: Links): Fields {
  const self = `/ledgers/${row.sequence}`;
  return {
    _links: {
      self: links.to(self),
      transactions: links.page(`${self}/transactions`),
      operations: links.page(`${self}/operations`),
      payments: links.page(`${self}/payments`),
      effects: links.page(`${self}/effects`),
    },
    ...{ id: row.hash, paging_token: String(ledgerId(row.sequence)), hash: row.hash, prev_hash: row.previous_hash },
    sequence: row.sequence,
    successful_transaction_count: row.successful_transactions,
    failed_transaction_count: row.failed_transactions,
    operation_count: row.operations,
    tx_set_operation_count: row.tx_set_operations,
    closed_at: timeText(row.closed_at),
    total_coins: amountText(row.total_coins),
    fee_pool: amountText(row.fee_pool),
    base_fee_in_stroops: row.base_fee,
    base_reserve_in_stroops: row.base_reserve,
    max_tx_set_size: row.max_tx_set_size,
    protocol_version: protocolVersion,
    header_xdr: row.header_xdr,
  };
}
