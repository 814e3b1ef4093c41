import type { ClaimPredicateWire } from '@stellar/stellar-sdk/xdr';
import type { AccountView, Ledger } from '../../../../src/sandbox/stellar/core/ledger.ts';
import type {
  Account,
  ClaimableBalance,
  LiquidityPool,
  Offer,
  Trustline,
} from '../../../../src/sandbox/stellar/core/state/entries.ts';

/** The ledger’s entries in the format of the recordings, without the ledger of their last change. */
type Json = Readonly<Record<string, unknown>>;

const signerView = ({ key, weight, sponsor }: Account['signers'][number]): Json =>
  sponsor === null ? { key, weight } : { key, weight, sponsor };

const dataView = ({ name, value, sponsor }: AccountView['data'][number]): Json => {
  const view = { name, value_base64: Buffer.from(value).toString('base64') };
  return sponsor === null ? view : { ...view, sponsor };
};

export function accountView(account: AccountView): Json {
  const { master, low, medium: med, high } = account.thresholds;
  const byName = account.data.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    id: account.id,
    balance: String(account.balance),
    sequence: String(account.sequence),
    num_subentries: account.subEntries,
    flags: account.flags,
    thresholds: { master, low, med, high },
    signers: account.signers.map(signerView),
    home_domain: account.homeDomain,
    data: byName.map(dataView),
    buying_liabilities: String(account.buying),
    selling_liabilities: String(account.selling),
    num_sponsored: account.sponsored,
    num_sponsoring: account.sponsoring,
    seq_ledger: account.sequenceLedger,
    seq_time: String(account.sequenceTime),
    inflation_dest: account.inflationDestination,
    sponsor: account.sponsor,
  };
}

export const trustlineView = (line: Trustline): Json => ({
  account: line.account,
  asset: line.asset.includes(':') ? line.asset : { liquidity_pool_id: line.asset },
  balance: String(line.balance),
  limit: String(line.limit),
  flags: line.flags,
  buying_liabilities: String(line.buying),
  selling_liabilities: String(line.selling),
  liquidity_pool_use_count: line.poolUses,
  sponsor: line.sponsor,
});

export const offerView = (offer: Offer): Json => ({
  offer_id: String(offer.id),
  seller: offer.seller,
  selling: offer.selling,
  buying: offer.buying,
  amount: String(offer.amount),
  price: { n: offer.price.n, d: offer.price.d },
  flags: offer.passive ? 1 : 0,
  sponsor: offer.sponsor,
});

export const poolView = (pool: LiquidityPool): Json => ({
  id: pool.id,
  type: 'constant_product',
  fee_bp: 30,
  asset_a: pool.assetA,
  asset_b: pool.assetB,
  reserve_a: String(pool.reserveA),
  reserve_b: String(pool.reserveB),
  total_shares: String(pool.shares),
  trustline_count: String(pool.trustlines),
});

function predicateView(predicate: ClaimPredicateWire): Json {
  switch (predicate.type) {
    case 0:
      return { unconditional: true };
    case 1:
      return { and: predicate.andPredicates.map(predicateView) };
    case 2:
      return { or: predicate.orPredicates.map(predicateView) };
    case 3:
      return { not: predicate.notPredicate && predicateView(predicate.notPredicate) };
    case 4:
      return { abs_before_epoch: String(predicate.absBefore) };
    case 5:
      return { rel_before: String(predicate.relBefore) };
  }
}

export const balanceView = (balance: ClaimableBalance): Json => ({
  id: balance.id,
  asset: balance.asset,
  amount: String(balance.amount),
  claimants: balance.claimants.map(({ destination, predicate }) => ({
    destination,
    predicate: predicateView(predicate),
  })),
  flags: balance.clawback ? 1 : 0,
  sponsor: balance.sponsor,
});

export const headerView = ({ header }: Ledger): Json => ({
  ledger: header.sequence,
  close_time: Number(header.closeTime),
  base_fee: header.baseFee,
  base_reserve: header.baseReserve,
  max_tx_set_size: header.maxTxSetSize,
  fee_pool: String(header.feePool),
  total_coins: String(header.totalCoins),
  id_pool: String(header.idPool),
});
