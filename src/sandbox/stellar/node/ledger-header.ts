import { createHash } from 'node:crypto';
import { LedgerEntry, LedgerHeader as LedgerHeaderXdr, LedgerKey } from '@stellar/stellar-sdk/xdr';
import type { ClosedLedger } from '../core/ledger-close.ts';
import type { Account, LedgerHeader } from '../core/state/entries.ts';
import { entryWire, keyWire } from '../core/state/entry-xdr.ts';
import { rootKey } from '../seeded/accounts.ts';

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

/** The protocol the network says it speaks. */
export const protocolVersion = 27;

/** A ledger’s header as the network signs it, and its hash (hex), which the next header names. */
export interface SealedHeader {
  readonly hash: string;
  readonly headerXdr: string;
}

/** The parent of the first ledger. */
export const noHeader: SealedHeader = { hash: '0'.repeat(64), headerXdr: '' };

/**
 * Seals a closed ledger: a `LedgerHeader` that commits to its transactions, their results and its predecessor. In place
 * of the hash of stellar-core’s bucket list stands the hash of the former one and of all changed entries, which commits
 * to the same state.
 */
export function sealHeader({ header, transactions, changes }: ClosedLedger, previous: SealedHeader): SealedHeader {
  const formerState = previous.headerXdr === '' ? new Uint8Array(32) : open(previous.headerXdr).bucketListHash;
  const bytes = LedgerHeaderXdr.schema.encode({
    ledgerVersion: protocolVersion,
    previousLedgerHash: Buffer.from(previous.hash, 'hex'),
    scpValue: {
      txSetHash: hashOf(transactions.map(({ hash }) => hash)),
      closeTime: header.closeTime,
      upgrades: [],
      ext: { v: 0 },
    },
    txSetResultHash: hashOf(transactions.map(({ resultXdr }) => resultXdr)),
    bucketListHash: hashOf([formerState, ...changes.flatMap(({ keyXdr, entryXdr }) => [keyXdr, entryXdr ?? ''])]),
    ledgerSeq: header.sequence,
    totalCoins: header.totalCoins,
    feePool: header.feePool,
    inflationSeq: 0,
    idPool: header.idPool,
    baseFee: header.baseFee,
    baseReserve: header.baseReserve,
    maxTxSetSize: header.maxTxSetSize,
    skipList: Array.from({ length: 4 }, () => new Uint8Array(32)),
    ext: { v: 0 },
  });
  return {
    hash: createHash('sha256').update(bytes).digest('hex'),
    headerXdr: Buffer.from(bytes).toString('base64'),
  };
}

function open(headerXdr: string) {
  return LedgerHeaderXdr.schema.decode(Buffer.from(headerXdr, 'base64'));
}

function hashOf(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** An idle network closes an empty ledger this long after the last one, in milliseconds; a slow one not before its time. */
const idleMs = 5_000;

/** Whole seconds since 1970. */
export function secondsOf(now: Date): bigint {
  return BigInt(Math.floor(now.getTime() / 1000));
}

/**
 * The close time of the next ledger. It never goes back, and it goes on by a second at least, as on the real network,
 * where ledgers are a second or more apart; where they come faster it may stand still rather than run away from the
 * clock.
 */
export function nextCloseTime({ closeTime }: LedgerHeader, now: Date, closeEveryMs: number): bigint {
  const seconds = secondsOf(now);
  if (seconds > closeTime) return seconds;
  const ahead = closeTime + 1n - seconds;
  return closeEveryMs >= 1000 && ahead <= 1n ? closeTime + 1n : closeTime;
}

/** Whether an idle network would have closed a ledger since. */
export function isIdleDue({ closeTime }: LedgerHeader, now: Date, closeEveryMs: number): boolean {
  return Number(secondsOf(now) - closeTime) * 1000 >= Math.max(idleMs, closeEveryMs);
}
