import { xdr } from '@stellar/stellar-sdk/base';
import type { History, Movement } from '../../wallet-messages.ts';
import { textOf } from './account-view.ts';
import { assetName, type Horizon, type HorizonAsset } from './horizon.ts';

/** Fields of a payment operation that the wallet reads. `type` decides which fields are present. */
interface Operation extends HorizonAsset {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly transaction_hash: string;
  readonly transaction?: { readonly memo?: string; readonly memo_type: string; readonly result_xdr: string };
  readonly from?: string;
  readonly from_muxed?: string;
  readonly to?: string;
  readonly to_muxed?: string;
  readonly amount?: string;
  readonly source_asset_type?: string;
  readonly source_asset_code?: string;
  readonly source_asset_issuer?: string;
  readonly source_amount?: string;
  readonly funder?: string;
  readonly account?: string;
  readonly starting_balance?: string;
  readonly into?: string;
}

const shown = 30;

/** The account's most recent payments. */
export async function historyView(horizon: Horizon, address: string): Promise<History> {
  const query = `order=desc&limit=${shown}&join=transactions`;
  const operations = await horizon.list<Operation>(`/accounts/${address}/payments?${query}`);
  const found = operations.map(operation => movementOf(address, operation));
  return { movements: found.filter(movement => movement !== null) };
}

type Money = Pick<Movement, 'direction' | 'asset' | 'amount' | 'spent' | 'with'>;

function movementOf(address: string, operation: Operation): Movement | null {
  const money = moneyOf(address, operation);
  if (money === null) return null;
  const { id, created_at: at, transaction_hash: hash, transaction } = operation;
  const memo = transaction === undefined || transaction.memo_type === 'none' ? null : (transaction.memo ?? null);
  return { id, at, hash, memo, ...money };
}

function moneyOf(address: string, operation: Operation): Money | null {
  switch (operation.type) {
    case 'create_account':
      return nativeMoney(
        operation.account === address,
        operation.funder,
        operation.account,
        operation.starting_balance,
      );
    case 'account_merge':
      return nativeMoney(operation.into === address, operation.account, operation.into, mergedAmount(operation));
    case 'payment':
    case 'path_payment_strict_receive':
    case 'path_payment_strict_send':
      return paidMoney(operation.to === address, operation);
    default:
      return null;
  }
}

function nativeMoney(isIn: boolean, from = '', to = '', amount = '0'): Money {
  return { direction: isIn ? 'in' : 'out', asset: 'XLM', amount, spent: null, with: isIn ? from : to };
}

function paidMoney(isIn: boolean, operation: Operation): Money {
  const asset = assetName(operation);
  const source = {
    asset_type: operation.source_asset_type ?? operation.asset_type,
    ...(operation.source_asset_code !== undefined && { asset_code: operation.source_asset_code }),
    ...(operation.source_asset_issuer !== undefined && { asset_issuer: operation.source_asset_issuer }),
  };
  const isExchanged = operation.source_amount !== undefined && assetName(source) !== asset;
  const other = isIn ? (operation.from_muxed ?? operation.from) : (operation.to_muxed ?? operation.to);
  return {
    direction: isIn ? 'in' : 'out',
    asset,
    amount: operation.amount ?? '0',
    spent: isExchanged ? { asset: assetName(source), amount: operation.source_amount ?? '0' } : null,
    with: other ?? '',
  };
}

/**
 * The amount of a merged account, which only the transaction's result contains. The last twelve bits of an operation's
 * id are its position in the transaction, counted from one (SEP-35).
 */
function mergedAmount({ id, transaction }: Operation): string {
  if (transaction === undefined) return '0';
  const { result } = xdr.TransactionResult.fromXdr(transaction.result_xdr, 'base64');
  const results = result.type === 'txSuccess' ? result.results : [];
  const own = results[Number(BigInt(id) & 0xfffn) - 1];
  if (own?.type !== 'opInner' || own.tr.type !== 'accountMerge') return '0';
  const merged = own.tr.accountMergeResult;
  return merged.type === 'accountMergeSuccess' ? textOf(merged.sourceAccountBalance) : '0';
}
