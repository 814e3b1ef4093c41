import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRecording } from '../../sandbox/stellar/core/recording.ts';

const folder = join(import.meta.dirname, '../../fixtures/stellar-core');

/** A transaction that was submitted to stellar-core, and its result. */
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

export function recordedTransactions(): RecordedTransaction[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.json.br'))
    .flatMap(name => readRecording(join(folder, name)).steps)
    .filter(step => step.kind === 'tx') as RecordedTransaction[];
}
