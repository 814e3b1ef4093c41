import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { protocolVersion } from '../node/header-xdr.ts';
import type { Links } from './horizon-links.ts';
import { type Fields, timeText } from './horizon-values.ts';
import type { HorizonView } from './horizon-view.ts';

/** Names the software: a client that looks learns that this is no Horizon of the real network. */
const version = 'pay-checkout-sandbox';

/** Lists that can be asked for, as templates (RFC 6570). */
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

/** `GET /`: what this Horizon knows, and where to ask it. */
export function rootDocument({ header }: HorizonView, links: Links): Fields {
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
