import { divideRounded, formatUnits } from '../../../../core/money.ts';
import { testPassphrase } from '../../../../core/stellar/stellar-network.ts';
import type { LedgerHeader } from '../../core/state/entries.ts';
import type { FeePerOperation } from '../../history/read-history.store.ts';
import { ledgerId } from '../../history/total-order-id.ts';
import { protocolVersion } from '../../node/ledger-header.ts';
import type { LedgerRow } from '../../tables.ts';
import type { Links } from '../http/request.ts';
import { amountText, type Fields, timeText } from './fields.ts';

export function ledgerRecord(row: LedgerRow, links: Links): Fields {
  const self = `/ledgers/${row.sequence}`;
  return {
    _links: {
      self: links.to(self),
      transactions: links.page(`${self}/transactions`),
      operations: links.page(`${self}/operations`),
      payments: links.page(`${self}/payments`),
      effects: links.page(`${self}/effects`),
    },
    id: row.hash,
    paging_token: String(ledgerId(row.sequence)),
    hash: row.hash,
    prev_hash: row.previous_hash,
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

/** The number of ledgers that the fee statistics cover. */
export const feeStatsLedgers = 5;

const percentiles = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99] as const;

/**
 * Fee statistics: charged fees and bids per operation of the latest ledgers, or the base fee if `fees` is empty.
 * `used`: the number of operations in these ledgers. `ledgers`: the number of ledgers.
 */
export function feeStats(
  header: LedgerHeader,
  fees: readonly FeePerOperation[],
  used: number,
  ledgers: number,
): Fields {
  const base = [BigInt(header.baseFee)];
  const room = BigInt(header.maxTxSetSize * ledgers);
  const usage = room === 0n ? 0n : divideRounded(BigInt(used) * 100n, room);
  return {
    last_ledger: String(header.sequence),
    last_ledger_base_fee: String(header.baseFee),
    ledger_capacity_usage: formatUnits(usage, 2).replace(/\.?0+$/, ''),
    fee_charged: feeDistribution(fees.length === 0 ? base : fees.map(({ charged }) => charged)),
    max_fee: feeDistribution(fees.length === 0 ? base : fees.map(({ offered }) => offered)),
  };
}

/** Maximum, minimum, most frequent value and percentiles. `values` must not be empty. */
export function feeDistribution(values: readonly bigint[]): Fields {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const at = (percent: number) => String(sorted[Math.floor((percent * sorted.length + 99) / 100) - 1]);
  return {
    max: String(sorted.at(-1)),
    min: String(sorted[0]),
    mode: String(mode(sorted)),
    ...Object.fromEntries(percentiles.map(percent => [`p${percent}`, at(percent)])),
  };
}

/** The most frequent of the sorted values. Among equally frequent values, the smallest. */
function mode(sorted: readonly bigint[]): bigint | undefined {
  const counts = new Map<bigint, number>();
  for (const value of sorted) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best = sorted[0];
  for (const [value, count] of counts) if (best === undefined || count > (counts.get(best) ?? 0)) best = value;
  return best;
}

/** The name of the software. Clients can recognize the sandbox by this name. */
const version = 'pay-checkout-sandbox';

/** Link templates (RFC 6570). */
const templates: Readonly<Record<string, string>> = {
  account: '/accounts/{account_id}',
  accounts: '/accounts{?signer,sponsor,asset,liquidity_pool,cursor,limit,order}',
  account_transactions: '/accounts/{account_id}/transactions{?cursor,limit,order}',
  claimable_balances: '/claimable_balances{?asset,sponsor,claimant,cursor,limit,order}',
  assets: '/assets{?asset_code,asset_issuer,cursor,limit,order}',
  fee_stats: '/fee_stats',
  friendbot: '/friendbot{?addr}',
  ledger: '/ledgers/{sequence}',
  ledgers: '/ledgers{?cursor,limit,order}',
  liquidity_pools: '/liquidity_pools{?reserves,account,cursor,limit,order}',
  offer: '/offers/{offer_id}',
  offers: '/offers{?selling,buying,seller,sponsor,cursor,limit,order}',
  operation: '/operations/{id}',
  operations: '/operations{?cursor,limit,order,include_failed}',
  order_book:
    '/order_book{?selling_asset_type,selling_asset_code,selling_asset_issuer,buying_asset_type,buying_asset_code,' +
    'buying_asset_issuer,limit}',
  payments: '/payments{?cursor,limit,order,include_failed}',
  self: '/',
  strict_receive_paths:
    '/paths/strict-receive{?source_assets,source_account,destination_account,destination_asset_type,' +
    'destination_asset_issuer,destination_asset_code,destination_amount}',
  strict_send_paths:
    '/paths/strict-send{?destination_account,destination_assets,source_asset_type,source_asset_issuer,' +
    'source_asset_code,source_amount}',
  transaction: '/transactions/{hash}',
  transactions: '/transactions{?cursor,limit,order}',
};

/** The answer of `GET /`. */
export function rootDocument(header: LedgerHeader, links: Links): Fields {
  return {
    _links: Object.fromEntries(Object.entries(templates).map(([name, path]) => [name, links.to(path)])),
    horizon_version: version,
    core_version: version,
    ingest_latest_ledger: header.sequence,
    history_latest_ledger: header.sequence,
    history_latest_ledger_closed_at: timeText(new Date(Number(header.closeTime) * 1000)),
    history_elder_ledger: 1,
    core_latest_ledger: header.sequence,
    network_passphrase: testPassphrase,
    current_protocol_version: protocolVersion,
    supported_protocol_version: protocolVersion,
    core_supported_protocol_version: protocolVersion,
  };
}
