import { createHash } from 'node:crypto';
import { LedgerHeader as LedgerHeaderXdr } from '@stellar/stellar-sdk/xdr';
import type { ClosedLedger } from '../ledger.ts';

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
