import type { Clock } from '../../../core/clock.ts';
import type { Ledger } from '../core/ledger.ts';
import type { StellarDb } from '../tables.ts';
import { readSequence, tellOthers } from './ledger.store.ts';
import { isIdleDue, nextCloseTime } from './ledger-header.ts';
import { createLedgerKeeper, type KeeperOptions, type LedgerStep } from './ledger-keeper.ts';

/** The ledger while nobody else, in this process or another, changes it. */
interface LedgerTurn {
  readonly tx: StellarDb;
  readonly ledger: Ledger;
  /** How long ago the last ledger was closed by the database’s clock, in milliseconds. */
  readonly ageMs: number;
  /** Closes the next ledger. */
  close(): Promise<void>;
  /** Closes one when an idle network would have closed one since. */
  closeWhenIdle(): Promise<void>;
}

/** The one place through which the ledger is read and changed. */
export interface LedgerDesk {
  /**
   * Runs work on the ledger alone. It is written down, and told, when the work resolves; when it fails, or cannot be
   * written down, nothing of it happened.
   */
  exclusively<T>(work: (turn: LedgerTurn) => Promise<T>): Promise<T>;
  /** The ledger as it stands, with what other processes closed: read it at once, before anything else is awaited. */
  current(): Promise<Ledger>;
  /** Calls back after each ledger, whoever closed it. Returns the function that ends that. */
  onLedger(callback: () => void): () => void;
  /** Calls back with what each ledger brought about; `null` when that is not known and all has to be read anew. */
  onStep(callback: (step: LedgerStep | null) => void): () => void;
  /** Resolves when what is under way is done. */
  settled(): Promise<void>;
}

/** What the desk stands on. */
export interface LedgerDeskDeps extends Pick<KeeperOptions, 'firstTransactions'> {
  readonly db: StellarDb;
  readonly clock: Clock;
  /** Time between two ledgers while there is something to do, in milliseconds. */
  readonly closeEveryMs: number;
  /** What to send on which channel of the database so that other processes look. */
  readonly notice: { readonly channel: string; readonly payload: string };
}

/** Opens the desk. It touches the database when it is first asked for something. */
export function createLedgerDesk({ db, clock, closeEveryMs, notice, firstTransactions }: LedgerDeskDeps): LedgerDesk {
  const listeners = createListeners();
  const keeper = createLedgerKeeper({ now: () => clock.now(), firstTransactions });
  const turns = createTurns();

  async function runTurn<T>(work: (turn: LedgerTurn) => Promise<T>, steps: (LedgerStep | null)[]): Promise<T> {
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
      if (ledger.header.sequence !== before) await tellOthers(tx, notice);
      return result;
    });
  }

  async function exclusively<T>(work: (turn: LedgerTurn) => Promise<T>): Promise<T> {
    return await turns.run(async () => {
      const steps: (LedgerStep | null)[] = [];
      try {
        const result = await runTurn(work, steps);
        listeners.tell(steps);
        return result;
      } catch (error) {
        keeper.forget();
        throw error;
      }
    });
  }

  return {
    exclusively,
    current: async () => {
      await turns.settled();
      const known = keeper.inMemory();
      if (known !== null && (await readSequence(db)) === known.header.sequence) return known;
      return await exclusively(async ({ ledger }) => ledger);
    },
    onLedger: listeners.onLedger,
    onStep: listeners.onStep,
    settled: turns.settled,
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
    tell: (steps: readonly (LedgerStep | null)[]) => {
      if (steps.length === 0) return;
      for (const step of steps) for (const callback of [...stepCallbacks]) callback(step);
      for (const callback of [...ledgerCallbacks]) callback();
    },
  };
}

/** Runs work one after the other, in the order it came. */
interface Turns {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all that was asked for so far is done. */
  settled(): Promise<void>;
}

/** Makes turns that nobody has taken yet. */
function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: work => {
      const mine = last.then(work);
      last = mine.catch(() => undefined);
      return mine;
    },
    settled: async () => {
      await last;
    },
  };
}
