import { LedgerEntry, LedgerKey } from '@stellar/stellar-sdk/xdr';
import type { ChangedEntry } from '../ledger.ts';
import { dropEntry, keepEntry, readEntry } from './entry-read.ts';
import type { EntryTable } from './entry-table.ts';
import { type Entry, entryWire, keyWire } from './entry-wire.ts';
import type { LedgerState } from './ledger-state.ts';

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
