import {
  type AccountEntryWire,
  type ClaimableBalanceEntryWire,
  type LedgerEntryDataWire,
  type LedgerEntryWire,
  type LedgerKeyWire,
  type LiquidityPoolEntryWire,
  type OfferEntryWire,
  type PublicKeyWire,
  type TrustLineEntryWire,
  XdrString,
} from '@stellar/stellar-sdk/xdr';
import {
  type Account,
  type ClaimableBalance,
  type DataEntry,
  type Entry,
  type LiquidityPool,
  type Offer,
  poolFee,
  type Trustline,
} from './entries.ts';
import {
  accountOf,
  assetText,
  assetWire,
  balanceIdText,
  lineAssetWire,
  publicKeyOf,
  signerKeyOf,
  signerText,
} from './identifiers.ts';

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

interface StoredFields {
  readonly sponsor: string | null;
  readonly lastModified: number;
}

const optionalAccount = (key: PublicKeyWire | null): string | null => (key === null ? null : accountOf(key));

function readAccount(wire: AccountEntryWire, stored: StoredFields): Account {
  const v1 = wire.ext.v === 1 ? wire.ext.v1 : null;
  const v2 = v1?.ext.v === 2 ? v1.ext.v2 : null;
  const v3 = v2?.ext.v === 3 ? v2.ext.v3 : null;
  const [master = 0, low = 0, medium = 0, high = 0] = wire.thresholds;
  return {
    ...stored,
    id: accountOf(wire.accountId),
    balance: wire.balance,
    sequence: wire.seqNum,
    subEntries: wire.numSubEntries,
    inflationDestination: optionalAccount(wire.inflationDest),
    flags: wire.flags,
    homeDomain: wire.homeDomain.toString(),
    thresholds: { master, low, medium, high },
    signers: wire.signers.map(({ key, weight }, index) => ({
      key: signerText(key),
      weight,
      sponsor: optionalAccount(v2?.signerSponsoringIDs[index] ?? null),
    })),
    buying: v1?.liabilities.buying ?? 0n,
    selling: v1?.liabilities.selling ?? 0n,
    sponsoring: v2?.numSponsoring ?? 0,
    sponsored: v2?.numSponsored ?? 0,
    sequenceLedger: v3?.seqLedger ?? 0,
    sequenceTime: v3?.seqTime ?? 0n,
  };
}

function readLine(wire: TrustLineEntryWire, stored: StoredFields): Trustline {
  const v1 = wire.ext.v === 1 ? wire.ext.v1 : null;
  return {
    ...stored,
    account: accountOf(wire.accountId),
    asset: assetText(wire.asset),
    balance: wire.balance,
    limit: wire.limit,
    flags: wire.flags,
    buying: v1?.liabilities.buying ?? 0n,
    selling: v1?.liabilities.selling ?? 0n,
    poolUses: v1?.ext.v === 2 ? v1.ext.v2.liquidityPoolUseCount : 0,
  };
}

const readOffer = (wire: OfferEntryWire, stored: StoredFields): Offer => ({
  ...stored,
  id: wire.offerId,
  seller: accountOf(wire.sellerId),
  selling: assetText(wire.selling),
  buying: assetText(wire.buying),
  amount: wire.amount,
  price: wire.price,
  passive: (wire.flags & 1) !== 0,
});

const readBalance = (wire: ClaimableBalanceEntryWire, stored: StoredFields): ClaimableBalance => ({
  ...stored,
  id: balanceIdText(wire.balanceId),
  asset: assetText(wire.asset),
  amount: wire.amount,
  claimants: wire.claimants.map(({ v0: { destination, predicate } }) => ({
    destination: accountOf(destination),
    predicate,
  })),
  clawback: wire.ext.v === 1 && (wire.ext.v1.flags & 1) !== 0,
});

function readPool({ liquidityPoolId, body }: LiquidityPoolEntryWire, lastModified: number): LiquidityPool {
  const { params, reserveA, reserveB, totalPoolShares, poolSharesTrustLineCount } = body.constantProduct;
  return {
    id: Buffer.from(liquidityPoolId).toString('hex'),
    assetA: assetText(params.assetA),
    assetB: assetText(params.assetB),
    reserveA,
    reserveB,
    shares: totalPoolShares,
    trustlines: poolSharesTrustLineCount,
    lastModified,
  };
}

/** Reads a stored entry; contracts have no place in this ledger. */
export function readEntry({ lastModifiedLedgerSeq: lastModified, data, ext }: LedgerEntryWire): Entry {
  const stored = { sponsor: ext.v === 1 ? optionalAccount(ext.v1.sponsoringId) : null, lastModified };
  switch (data.type) {
    case 0:
      return { kind: 'account', entry: readAccount(data.account, stored) };
    case 1:
      return { kind: 'line', entry: readLine(data.trustLine, stored) };
    case 2:
      return { kind: 'offer', entry: readOffer(data.offer, stored) };
    case 3: {
      const { accountId, dataName, dataValue: value } = data.data;
      return { kind: 'data', entry: { ...stored, account: accountOf(accountId), name: dataName.toString(), value } };
    }
    case 4:
      return { kind: 'balance', entry: readBalance(data.claimableBalance, stored) };
    case 5:
      return { kind: 'pool', entry: readPool(data.liquidityPool, lastModified) };
    default:
      throw new RangeError(`ledger entries of type ${data.type} are not kept here`);
  }
}
