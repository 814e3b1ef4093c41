import type { ClaimPredicateWire } from '@stellar/stellar-sdk/xdr';
import type { AccountView } from '../../core/ledger.ts';
import {
  type Account,
  type ClaimableBalance,
  type LiquidityPool,
  type Offer,
  poolFee,
  type Trustline,
} from '../../core/state/entries.ts';
import { isPoolShare, native } from '../../core/state/identifiers.ts';
import type { Links } from '../http/request.ts';
import { amountText, assetFields, authorizationFlags, type Fields, present, priceText, timeText } from './fields.ts';

/** Horizon’s record of an account. `modifiedAt` is null if the ledger of the last change was deleted as empty. */
export function accountRecord(
  account: AccountView,
  lines: readonly Trustline[],
  modifiedAt: Date | null,
  links: Links,
): Fields {
  return present({
    _links: accountLinks(account.id, links),
    id: account.id,
    account_id: account.id,
    sequence: String(account.sequence),
    ...(account.sequenceLedger > 0 && {
      sequence_ledger: account.sequenceLedger,
      sequence_time: String(account.sequenceTime),
    }),
    subentry_count: account.subEntries,
    inflation_destination: account.inflationDestination ?? undefined,
    home_domain: account.homeDomain === '' ? undefined : account.homeDomain,
    last_modified_ledger: account.lastModified,
    last_modified_time: modifiedAt === null ? null : timeText(modifiedAt),
    thresholds: {
      low_threshold: account.thresholds.low,
      med_threshold: account.thresholds.medium,
      high_threshold: account.thresholds.high,
    },
    flags: authorizationFlags(account.flags),
    balances: [...[...lines].sort(byAsset).map(lineBalance), nativeBalance(account)],
    signers: signers(account),
    data: Object.fromEntries(account.data.map(({ name, value }) => [name, Buffer.from(value).toString('base64')])),
    num_sponsoring: account.sponsoring,
    num_sponsored: account.sponsored,
    sponsor: account.sponsor ?? undefined,
    paging_token: account.id,
  });
}

function accountLinks(id: string, links: Links): Fields {
  const self = `/accounts/${id}`;
  return {
    self: links.to(self),
    transactions: links.page(`${self}/transactions`),
    operations: links.page(`${self}/operations`),
    payments: links.page(`${self}/payments`),
    effects: links.page(`${self}/effects`),
    offers: links.page(`${self}/offers`),
    trades: links.page(`${self}/trades`),
    data: links.to(`${self}/data/{key}`),
  };
}

/** Sorts pool shares first, then trust lines by code and issuer. */
function byAsset(a: Trustline, b: Trustline): number {
  const [x, y] = [a, b].map(({ asset }) => (isPoolShare(asset) ? ` ${asset}` : asset));
  return (x ?? '') < (y ?? '') ? -1 : 1;
}

function lineBalance(line: Trustline): Fields {
  const authorized = (line.flags & 1) !== 0;
  const shares = isPoolShare(line.asset);
  return present({
    balance: amountText(line.balance),
    ...(shares && { liquidity_pool_id: line.asset }),
    limit: amountText(line.limit),
    ...(!shares && {
      buying_liabilities: amountText(line.buying),
      selling_liabilities: amountText(line.selling),
    }),
    sponsor: shares ? undefined : (line.sponsor ?? undefined),
    last_modified_ledger: line.lastModified,
    is_authorized: authorized,
    is_authorized_to_maintain_liabilities: authorized || (line.flags & 2) !== 0,
    is_clawback_enabled: (line.flags & 4) !== 0 ? true : undefined,
    ...(shares ? { asset_type: 'liquidity_pool_shares' } : assetFields(line.asset)),
  });
}

function nativeBalance(account: Account): Fields {
  return {
    balance: amountText(account.balance),
    buying_liabilities: amountText(account.buying),
    selling_liabilities: amountText(account.selling),
    ...assetFields(native),
  };
}

const signerTypes: Readonly<Record<string, string>> = {
  G: 'ed25519_public_key',
  T: 'preauth_tx',
  X: 'sha256_hash',
  P: 'ed25519_signed_payload',
};

