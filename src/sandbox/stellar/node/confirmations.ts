import { appliedAmong } from '../history/write-history.store.ts';
import type { StellarDb, TransactionRow } from '../tables.ts';
import type { LedgerAccess } from './ledger-access.ts';

/** Waits until transactions are in a ledger. */
export interface Confirmations {
  /** Returns the transaction with this outer or inner hash as soon as it is in a ledger. Null after the timeout. */
  wait(hash: string, timeoutMs: number): Promise<TransactionRow | null>;
}

/** Creates the confirmations. One query, after a new ledger or a new caller, serves all waiting callers. */
export function createConfirmations(db: StellarDb, access: Pick<LedgerAccess, 'onLedger'>): Confirmations {
  const waiting = new Map<string, Set<(row: TransactionRow) => void>>();
  let running = false;
  let again = false;

  /** Looks for the transactions. If a ledger closes or a caller arrives during the query, another query follows. */
  async function look(): Promise<void> {
    again = true;
    if (running) return;
    running = true;
    while (again && waiting.size > 0) {
      again = false;
      await query().catch(() => undefined);
    }
    running = false;
  }

  async function query(): Promise<void> {
    for (const row of await appliedAmong(db, [...waiting.keys()])) {
      for (const hash of [row.hash, row.inner_hash]) {
        if (hash !== null) for (const answer of waiting.get(hash) ?? []) answer(row);
      }
    }
  }

  access.onLedger(() => void look());
  return {
    wait: (hash, timeoutMs) =>
      new Promise(resolve => {
        const callbacks = waiting.get(hash) ?? new Set();
        waiting.set(hash, callbacks);
        const end = (row: TransactionRow | null) => {
          clearTimeout(timer);
          callbacks.delete(end);
          if (callbacks.size === 0 && waiting.get(hash) === callbacks) waiting.delete(hash);
          resolve(row);
        };
        const timer = setTimeout(() => end(null), timeoutMs);
        callbacks.add(end);
        void look();
      }),
  };
}
