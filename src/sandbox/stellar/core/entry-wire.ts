import {
  type LedgerEntryDataWire,
  type LedgerEntryWire,
  type LedgerKeyWire,
  type PublicKeyWire,
  XdrString,
} from '@stellar/stellar-sdk/xdr';
import { publicKeyOf, signerKeyOf } from './account-key.ts';
import type { Account, ClaimableBalance, DataEntry, LiquidityPool, Offer, Trustline } from './entries.ts';
import { poolFee } from './entries.ts';
import { assetWire, lineAssetWire } from './ledger-asset.ts';

/** Entries as `LedgerEntry` and `LedgerKey` (Stellar-ledger-entries.x). */
const optionalKey = (account: string | null): PublicKeyWire | null => (account === null ? null : publicKeyOf(account));

const none = { v: 0 } as const;

function accountData(account: Account): LedgerEntryDataWire {
  const { master, low, medium, high } = account.thresholds;
  const sequence = { ext: none, seqLedger: account.sequenceLedger, seqTime: account.sequenceTime };
  const sponsorships = {
    numSponsored: account.sponsored,
    numSponsoring: account.sponsoring,
    signerSponsoringIDs: account.signers.map(({ sponsor }) => optionalKey(sponsor)),
    ext: { v: 3, v3: sequence } as const,
  };
  const liabilities = { buying: account.buying, selling: account.selling };
  return {
    type: 0,
    account: {
      accountId: publicKeyOf(account.id),
      balance: account.balance,
      seqNum: account.sequence,
      numSubEntries: account.subEntries,
      inflationDest: optionalKey(account.inflationDestination),
      flags: account.flags,
      homeDomain: new XdrString(account.homeDomain),
      thresholds: Uint8Array.of(master, low, medium, high),
      signers: account.signers.map(({ key, weight }) => ({ key: signerKeyOf(key), weight })),
      ext: { v: 1, v1: { liabilities, ext: { v: 2, v2: sponsorships } } },
    },
  };
}

function lineData(line: Trustline): LedgerEntryDataWire {
  const pools =
    line.poolUses === 0 ? none : ({ v: 2, v2: { liquidityPoolUseCount: line.poolUses, ext: none } } as const);
  const liabilities = { buying: line.buying, selling: line.selling };
  const { balance, limit, flags } = line;
  return {
    type: 1,
    trustLine: {
      accountId: publicKeyOf(line.account),
      asset: lineAssetWire(line.asset),
      balance,
      limit,
      flags,
      ext: { v: 1, v1: { liabilities, ext: pools } },
    },
  };
}

/** The part of an offer’s entry that results show as well. */
export const offerWire = (offer: Offer) => ({
  sellerId: publicKeyOf(offer.seller),
  offerId: offer.id,
  selling: assetWire(offer.selling),
  buying: assetWire(offer.buying),
  amount: offer.amount,
  price: offer.price,
  flags: offer.passive ? 1 : 0,
  ext: none,
});

function balanceData({ id, asset, amount, claimants, clawback }: ClaimableBalance): LedgerEntryDataWire {
  return {
    type: 4,
    claimableBalance: {
      balanceId: { type: 0, v0: Buffer.from(id.slice(8), 'hex') },
      claimants: claimants.map(({ destination, predicate }) => ({
        type: 0,
        v0: { destination: publicKeyOf(destination), predicate },
      })),
      asset: assetWire(asset),
      amount,
      ext: clawback ? { v: 1, v1: { ext: none, flags: 1 } } : none,
    },
  };
}

function poolData(pool: LiquidityPool): LedgerEntryDataWire {
  const params = { assetA: assetWire(pool.assetA), assetB: assetWire(pool.assetB), fee: poolFee };
  const { reserveA, reserveB, shares, trustlines } = pool;
  const constantProduct = { params, reserveA, reserveB, totalPoolShares: shares, poolSharesTrustLineCount: trustlines };
  return {
    type: 5,
    liquidityPool: { liquidityPoolId: Buffer.from(pool.id, 'hex'), body: { type: 0, constantProduct } },
  };
}

const dataOf = ({ account, name, value }: DataEntry): LedgerEntryDataWire => ({
  type: 3,
  data: { accountId: publicKeyOf(account), dataName: new XdrString(name), dataValue: value, ext: none },
});

/** Any entry, told apart by its table. */
export type Entry =
  | { readonly kind: 'account'; readonly entry: Account }
  | { readonly kind: 'line'; readonly entry: Trustline }
  | { readonly kind: 'offer'; readonly entry: Offer }
  | { readonly kind: 'data'; readonly entry: DataEntry }
  | { readonly kind: 'balance'; readonly entry: ClaimableBalance }
  | { readonly kind: 'pool'; readonly entry: LiquidityPool };

function dataWire(entry: Entry): LedgerEntryDataWire {
  switch (entry.kind) {
    case 'account':
      return accountData(entry.entry);
    case 'line':
      return lineData(entry.entry);
    case 'offer':
      return { type: 2, offer: offerWire(entry.entry) };
    case 'data':
      return dataOf(entry.entry);
    case 'balance':
      return balanceData(entry.entry);
    case 'pool':
      return poolData(entry.entry);
  }
}

/** An entry as it is kept: with the ledger that stored it and who pays its reserve. */
export function entryWire(entry: Entry): LedgerEntryWire {
  const sponsor = 'sponsor' in entry.entry ? entry.entry.sponsor : null;
  const ext = sponsor === null ? none : ({ v: 1, v1: { sponsoringId: publicKeyOf(sponsor), ext: none } } as const);
  return { lastModifiedLedgerSeq: entry.entry.lastModified, data: dataWire(entry), ext };
}

/** The key of an entry. */
export function keyWire({ kind, entry }: Entry): LedgerKeyWire {
  switch (kind) {
    case 'account':
      return { type: 0, account: { accountId: publicKeyOf(entry.id) } };
    case 'line':
      return { type: 1, trustLine: { accountId: publicKeyOf(entry.account), asset: lineAssetWire(entry.asset) } };
    case 'offer':
      return { type: 2, offer: { sellerId: publicKeyOf(entry.seller), offerId: entry.id } };
    case 'data':
      return { type: 3, data: { accountId: publicKeyOf(entry.account), dataName: new XdrString(entry.name) } };
    case 'balance':
      return { type: 4, claimableBalance: { balanceId: { type: 0, v0: Buffer.from(entry.id.slice(8), 'hex') } } };
    case 'pool':
      return { type: 5, liquidityPool: { liquidityPoolId: Buffer.from(entry.id, 'hex') } };
  }
}
