import type { Account } from './entries.ts';

/** An account as it begins: its sequence starts at the ledger’s number, shifted so that it never repeats. */
export function newAccount(id: string, balance: bigint, ledger: number, sponsor: string | null): Account {
  return {
    id,
    balance,
    sequence: BigInt(ledger) << 32n,
    subEntries: 0,
    inflationDestination: null,
    flags: 0,
    homeDomain: '',
    thresholds: { master: 1, low: 0, medium: 0, high: 0 },
    signers: [],
    buying: 0n,
    selling: 0n,
    sponsoring: 0,
    sponsored: sponsor === null ? 0 : 2,
    sequenceLedger: 0,
    sequenceTime: 0n,
    sponsor,
    lastModified: ledger,
  };
}
