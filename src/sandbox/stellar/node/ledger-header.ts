import { createHash } from 'node:crypto';
import { LedgerHeader as LedgerHeaderXdr } from '@stellar/stellar-sdk/xdr';
import type { ClosedLedger } from '../core/ledger-close.ts';
import { type LedgerHeader, newAccount } from '../core/state/entries.ts';
import { encodeEntry } from '../core/state/entry-xdr.ts';
import { rootKey } from '../seeded/accounts.ts';

/** 100 billion XLM, in stroops. */
const allCoins = 1_000_000_000_000_000_000n;

/** The first ledger of a new network, in which the root account holds all coins. */
export function genesisLedger(now: Date): ClosedLedger {
  const root = { ...newAccount(rootKey().address, allCoins, 0, null), lastModified: 1 };
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
    changes: [encodeEntry({ kind: 'account', entry: root })],
    dropped: [],
  };
}

/** The protocol version that headers and answers contain. */
export const protocolVersion = 27;

/** A ledger header in XDR and its hash (hex). The next header contains this hash. */
export interface SealedHeader {
  readonly hash: string;
  readonly headerXdr: string;
}

/** The predecessor of the first header. */
export const noHeader: SealedHeader = { hash: '0'.repeat(64), headerXdr: '' };

/**
 * Creates the `LedgerHeader` of a closed ledger. The header contains hashes of the transactions, their results and the
 * previous header. `bucketListHash` differs from stellar-core’s: it hashes the previous `bucketListHash` and all
 * changed entries.
 */
export function sealHeader({ header, transactions, changes }: ClosedLedger, previous: SealedHeader): SealedHeader {
  const formerState = previous.headerXdr === '' ? new Uint8Array(32) : decodeHeader(previous.headerXdr).bucketListHash;
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
  return { hash: hashOf([bytes]).toString('hex'), headerXdr: Buffer.from(bytes).toString('base64') };
}

/** Decodes a `LedgerHeader`, base64. */
export const decodeHeader = (headerXdr: string) => LedgerHeaderXdr.schema.decode(Buffer.from(headerXdr, 'base64'));

function hashOf(parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Time until a ledger is due without transactions. A longer close interval takes precedence. */
const idleMs = 5_000;

/** Seconds since 1970, rounded down. */
const secondsOf = (now: Date): bigint => BigInt(Math.floor(now.getTime() / 1000));

/**
 * The close time of the next ledger. It is normally at least a second after the last close time, as on the real
 * network. It equals the last close time if that time is ahead of the clock, or if ledgers close more than once a
 * second.
 */
export function nextCloseTime({ closeTime }: LedgerHeader, now: Date, closeEveryMs: number): bigint {
  const seconds = secondsOf(now);
  if (seconds > closeTime) return seconds;
  const ahead = closeTime + 1n - seconds;
  return closeEveryMs >= 1000 && ahead <= 1n ? closeTime + 1n : closeTime;
}

/** Whether a ledger is due even without transactions. */
export function isIdleDue({ closeTime }: LedgerHeader, now: Date, closeEveryMs: number): boolean {
  return Number(secondsOf(now) - closeTime) * 1000 >= Math.max(idleMs, closeEveryMs);
}
