import type { Clock } from '../../../core/clock.ts';
import type { Ledger } from '../core/ledger.ts';
import type { StellarDb } from '../tables.ts';
import { notify, readSequence } from './ledger.store.ts';
import { isIdleDue, nextCloseTime } from './ledger-header.ts';
import { createLedgerKeeper, type KeeperOptions, type LedgerStep } from './ledger-keeper.ts';

/** The locked ledger. No other work, in this or another process, can change it meanwhile. */
interface LockedLedger {
  readonly tx: StellarDb;
  readonly ledger: Ledger;
  /** Time since the last ledger closed, by the database’s clock, in milliseconds. */
  readonly ageMs: number;
  close(): Promise<void>;
  /** Closes a ledger if a ledger is due even without transactions (`isIdleDue`). */
  closeWhenIdle(): Promise<void>;
}

/** The only way to open and change the ledger. */
export interface LedgerAccess {
  /** Locks the ledger and runs `work` in one database transaction. If the work or the commit fails, nothing changes. */
  exclusively<T>(work: (locked: LockedLedger) => Promise<T>): Promise<T>;
  /** Returns the up-to-date ledger. Read the ledger before the next `await`, because it can change then. */
  current(): Promise<Ledger>;
  /** Calls back once after work that closed or loaded ledgers. Returns a function that unsubscribes. */
  onLedger(callback: () => void): () => void;
  /**
   * Calls back with the changes of one or several closed ledgers. `null`: the changes are unknown, so all entries must
   * be read again. Returns a function that unsubscribes.
   */
  onStep(callback: (step: LedgerStep | null) => void): () => void;
  /** Resolves after the last queued work. */
  settled(): Promise<void>;
}

export interface LedgerAccessDeps extends Pick<KeeperOptions, 'firstTransactions'> {
  readonly db: StellarDb;
  readonly clock: Clock;
  /** Time between two ledgers while transactions are pending, in milliseconds. */
  readonly closeEveryMs: number;
  /** The database notification that reports a closed ledger to other processes. */
  readonly notice: { readonly channel: string; readonly payload: string };
}

/** Creates the access. Does not read the database before the first call of `current` or `exclusively`. */
export function createLedgerAccess({
  db,
  clock,
  closeEveryMs,
  notice,
  firstTransactions,
}: LedgerAccessDeps): LedgerAccess {
  const listeners = createListeners();
  const keeper = createLedgerKeeper({ now: () => clock.now(), firstTransactions });
  /** Resolves after the last queued work. Only one piece of work runs at a time. */
  let last: Promise<unknown> = Promise.resolve();

  async function transact<T>(work: (locked: LockedLedger) => Promise<T>, steps: (LedgerStep | null)[]): Promise<T> {
    return await db.transaction().execute(async tx => {
      const open = await keeper.open(tx, step => steps.push(step));
      const { ledger, ageMs } = open;
      const before = ledger.header.sequence;
      const close = async () => {
        steps.push(await keeper.close(tx, open, nextCloseTime(ledger.header, clock.now(), closeEveryMs)));
      };
      const closeWhenIdle = async () => {
        if (isIdleDue(ledger.header, clock.now(), closeEveryMs)) await close();
      };
      const result = await work({ tx, ledger, ageMs, close, closeWhenIdle });
      if (ledger.header.sequence !== before) await notify(tx, notice);
      return result;
    });
  }

  function exclusively<T>(work: (locked: LockedLedger) => Promise<T>): Promise<T> {
    const result = last.then(async () => {
      const steps: (LedgerStep | null)[] = [];
      try {
        const value = await transact(work, steps);
        listeners.call(steps);
        return value;
      } catch (error) {
        keeper.forget();
        throw error;
      }
    });
    last = result.catch(() => undefined);
    return result;
  }

  return {
    exclusively,
    current: async () => {
      await last;
      const known = keeper.inMemory();
      if (known !== null && (await readSequence(db)) === known.header.sequence) return known;
      return await exclusively(async ({ ledger }) => ledger);
    },
    onLedger: listeners.onLedger,
    onStep: listeners.onStep,
    settled: async () => void (await last),
  };
}

function createListeners() {
  const ledgerCallbacks = new Set<() => void>();
  const stepCallbacks = new Set<(step: LedgerStep | null) => void>();
  return {
    onLedger: (callback: () => void) => {
      ledgerCallbacks.add(callback);
      return () => ledgerCallbacks.delete(callback);
    },
    onStep: (callback: (step: LedgerStep | null) => void) => {
      stepCallbacks.add(callback);
      return () => stepCallbacks.delete(callback);
    },
    call: (steps: readonly (LedgerStep | null)[]) => {
      if (steps.length === 0) return;
      for (const step of steps) for (const callback of [...stepCallbacks]) callback(step);
      for (const callback of [...ledgerCallbacks]) callback();
    },
  };
}
