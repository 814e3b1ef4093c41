import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Recordings of stellar-core, which lie beside the repository; without them their tests are skipped. */
const vectors = join(import.meta.dirname, '../../..', '../shared/vectors/stellar-core');

/** A transaction that was handed to stellar-core, and what it said. */
export interface RecordedTransaction {
  readonly envelope_xdr: string;
  readonly hash: string;
  readonly result_xdr: string | null;
  readonly result_codes?: {
    readonly transaction: string;
    readonly inner_transaction?: string;
    readonly operations?: string[];
  } | null;
  readonly fee_charged: string | null;
}

export const hasRecordings = existsSync(vectors);

/** All of them, or none where there are none. */
export function recordedTransactions(): RecordedTransaction[] {
  if (!hasRecordings) return [];
  return readdirSync(vectors)
    .filter(file => file.endsWith('.json'))
    .map(file => JSON.parse(readFileSync(join(vectors, file), 'utf8')) as { steps: { kind: string }[] })
    .flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'tx') as unknown as RecordedTransaction[]);
}
