import type { LedgerView } from '../../core/ledger.ts';
import type { Offer } from '../../core/state/entries.ts';
import { isPoolShare, native } from '../../core/state/identifiers.ts';
import { readLimit } from '../http/page.ts';
import { badRequest, HorizonProblem, invalidField } from '../http/problem.ts';
import { amountParameter, assetInParts, assetList, type HorizonRequest, requireAccount } from '../http/request.ts';
import { amountText, assetFields, type Fields, priceText } from '../records/fields.ts';
import { type FoundPath, findPaths } from './path-search.ts';

/** The maximum number of assets in a search. A request lists these assets, or names an account that holds them. */
const mostAssets = 15;

/** `GET /paths/strict-send`: paths that send an exact amount. */
export function strictSend(view: LedgerView, request: HorizonRequest): Fields {
  const byAccount = request.text('destination_account') !== '';
  if (byAccount === (request.text('destination_assets') !== '')) {
    throw badRequest(
      'The request requires either a list of destination assets or a destination account. Both fields cannot be present.',
    );
  }
  const source = assetInParts(request, 'source_');
  if (source === null) throw invalidField('source_asset_type', assetTypeReason);
  const amount = amountParameter(request, 'source_amount');
  const destinations = byAccount
    ? heldBy(view, requireAccount(request, 'destination_account'), 'destination_account').map(({ asset }) => asset)
    : listed(request, 'destination_assets');
  return pathPage(findPaths(view, 'send', source, amount, destinations));
}

/** `GET /paths/strict-receive` and `/paths`: paths that deliver an exact amount. */
export function strictReceive(view: LedgerView, request: HorizonRequest): Fields {
  const byAccount = request.text('source_account') !== '';
  if (byAccount === (request.text('source_assets') !== '')) {
    throw badRequest(
      'The request requires either a list of source assets or a source account. Both fields cannot be present.',
    );
  }
  const destination = assetInParts(request, 'destination_');
  if (destination === null) throw invalidField('destination_asset_type', assetTypeReason);
  const amount = amountParameter(request, 'destination_amount');
  if (!byAccount) return pathPage(findPaths(view, 'receive', destination, amount, listed(request, 'source_assets')));
  const held = new Map(
    heldBy(view, requireAccount(request, 'source_account'), 'source_account').map(({ asset, balance }) => [
      asset,
      balance,
    ]),
  );
  const paths = findPaths(view, 'receive', destination, amount, [...held.keys()]);
  return pathPage(paths.filter(({ assets, sent }) => sent <= (held.get(assets[0] ?? '') ?? 0n)));
}

const assetTypeReason = 'Asset type must be native, credit_alphanum4 or credit_alphanum12';

function listed(request: HorizonRequest, name: string): readonly string[] {
  const assets = assetList(request, name);
  if (assets.length <= mostAssets) return assets;
  throw invalidField(name, `list of assets exceeds maximum length of ${mostAssets}`);
}

/** The tradable balances of an account. Empty if the account does not exist. */
function heldBy(view: LedgerView, account: string, name: string) {
  const found = view.account(account);
  if (found === null) return [];
  const lines = view.trustlines(account).filter(({ asset }) => !isPoolShare(asset));
  if (lines.length + 1 > mostAssets) {
    throw invalidField(
      name,
      'account has too many trustlines to use this endpoint (number of trustlines plus native XLM exceeds limit of ' +
        `${mostAssets})`,
    );
  }
  return [...lines.map(({ asset, balance }) => ({ asset, balance })), { asset: native, balance: found.balance }];
}

function pathPage(paths: readonly FoundPath[]): Fields {
  return { _embedded: { records: paths.map(pathRecord) } };
}

function pathRecord({ assets, sent, received }: FoundPath): Fields {
  return {
    ...assetFields(assets[0] ?? native, 'source_'),
    source_amount: amountText(sent),
    ...assetFields(assets.at(-1) ?? native, 'destination_'),
    destination_amount: amountText(received),
    path: assets.slice(1, -1).map(asset => assetFields(asset)),
  };
}

const usualLevels = 20;

/** `GET /order_book`: both sides of a market, by price level. */
export function orderBook(view: LedgerView, request: HorizonRequest): Fields {
  const pair = bookPair(request);
  if (pair === null) throw invalidOrderBook();
  const { selling, buying } = pair;
  const limit = readLimit(request, usualLevels);
  return {
    bids: levels(view.orderBook(buying, selling), limit, ({ n, d }) => ({ n: d, d: n })),
    asks: levels(view.orderBook(selling, buying), limit, price => price),
    base: assetFields(selling),
    counter: assetFields(buying),
  };
}

function bookPair(request: HorizonRequest): { readonly selling: string; readonly buying: string } | null {
  try {
    const selling = assetInParts(request, 'selling_');
    const buying = assetInParts(request, 'buying_');
    return selling === null || buying === null ? null : { selling, buying };
  } catch (error) {
    if (error instanceof HorizonProblem) return null;
    throw error;
  }
}

type Price = Offer['price'];

/** Price levels, best price first. A level is the sum of the offers with the same price. */
function levels(offers: readonly Offer[], limit: number, shown: (price: Price) => Price): readonly Fields[] {
  const found: { readonly price: Price; amount: bigint }[] = [];
  for (const { price, amount } of offers) {
    const last = found.at(-1);
    if (last !== undefined && isSamePrice(last.price, price)) last.amount += amount;
    else found.push({ price, amount });
  }
  return found.slice(0, limit).map(({ price, amount }) => {
    const ratio = reduced(shown(price));
    return { price_r: ratio, price: priceText(ratio), amount: amountText(amount) };
  });
}

function isSamePrice(a: Price, b: Price): boolean {
  return BigInt(a.n) * BigInt(b.d) === BigInt(b.n) * BigInt(a.d);
}

function reduced({ n, d }: Price): Price {
  let [a, b] = [n, d];
  while (b !== 0) [a, b] = [b, a % b];
  return { n: n / a, d: d / a };
}

function invalidOrderBook(): HorizonProblem {
  return new HorizonProblem({
    type: 'invalid_order_book',
    title: 'Invalid Order Book Parameters',
    status: 400,
    detail:
      'The parameters that specify what order book to view are invalid in some way. Please ensure that your type ' +
      'parameters (selling_asset_type and buying_asset_type) are one the following valid values: native, ' +
      'credit_alphanum4, credit_alphanum12.  Also ensure that you have specified selling_asset_code and ' +
      "selling_asset_issuer if selling_asset_type is not 'native', as well as buying_asset_code and " +
      "buying_asset_issuer if buying_asset_type is not 'native'",
  });
}
