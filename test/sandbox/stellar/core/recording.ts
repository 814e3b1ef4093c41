import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** A recording of stellar-core: submitted transactions, closed ledgers, and the final state. */
export interface Recording {
  readonly name: string;
  readonly network_passphrase: string;
  readonly accounts_used: { readonly root: { readonly public: string } };
  readonly initial_ledger: RecordedHeader;
  readonly steps: readonly (RecordedTransaction | RecordedClose)[];
  readonly final_state: FinalState;
}

export interface RecordedHeader {
  readonly ledger: number;
  readonly close_time: number;
  readonly base_fee: number;
  readonly base_reserve: number;
  readonly max_tx_set_size: number;
  readonly fee_pool: string;
  readonly total_coins: string;
  readonly id_pool: string;
}

export interface RecordedTransaction {
  readonly kind: 'tx';
  readonly note?: string;
  readonly envelope_xdr: string;
  readonly hash: string;
  readonly inner_hash?: string;
  readonly expected_submit_status: string;
  readonly result_xdr: string | null;
  readonly fee_charged: string | null;
  readonly ledger: number | null;
}

export interface RecordedClose {
  readonly kind: 'close';
  readonly ledger: number;
  readonly close_time: number;
  readonly apply_order: readonly string[];
  readonly fee_pool: string;
  readonly total_coins: string;
  readonly id_pool: string;
}

type Json = Readonly<Record<string, unknown>>;

export interface FinalState {
  readonly header: RecordedHeader;
  readonly accounts: readonly Json[];
  readonly trustlines: readonly Json[];
  readonly offers: readonly Json[];
  readonly pools: readonly Json[];
  readonly claimable_balances: readonly Json[];
}

/** Reads a recording, plain or compressed (`.json.br`). */
export function readRecording(path: string): Recording {
  const bytes = readFileSync(path);
  return JSON.parse((path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString());
}
