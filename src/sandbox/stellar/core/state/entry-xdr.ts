import {
  type AccountEntryWire,
  type ClaimableBalanceEntryWire,
  LedgerEntry,
  type LedgerEntryDataWire,
  type LedgerEntryWire,
  LedgerKey,
  type LedgerKeyWire,
  type LiquidityPoolEntryWire,
  type OfferEntryWire,
  type PublicKeyWire,
  type TrustLineEntryWire,
  XdrString,
} from '@stellar/stellar-sdk/xdr';
import {
  type Account,
  type ChangedEntry,
  type ClaimableBalance,
  type Entry,
  type EntryKind,
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
  balanceIdWire,
  dataKey,
  hex,
  lineAssetWire,
  lineKey,
  publicKeyOf,
  signerKeyOf,
  signerText,
} from './identifiers.ts';

const none = { v: 0 } as const;

/** The XDR value of an optional account. */
const optionalKey = (account: string | null): PublicKeyWire | null => (account === null ? null : publicKeyOf(account));
const optionalAccount = (key: PublicKeyWire | null): string | null => (key === null ? null : accountOf(key));

function accountWire(account: Account): AccountEntryWire {
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
  };
}

function lineWire(line: Trustline): TrustLineEntryWire {
  const pools =
    line.poolUses === 0 ? none : ({ v: 2, v2: { liquidityPoolUseCount: line.poolUses, ext: none } } as const);
  const liabilities = { buying: line.buying, selling: line.selling };
  const { balance, limit, flags } = line;
  return {
    accountId: publicKeyOf(line.account),
    asset: lineAssetWire(line.asset),
    balance,
    limit,
    flags,
    ext: { v: 1, v1: { liabilities, ext: pools } },
  };
}

export const offerWire = (offer: Offer): OfferEntryWire => ({
  sellerId: publicKeyOf(offer.seller),
  offerId: offer.id,
  selling: assetWire(offer.selling),
  buying: assetWire(offer.buying),
  amount: offer.amount,
  price: offer.price,
  flags: offer.passive ? 1 : 0,
  ext: none,
});

const balanceWire = ({ id, asset, amount, claimants, clawback }: ClaimableBalance): ClaimableBalanceEntryWire => ({
  balanceId: balanceIdWire(id),
  claimants: claimants.map(({ destination, predicate }) => ({
    type: 0,
    v0: { destination: publicKeyOf(destination), predicate },
  })),
  asset: assetWire(asset),
  amount,
  ext: clawback ? { v: 1, v1: { ext: none, flags: 1 } } : none,
});

function poolWire(pool: LiquidityPool): LiquidityPoolEntryWire {
  const params = { assetA: assetWire(pool.assetA), assetB: assetWire(pool.assetB), fee: poolFee };
  const { reserveA, reserveB, shares, trustlines } = pool;
  const constantProduct = { params, reserveA, reserveB, totalPoolShares: shares, poolSharesTrustLineCount: trustlines };
  return { liquidityPoolId: Buffer.from(pool.id, 'hex'), body: { type: 0, constantProduct } };
}

function dataWire({ kind, entry }: Entry): LedgerEntryDataWire {
  switch (kind) {
    case 'account':
      return { type: 0, account: accountWire(entry) };
    case 'line':
      return { type: 1, trustLine: lineWire(entry) };
    case 'offer':
      return { type: 2, offer: offerWire(entry) };
    case 'data': {
      const { account, name, value: dataValue } = entry;
      const data = { accountId: publicKeyOf(account), dataName: new XdrString(name), dataValue, ext: none };
      return { type: 3, data };
    }
    case 'balance':
      return { type: 4, claimableBalance: balanceWire(entry) };
    case 'pool':
      return { type: 5, liquidityPool: poolWire(entry) };
  }
}

/** The stored form of an entry, with its key. */
export function encodeEntry(entry: Entry): ChangedEntry {
  const sponsor = 'sponsor' in entry.entry ? entry.entry.sponsor : null;
  const ext = sponsor === null ? none : ({ v: 1, v1: { sponsoringId: publicKeyOf(sponsor), ext: none } } as const);
  const wire: LedgerEntryWire = { lastModifiedLedgerSeq: entry.entry.lastModified, data: dataWire(entry), ext };
  return { keyXdr: encodeKey(entry), entryXdr: base64(LedgerEntry.schema.encode(wire)) };
}

/** The `LedgerKey` of an entry, base64. */
export const encodeKey = (entry: Entry): string => base64(LedgerKey.schema.encode(keyWire(entry)));

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function keyWire({ kind, entry }: Entry): LedgerKeyWire {
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
      return { type: 4, claimableBalance: { balanceId: balanceIdWire(entry.id) } };
    case 'pool':
      return { type: 5, liquidityPool: { liquidityPoolId: Buffer.from(entry.id, 'hex') } };
  }
}

/** The key of an entry in its table. */
export function rowKey({ kind, entry }: Entry): string {
  switch (kind) {
    case 'line':
      return lineKey(entry.account, entry.asset);
    case 'data':
      return dataKey(entry.account, entry.name);
    default:
      return String(entry.id);
  }
}

