import { LedgerCloseMeta, LedgerEntry, LedgerEntryData, LedgerHeader, LedgerKey } from '@stellar/stellar-sdk/xdr';
import type { Fields } from '../horizon/horizon-values.ts';
import type { LedgerRow } from '../horizon/ledger-resource.ts';
import { entriesByKey } from '../node/kept-ledger.store.ts';
import type { StellarDb } from '../stellar-tables.ts';
import { invalidParams } from './rpc-error.ts';

/** The latest ledger as RPC shows it. The meta holds its header; what it applied is asked for by transaction. */
export function latestLedger(row: LedgerRow, protocolVersion: number): Fields {
  const header = LedgerHeader.schema.decode(Buffer.from(row.header_xdr, 'base64'));
  const meta = LedgerCloseMeta.schema.encode({
    v: 0,
    v0: {
      ledgerHeader: { hash: Buffer.from(row.hash, 'hex'), header, ext: { v: 0 } },
      txSet: { previousLedgerHash: Buffer.from(row.previous_hash, 'hex'), txs: [] },
      ...{ txProcessing: [], upgradesProcessing: [], scpInfo: [] },
    },
  });
  return {
    id: row.hash,
    protocolVersion,
    sequence: row.sequence,
    closeTime: String(secondsOf(row.closed_at)),
    headerXdr: row.header_xdr,
    metadataXdr: Buffer.from(meta).toString('base64'),
  };
}

/** Seconds since 1970. */
export function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

/** Keys that one call may ask for. */
const mostKeys = 200;

/** `getLedgerEntries`: the entries with the keys (`LedgerKey`, base64) that are there. */
export async function ledgerEntries(db: StellarDb, keys: unknown, sequence: number): Promise<Fields> {
  if (!Array.isArray(keys)) throw invalidParams('keys must be a list');
  if (keys.length > mostKeys) throw invalidParams(`key count (${keys.length}) exceeds maximum supported (${mostKeys})`);
  const entries = await entriesByKey(db, keys.map(canonicalKey));
  return {
    entries: entries.map(({ keyXdr, entryXdr }) => {
      const { lastModifiedLedgerSeq, data } = LedgerEntry.schema.decode(Buffer.from(entryXdr, 'base64'));
      const xdr = Buffer.from(LedgerEntryData.schema.encode(data)).toString('base64');
      return { key: keyXdr, xdr, lastModifiedLedgerSeq };
    }),
    latestLedger: sequence,
  };
}

function canonicalKey(text: unknown): string {
  try {
    const key = LedgerKey.schema.decode(Buffer.from(String(text), 'base64'));
    return Buffer.from(LedgerKey.schema.encode(key)).toString('base64');
  } catch {
    throw invalidParams(`cannot unmarshal key value ${String(text).slice(0, 200)}`);
  }
}
