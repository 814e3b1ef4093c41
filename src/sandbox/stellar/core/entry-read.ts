import type {
  AccountEntryWire,
  ClaimableBalanceEntryWire,
  LedgerEntryWire,
  LedgerKeyWire,
  LiquidityPoolEntryWire,
  OfferEntryWire,
  PublicKeyWire,
  TrustLineEntryWire,
} from '@stellar/stellar-sdk/xdr';
import { accountOf, signerText } from './account-key.ts';
import type { Account, ClaimableBalance, LiquidityPool, Offer, Trustline } from './entries.ts';
import type { EntryTable } from './entry-table.ts';
import type { Entry } from './entry-wire.ts';
import { assetText } from './ledger-asset.ts';
import { dataKey, type LedgerState, lineKey } from './ledger-state.ts';

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

const balanceIdOf = (hash: Uint8Array): string => `00000000${Buffer.from(hash).toString('hex')}`;

const readBalance = (wire: ClaimableBalanceEntryWire, stored: StoredFields): ClaimableBalance => ({
  ...stored,
  id: balanceIdOf(wire.balanceId.v0),
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

/** A row of whichever table. */
type Place = readonly [table: EntryTable<unknown>, key: string];

const place = <Row>(table: EntryTable<Row>, key: string): Place => [table as EntryTable<unknown>, key];

function placeOf(state: LedgerState, { kind, entry }: Entry): Place {
  switch (kind) {
    case 'account':
      return place(state.accounts, entry.id);
    case 'line':
      return place(state.lines, lineKey(entry.account, entry.asset));
    case 'offer':
      return place(state.offers, String(entry.id));
    case 'data':
      return place(state.data, dataKey(entry.account, entry.name));
    case 'balance':
      return place(state.balances, entry.id);
    case 'pool':
      return place(state.pools, entry.id);
  }
}

function placeOfKey(state: LedgerState, key: LedgerKeyWire): Place {
  switch (key.type) {
    case 0:
      return place(state.accounts, accountOf(key.account.accountId));
    case 1:
      return place(state.lines, lineKey(accountOf(key.trustLine.accountId), assetText(key.trustLine.asset)));
    case 2:
      return place(state.offers, String(key.offer.offerId));
    case 3:
      return place(state.data, dataKey(accountOf(key.data.accountId), key.data.dataName.toString()));
    case 4:
      return place(state.balances, balanceIdOf(key.claimableBalance.balanceId.v0));
    case 5:
      return place(state.pools, Buffer.from(key.liquidityPool.liquidityPoolId).toString('hex'));
    default:
      throw new RangeError(`ledger entries of type ${key.type} are not kept here`);
  }
}

/** Puts a stored entry in its table. */
export function keepEntry(state: LedgerState, entry: Entry): void {
  const [table, key] = placeOf(state, entry);
  table.restore(key, entry.entry);
}

/** Takes the entry of this key out of its table. */
export function dropEntry(state: LedgerState, ledgerKey: LedgerKeyWire): void {
  const [table, key] = placeOfKey(state, ledgerKey);
  table.restore(key, undefined);
}
