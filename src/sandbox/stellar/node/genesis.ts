import { createHash } from 'node:crypto';
import { LedgerEntry, LedgerKey } from '@stellar/stellar-sdk/xdr';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import type { Account } from '../core/entries.ts';
import { entryWire, keyWire } from '../core/entry-wire.ts';
import type { ClosedLedger } from '../ledger.ts';
import { sandboxKey } from '../sandbox-key.ts';
import { secondsOf } from './close-time.ts';

/** The account that a network begins with: its key is the network’s id, as on every Stellar network. */
export const rootKey = () => sandboxKey(createHash('sha256').update(testPassphrase).digest());

/** All coins there are, in stroops: 100 billion XLM. */
const allCoins = 1_000_000_000_000_000_000n;

/** The first ledger of a network that begins now: one account that has everything. */
export function genesisLedger(now: Date): ClosedLedger {
  const entry = { kind: 'account', entry: rootAccount() } as const;
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    header: {
      sequence: 1,
      closeTime: secondsOf(now),
      baseFee: 100,
      baseReserve: 5_000_000,
      maxTxSetSize: 1000,
      feePool: 0n,
      totalCoins: allCoins,
      idPool: 0n,
    },
    transactions: [],
    changes: [
      {
        keyXdr: base64(LedgerKey.schema.encode(keyWire(entry))),
        entryXdr: base64(LedgerEntry.schema.encode(entryWire(entry))),
      },
    ],
    dropped: [],
  };
}

function rootAccount(): Account {
  return {
    id: rootKey().address,
    balance: allCoins,
    sequence: 0n,
    subEntries: 0,
    inflationDestination: null,
    flags: 0,
    homeDomain: '',
    thresholds: { master: 1, low: 0, medium: 0, high: 0 },
    signers: [],
    ...{ sponsoring: 0, sponsored: 0, sequenceLedger: 0, sequenceTime: 0n },
    ...{ buying: 0n, selling: 0n, sponsor: null, lastModified: 1 },
  };
}
