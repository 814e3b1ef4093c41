import type { Selectable } from 'kysely';
import { appliedAmong } from '../history/write-history.store.ts';
import type { StellarDb, StellarTransactionsTable } from '../tables.ts';
import type { LedgerDesk } from './ledger-access.ts';

/** A transaction in a ledger. */
export type AppliedRow = Selectable<StellarTransactionsTable>;

/** Tells when transactions are in a ledger. */
export interface Confirmations {
  /** The transaction with the hash (its own or that inside its fee bump) once it is in a ledger; null when that takes longer. */
  wait(hash: string, patienceMs: number): Promise<AppliedRow | null>;
}

/** Makes the watch over ledgers: one question a ledger, however many wait. */
export function createConfirmations(db: StellarDb, desk: Pick<LedgerDesk, 'onLedger'>): Confirmations {
  const waiting = new Map<string, Set<(row: AppliedRow) => void>>();
  let asking: Promise<void> | null = null;
  let again = false;

  /** Looks for all that are waited for; what closes meanwhile is looked for once more afterwards. */
  function look(): void {
    if (waiting.size === 0) return;
    if (asking !== null) {
      again = true;
      return;
    }
    asking = ask()
      .catch(() => undefined)
      .finally(() => {
        asking = null;
        if (again) {
          again = false;
          look();
        }
      });
  }

  async function ask(): Promise<void> {
    for (const row of await appliedAmong(db, [...waiting.keys()])) {
      for (const hash of [row.hash, row.inner_hash]) {
        if (hash !== null) for (const answer of waiting.get(hash) ?? []) answer(row);
      }
    }
  }

  desk.onLedger(look);
  return {
    wait: (hash, patienceMs) =>
      new Promise(resolve => {
        const callbacks = waiting.get(hash) ?? new Set();
        waiting.set(hash, callbacks);
        const end = (row: AppliedRow | null) => {
          clearTimeout(timer);
          callbacks.delete(end);
          if (callbacks.size === 0 && waiting.get(hash) === callbacks) waiting.delete(hash);
          resolve(row);
        };
        const timer = setTimeout(() => end(null), patienceMs);
        callbacks.add(end);
        look();
      }),
  };
}
