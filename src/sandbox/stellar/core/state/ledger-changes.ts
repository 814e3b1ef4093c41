import { LedgerEntry, LedgerKey, type LedgerKeyWire } from '@stellar/stellar-sdk/xdr';
import type { ChangedEntry, Entry } from './entries.ts';
import type { EntryTable } from './entry-table.ts';
import { entryWire, keyWire, readEntry } from './entry-xdr.ts';
import { accountOf, assetText, balanceIdText } from './identifiers.ts';
import { dataKey, type LedgerState, lineKey } from './ledger-state.ts';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** A copy of its own, as the codec takes views out of a Buffer. */
const bytes = (xdr: string): Uint8Array => new Uint8Array(Buffer.from(xdr, 'base64'));

const kindsOf = (state: LedgerState) =>
  new Map<unknown, Entry['kind']>([
    [state.accounts, 'account'],
    [state.lines, 'line'],
    [state.offers, 'offer'],
    [state.data, 'data'],
    [state.balances, 'balance'],
    [state.pools, 'pool'],
  ]);

/** Makes all that changed final and tells it as it is kept, stamped with the ledger. */
export function settleChanges(state: LedgerState): ChangedEntry[] {
  const kinds = kindsOf(state);
  const changes: ChangedEntry[] = [];
  for (const { table, key, before } of state.journal.settle()) {
    const kind = kinds.get(table);
    if (kind === undefined) continue;
    const row = table.get(key);
    const named = { kind, entry: row ?? before } as Entry;
    const keyXdr = base64(LedgerKey.schema.encode(keyWire(named)));
    if (row === undefined) {
      changes.push({ keyXdr, entryXdr: null });
      continue;
    }
    const stamped = { kind, entry: { ...named.entry, lastModified: state.header.sequence } } as Entry;
    (table as EntryTable<unknown>).restore(key, stamped.entry);
    changes.push({ keyXdr, entryXdr: base64(LedgerEntry.schema.encode(entryWire(stamped))) });
  }
  return changes;
}

/** Takes over entries as they are kept. */
export function loadChanges(state: LedgerState, changes: Iterable<ChangedEntry>): void {
  for (const { keyXdr, entryXdr } of changes) {
    if (entryXdr === null) dropEntry(state, LedgerKey.schema.decode(bytes(keyXdr)));
    else keepEntry(state, readEntry(LedgerEntry.schema.decode(bytes(entryXdr))));
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
      return place(state.balances, balanceIdText(key.claimableBalance.balanceId));
    case 5:
      return place(state.pools, Buffer.from(key.liquidityPool.liquidityPoolId).toString('hex'));
    default:
      throw new RangeError(`ledger entries of type ${key.type} are not kept here`);
  }
}

/** Puts a stored entry in its table. */
function keepEntry(state: LedgerState, entry: Entry): void {
  const [table, key] = placeOf(state, entry);
  table.restore(key, entry.entry);
}

/** Takes the entry of this key out of its table. */
function dropEntry(state: LedgerState, ledgerKey: LedgerKeyWire): void {
  const [table, key] = placeOfKey(state, ledgerKey);
  table.restore(key, undefined);
}
