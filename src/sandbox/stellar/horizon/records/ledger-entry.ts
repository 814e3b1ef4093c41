import type { ClaimPredicateWire } from '@stellar/stellar-sdk/xdr';
import { type ClaimableBalance, type LiquidityPool, type Offer, poolFee } from '../../core/state/entries.ts';
import type { Links } from '../http/request.ts';
import { amountText, assetFields, type Fields, present, priceText, timeText } from './fields.ts';

/** The close time of the last change; null when that ledger was deleted as empty. */
type Modified = Date | null;

const modified = (ledger: number, at: Modified): Fields => ({
  last_modified_ledger: ledger,
  last_modified_time: at === null ? null : timeText(at),
});

export function offerRecord(offer: Offer, modifiedAt: Modified, links: Links): Fields {
  return present({
    _links: { self: links.to(`/offers/${offer.id}`), offer_maker: links.to(`/accounts/${offer.seller}`) },
    ...{ id: String(offer.id), paging_token: String(offer.id), seller: offer.seller },
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
    ...{ id: pool.id, paging_token: pool.id, fee_bp: poolFee, type: 'constant_product' },
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
    ...{ id: balance.id, asset: balance.asset, amount: amountText(balance.amount) },
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

/** A claim predicate as Horizon returns it. */
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
