import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRecording } from '../../sandbox/stellar/core/recording.ts';

const folder = join(import.meta.dirname, '../../fixtures/stellar-core');

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

/** All transactions of the recordings of stellar-core. */
export function recordedTransactions(): RecordedTransaction[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.json.br'))
    .flatMap(name => readRecording(join(folder, name)).steps)
    .filter(step => step.kind === 'tx') as RecordedTransaction[];
}
