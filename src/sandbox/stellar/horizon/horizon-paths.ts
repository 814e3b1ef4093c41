import type { ObjectName, PageName } from './horizon.ts';

/** Something that `GET` answers. */
export type HorizonPath =
  | { readonly path: string; readonly page: PageName; readonly streams: boolean }
  | { readonly path: string; readonly object: ObjectName; readonly streams: boolean };

const list = (path: string, page: PageName): HorizonPath => ({ path, page, streams: false });
const feed = (path: string, page: PageName): HorizonPath => ({ path, page, streams: true });
const one = (path: string, object: ObjectName): HorizonPath => ({ path, object, streams: false });
const live = (path: string, object: ObjectName): HorizonPath => ({ path, object, streams: true });

/** What Horizon answers to `GET`, and whether it streams it; as Horizon names the parts of its paths. */
export const horizonPaths: readonly HorizonPath[] = [
  one('/', 'root'),
  list('/accounts', 'accounts'),
  live('/accounts/:account_id', 'account'),
  live('/accounts/:account_id/data/:key', 'accountData'),
  feed('/accounts/:account_id/offers', 'accountOffers'),
  feed('/accounts/:account_id/operations', 'operations'),
  feed('/accounts/:account_id/payments', 'payments'),
  feed('/accounts/:account_id/transactions', 'transactions'),
  list('/assets', 'assets'),
  list('/claimable_balances', 'claimableBalances'),
  one('/claimable_balances/:claimable_balance_id', 'claimableBalance'),
  feed('/claimable_balances/:claimable_balance_id/operations', 'operations'),
  feed('/claimable_balances/:claimable_balance_id/transactions', 'transactions'),
  one('/fee_stats', 'feeStats'),
  feed('/ledgers', 'ledgers'),
  one('/ledgers/:ledger_id', 'ledger'),
  feed('/ledgers/:ledger_id/operations', 'operations'),
  feed('/ledgers/:ledger_id/payments', 'payments'),
  feed('/ledgers/:ledger_id/transactions', 'transactions'),
  list('/liquidity_pools', 'pools'),
  one('/liquidity_pools/:liquidity_pool_id', 'pool'),
  feed('/liquidity_pools/:liquidity_pool_id/operations', 'operations'),
  feed('/liquidity_pools/:liquidity_pool_id/transactions', 'transactions'),
  list('/offers', 'offers'),
  one('/offers/:offer_id', 'offer'),
  feed('/operations', 'operations'),
  one('/operations/:id', 'operation'),
  live('/order_book', 'orderBook'),
  one('/paths', 'strictReceive'),
  one('/paths/strict-receive', 'strictReceive'),
  one('/paths/strict-send', 'strictSend'),
  feed('/payments', 'payments'),
  feed('/transactions', 'transactions'),
  one('/transactions/:tx_id', 'transaction'),
  feed('/transactions/:tx_id/operations', 'operations'),
  feed('/transactions/:tx_id/payments', 'payments'),
];