/** The table and the row that a `LedgerKey` names. Throws RangeError for contract entries, which are unsupported. */
export function rowOf(key: LedgerKeyWire): { readonly kind: EntryKind; readonly key: string } {
  switch (key.type) {
    case 0:
      return { kind: 'account', key: accountOf(key.account.accountId) };
    case 1:
      return { kind: 'line', key: lineKey(accountOf(key.trustLine.accountId), assetText(key.trustLine.asset)) };
    case 2:
      return { kind: 'offer', key: String(key.offer.offerId) };
    case 3:
      return { kind: 'data', key: dataKey(accountOf(key.data.accountId), key.data.dataName.toString()) };
    case 4:
      return { kind: 'balance', key: balanceIdText(key.claimableBalance.balanceId) };
    case 5:
      return { kind: 'pool', key: hex(key.liquidityPool.liquidityPoolId) };
    default:
      throw new RangeError(`the sandbox ledger has no entries of type ${key.type}`);
  }
}

/** Like {@link rowOf}, but from base64. */
export const decodeKey = (keyXdr: string) => rowOf(LedgerKey.schema.decode(bytesOf(keyXdr)));

/** Copies the bytes. The codec returns views, and a view of a Buffer would keep Node’s whole buffer pool in memory. */
const bytesOf = (xdr: string): Uint8Array => new Uint8Array(Buffer.from(xdr, 'base64'));

/** Reads a `LedgerEntry`, base64. Throws RangeError for contract entries. */
export function decodeEntry(entryXdr: string): Entry {
  const { lastModifiedLedgerSeq: lastModified, data, ext } = LedgerEntry.schema.decode(bytesOf(entryXdr));
  const stored = { sponsor: ext.v === 1 ? optionalAccount(ext.v1.sponsoringId) : null, lastModified };
  switch (data.type) {
    case 0:
      return { kind: 'account', entry: { ...stored, ...readAccount(data.account) } };
    case 1:
      return { kind: 'line', entry: { ...stored, ...readLine(data.trustLine) } };
    case 2:
      return { kind: 'offer', entry: { ...stored, ...readOffer(data.offer) } };
    case 3: {
      const { accountId, dataName, dataValue: value } = data.data;
      return { kind: 'data', entry: { ...stored, account: accountOf(accountId), name: dataName.toString(), value } };
    }
    case 4:
      return { kind: 'balance', entry: { ...stored, ...readBalance(data.claimableBalance) } };
    case 5:
      return { kind: 'pool', entry: { lastModified, ...readPool(data.liquidityPool) } };
    default:
      throw new RangeError(`the sandbox ledger has no entries of type ${data.type}`);
  }
}

type Unstored<T> = Omit<T, 'sponsor' | 'lastModified'>;

function readAccount(wire: AccountEntryWire): Unstored<Account> {
  const v1 = wire.ext.v === 1 ? wire.ext.v1 : null;
  const v2 = v1?.ext.v === 2 ? v1.ext.v2 : null;
  const v3 = v2?.ext.v === 3 ? v2.ext.v3 : null;
  const [master = 0, low = 0, medium = 0, high = 0] = wire.thresholds;
  return {
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

function readLine(wire: TrustLineEntryWire): Unstored<Trustline> {
  const v1 = wire.ext.v === 1 ? wire.ext.v1 : null;
  const { balance, limit, flags } = wire;
  return {
    account: accountOf(wire.accountId),
    asset: assetText(wire.asset),
    balance,
    limit,
    flags,
    buying: v1?.liabilities.buying ?? 0n,
    selling: v1?.liabilities.selling ?? 0n,
    poolUses: v1?.ext.v === 2 ? v1.ext.v2.liquidityPoolUseCount : 0,
  };
}

const readOffer = (wire: OfferEntryWire): Unstored<Offer> => ({
  id: wire.offerId,
  seller: accountOf(wire.sellerId),
  selling: assetText(wire.selling),
  buying: assetText(wire.buying),
  amount: wire.amount,
  price: wire.price,
  passive: (wire.flags & 1) !== 0,
});

const readBalance = (wire: ClaimableBalanceEntryWire): Unstored<ClaimableBalance> => ({
  id: balanceIdText(wire.balanceId),
  asset: assetText(wire.asset),
  amount: wire.amount,
  claimants: wire.claimants.map(({ v0: { destination, predicate } }) => ({
    destination: accountOf(destination),
    predicate,
  })),
  clawback: wire.ext.v === 1 && (wire.ext.v1.flags & 1) !== 0,
});

function readPool({ liquidityPoolId, body }: LiquidityPoolEntryWire): Unstored<LiquidityPool> {
  const { params, reserveA, reserveB, totalPoolShares: shares, poolSharesTrustLineCount } = body.constantProduct;
  const assets = { assetA: assetText(params.assetA), assetB: assetText(params.assetB) };
  return { id: hex(liquidityPoolId), ...assets, reserveA, reserveB, shares, trustlines: poolSharesTrustLineCount };
}