/** The signers, sorted by key. A master key with weight 0 cannot sign and comes last. */
function signers(account: Account): readonly Fields[] {
  const master = { key: account.id, weight: account.thresholds.master, sponsor: null };
  const listed = [...account.signers, ...(master.weight > 0 ? [master] : [])].sort((a, b) => (a.key < b.key ? -1 : 1));
  const all = master.weight > 0 ? listed : [...listed, master];
  return all.map(({ key, weight, sponsor }) =>
    present({ weight, key, type: signerTypes[key.charAt(0)], sponsor: sponsor ?? undefined }),
  );
}

/** The close time of the ledger of the last change. Null if that ledger was deleted as empty. */
type Modified = Date | null;

const modified = (ledger: number, at: Modified): Fields => ({
  last_modified_ledger: ledger,
  last_modified_time: at === null ? null : timeText(at),
});

export function offerRecord(offer: Offer, modifiedAt: Modified, links: Links): Fields {
  return present({
    _links: { self: links.to(`/offers/${offer.id}`), offer_maker: links.to(`/accounts/${offer.seller}`) },
    id: String(offer.id),
    paging_token: String(offer.id),
    seller: offer.seller,
    selling: assetFields(offer.selling),
    buying: assetFields(offer.buying),
    amount: amountText(offer.amount),
    price_r: { n: offer.price.n, d: offer.price.d },
    price: priceText(offer.price),
    ...modified(offer.lastModified, modifiedAt),
    sponsor: offer.sponsor ?? undefined,
  });
}

export function poolRecord(pool: LiquidityPool, modifiedAt: Modified, links: Links): Fields {
  const self = `/liquidity_pools/${pool.id}`;
  return {
    _links: {
      self: links.to(self),
      transactions: links.page(`${self}/transactions`),
      operations: links.page(`${self}/operations`),
    },
    id: pool.id,
    paging_token: pool.id,
    fee_bp: poolFee,
    type: 'constant_product',
    total_trustlines: String(pool.trustlines),
    total_shares: amountText(pool.shares),
    reserves: [
      { asset: pool.assetA, amount: amountText(pool.reserveA) },
      { asset: pool.assetB, amount: amountText(pool.reserveB) },
    ],
    ...modified(pool.lastModified, modifiedAt),
  };
}

export function balanceRecord(balance: ClaimableBalance, modifiedAt: Modified, links: Links): Fields {
  const self = `/claimable_balances/${balance.id}`;
  return present({
    _links: {
      self: links.to(self),
      transactions: links.page(`${self}/transactions`),
      operations: links.page(`${self}/operations`),
    },
    id: balance.id,
    asset: balance.asset,
    amount: amountText(balance.amount),
    sponsor: balance.sponsor ?? undefined,
    ...modified(balance.lastModified, modifiedAt),
    claimants: balance.claimants.map(({ destination, predicate }) => ({
      destination,
      predicate: predicateFields(predicate),
    })),
    flags: { clawback_enabled: balance.clawback },
    paging_token: `${balance.lastModified}-${balance.id}`,
  });
}

/** Horizon’s form of a claim predicate. */
export function predicateFields(predicate: ClaimPredicateWire): Fields {
  switch (predicate.type) {
    case 0:
      return { unconditional: true };
    case 1:
      return { and: predicate.andPredicates.map(predicateFields) };
    case 2:
      return { or: predicate.orPredicates.map(predicateFields) };
    case 3:
      return predicate.notPredicate === null ? {} : { not: predicateFields(predicate.notPredicate) };
    case 4:
      return { ...momentField(predicate.absBefore), abs_before_epoch: String(predicate.absBefore) };
    case 5:
      return { rel_before: String(predicate.relBefore) };
  }
}

/** The last second of the year 9999. Horizon omits later dates. */
const lastSecond = 253_402_300_799n;

function momentField(seconds: bigint): Fields {
  if (seconds > lastSecond || seconds < 0n) return {};
  return { abs_before: new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z') };
}
