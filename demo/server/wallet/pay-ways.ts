import { divideUp } from '../../../src/core/money.ts';
import { isStellarAddress } from '../../../src/core/stellar/strkey.ts';
import type { PaymentWish, PayWay, PayWays } from '../../wallet-messages.ts';
import { accountView, baseAddress, nativeFirst, stroopsOf, textOf } from './account-view.ts';
import { assetName, assetQuery, findAccount, type Horizon, type HorizonAsset, WalletError } from './horizon.ts';

interface PathRecord {
  readonly source_asset_type: string;
  readonly source_asset_code?: string;
  readonly source_asset_issuer?: string;
  readonly source_amount: string;
  readonly path: readonly HorizonAsset[];
}

/** Largest price change between quote and payment, in hundredths of a percent. */
const slippageBasisPoints = 100n;

/**
 * The cheapest way to pay from each asset of the account. Throws WalletError when the receiver cannot take the payment.
 */
export async function findWays(horizon: Horizon, from: string, wish: PaymentWish): Promise<PayWays> {
  const account = await accountView(horizon, from);
  if (!account.exists) throw new WalletError('account_missing', 'This wallet has no money yet. Get some first.');
  await checkReceiver(horizon, wish);
  const spendable = new Map(account.holdings.map(holding => [holding.asset, holding.spendable]));
  const direct = spendable.get(wish.asset);
  const straight: PayWay[] =
    direct === undefined
      ? []
      : [{ asset: wish.asset, amount: wish.amount, atMost: wish.amount, path: [], spendable: direct }];
  const paths = await pathsTo(horizon, from, wish);
  const exchanged = [...paths].flatMap(([asset, path]) => {
    const available = spendable.get(asset);
    if (available === undefined || asset === wish.asset) return [];
    return [
      { asset, amount: textOf(path.amount), atMost: withSlippage(path.amount), path: path.path, spendable: available },
    ];
  });
  return { ways: [...straight, ...exchanged.sort(nativeFirst)] };
}

function withSlippage(stroops: bigint): string {
  return textOf(stroops + divideUp(stroops * slippageBasisPoints, 10_000n));
}

interface FoundPath {
  readonly amount: bigint;
  readonly path: string[];
}

/** The cheapest path from each asset. */
async function pathsTo(horizon: Horizon, from: string, wish: PaymentWish): Promise<ReadonlyMap<string, FoundPath>> {
  const query = new URLSearchParams({
    source_account: from,
    destination_amount: wish.amount,
    ...assetQuery('destination', wish.asset),
  });
  const best = new Map<string, FoundPath>();
  for (const record of await horizon.list<PathRecord>(`/paths/strict-receive?${query}`)) {
    const asset = assetName({
      asset_type: record.source_asset_type,
      ...(record.source_asset_code !== undefined && { asset_code: record.source_asset_code }),
      ...(record.source_asset_issuer !== undefined && { asset_issuer: record.source_asset_issuer }),
    });
    const amount = stroopsOf(record.source_amount);
    const known = best.get(asset);
    if (known === undefined || amount < known.amount) best.set(asset, { amount, path: record.path.map(assetName) });
  }
  return best;
}

/** Checks that the receiver can take the payment, and that a required memo is present (SEP-29). */
async function checkReceiver(horizon: Horizon, wish: PaymentWish): Promise<void> {
  if (!isStellarAddress(wish.to)) throw new WalletError('unreadable', 'The address has a typing error.');
  const receiver = await findAccount(horizon, baseAddress(wish.to));
  if (receiver === null) {
    // A new account needs at least one XLM. A muxed address cannot open an account.
    const opens = wish.asset === 'XLM' && wish.to.startsWith('G') && stroopsOf(wish.amount) >= 10_000_000n;
    if (opens) return;
    throw new WalletError('receiver_missing', 'The receiver has no account on this network.');
  }
  const takes = receiver.balances.some(balance => assetName(balance) === wish.asset);
  if (!takes && !wish.asset.endsWith(`:${receiver.account_id}`)) {
    throw new WalletError('receiver_asset_missing', 'The receiver does not take this asset.');
  }
  const wantsMemo = receiver.data['config.memo_required'] === btoa('1');
  if (wantsMemo && wish.memo === null && wish.to.startsWith('G')) {
    throw new WalletError('memo_required', 'The receiver needs a memo to know what the money is for. Ask for it.');
  }
}
