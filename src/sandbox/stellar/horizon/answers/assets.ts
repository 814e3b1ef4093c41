import type { LedgerView } from '../../core/ledger.ts';
import { isPoolShare } from '../../core/state/identifiers.ts';
import { isAfter, type PageQuery, type PageRecord, pageOf } from '../http/page.ts';
import { invalidField } from '../http/problem.ts';
import type { HorizonRequest } from '../http/request.ts';
import { amountText, assetFields, authorizationFlags, type Fields } from '../records/fields.ts';

/** A number of trust lines, claimable balances or pools, and the sum of their amounts in stroops. */
interface Share {
  count: number;
  amount: bigint;
}

/** The totals of an asset: trust lines by authorization, claimable balances, and pools. */
interface AssetTotals {
  readonly asset: string;
  readonly authorized: Share;
  readonly maintaining: Share;
  readonly unauthorized: Share;
  readonly balances: Share;
  readonly pools: Share;
}

/** `GET /assets`: the supply of each issued asset. */
export function assetStats(view: LedgerView, request: HorizonRequest, page: PageQuery): readonly PageRecord[] {
  const code = request.text('asset_code');
  if (code !== '' && !/^[A-Za-z0-9]{1,12}$/.test(code))
    throw invalidField('asset_code', `${code} is not a valid asset code`);
  const issuer = request.account('asset_issuer');
  const found = [...totalsByAsset(view).values()].filter(({ asset }) => {
    const [itsCode, itsIssuer] = asset.split(':');
    return (code === '' || itsCode === code) && (issuer === null || itsIssuer === issuer);
  });
  const byToken = (a: AssetTotals, b: AssetTotals) => (tokenOf(a) < tokenOf(b) ? -1 : 1);
  return pageOf(found, page, byToken, row => isAfter(tokenOf(row), page.cursor, page.order)).map(totals => ({
    pagingToken: tokenOf(totals),
    body: statsOf(view, totals),
  }));
}

function tokenOf({ asset }: AssetTotals): string {
  const [code, issuer] = asset.split(':');
  return `${code}_${issuer}_${assetFields(asset)['asset_type']}`;
}

function totalsByAsset(view: LedgerView): ReadonlyMap<string, AssetTotals> {
  const totals = new Map<string, AssetTotals>();
  const of = (asset: string): AssetTotals => {
    const share = (): Share => ({ count: 0, amount: 0n });
    const known = totals.get(asset) ?? {
      asset,
      authorized: share(),
      maintaining: share(),
      unauthorized: share(),
      balances: share(),
      pools: share(),
    };
    totals.set(asset, known);
    return known;
  };
  const { trustlines, claimableBalances } = view.all();
  for (const { asset, flags, balance } of trustlines) {
    if (isPoolShare(asset)) continue;
    const { authorized, maintaining, unauthorized } = of(asset);
    add((flags & 1) !== 0 ? authorized : (flags & 2) !== 0 ? maintaining : unauthorized, balance);
  }
  for (const { asset, amount } of claimableBalances) if (asset.includes(':')) add(of(asset).balances, amount);
  for (const { assetA, assetB, reserveA, reserveB } of view.pools()) {
    if (assetA.includes(':')) add(of(assetA).pools, reserveA);
    if (assetB.includes(':')) add(of(assetB).pools, reserveB);
  }
  return totals;
}

function add(share: Share, amount: bigint): void {
  share.count++;
  share.amount += amount;
}

function statsOf(view: LedgerView, totals: AssetTotals): Fields {
  const { asset, authorized, maintaining, unauthorized, balances, pools } = totals;
  const issuer = view.account(asset.slice(asset.indexOf(':') + 1));
  const toml =
    issuer === null || issuer.homeDomain === '' ? '' : `https://${issuer.homeDomain}/.well-known/stellar.toml`;
  return {
    _links: { toml: { href: toml } },
    ...assetFields(asset),
    paging_token: tokenOf(totals),
    num_claimable_balances: balances.count,
    num_liquidity_pools: pools.count,
    num_contracts: 0,
    accounts: {
      authorized: authorized.count,
      authorized_to_maintain_liabilities: maintaining.count,
      unauthorized: unauthorized.count,
    },
    claimable_balances_amount: amountText(balances.amount),
    liquidity_pools_amount: amountText(pools.amount),
    contracts_amount: amountText(0n),
    balances: {
      authorized: amountText(authorized.amount),
      authorized_to_maintain_liabilities: amountText(maintaining.amount),
      unauthorized: amountText(unauthorized.amount),
    },
    flags: authorizationFlags(issuer?.flags ?? 0),
  };
}
