import { sql } from 'kysely';
import { executePrepared } from '../../../server/platform/db/prepared.ts';
import type { StellarDb } from '../tables.ts';
import type { Fault, FaultKind, SwitchedFault } from './fault.ts';

/** The active faults. All processes that use the database have the same faults. */
export interface Faults {
  list(): Promise<readonly SwitchedFault[]>;
  replace(faults: readonly Fault[]): Promise<void>;
  /** Returns an active fault of one of `kinds` for a request of `path`, or null. Counts the occurrence. */
  meet(kinds: readonly FaultKind[], path: string): Promise<Fault | null>;
  /** Discards the cache; call it when another process may have changed the faults. */
  refresh(): void;
}

/** `announce` reports a change to other processes. `chance` returns random numbers from 0 to below 1. */
interface FaultDeps {
  readonly db: StellarDb;
  readonly announce: () => Promise<void>;
  readonly chance?: () => number;
}

/** Caches the active faults, so that a network without faults needs no queries. */
export function createFaults({ db, announce, chance = Math.random }: FaultDeps): Faults {
  let known: Promise<readonly SwitchedFault[]> | null = null;

  async function load(): Promise<readonly SwitchedFault[]> {
    known ??= readFaults(db).catch(error => {
      known = null;
      throw error;
    });
    return await known;
  }

  async function meet(kinds: readonly FaultKind[], path: string): Promise<Fault | null> {
    for (const { id, fault, remaining } of await load()) {
      if (!kinds.includes(fault.fault) || !path.startsWith(fault.path ?? '')) continue;
      if (chance() >= (fault.probability ?? 1)) continue;
      if (remaining === null || (await countFault(db, id))) return fault;
    }
    return null;
  }

  return {
    list: async () => await readFaults(db),
    replace: async faults => {
      await replaceFaults(db, faults);
      known = null;
      await announce();
    },
    meet,
    refresh: () => {
      known = null;
    },
  };
}

async function readFaults(db: StellarDb): Promise<readonly SwitchedFault[]> {
  const query = db
    .selectFrom('sandbox.stellar_faults')
    .selectAll()
    .where(eb => eb.or([eb('remaining', 'is', null), eb('remaining', '>', 0)]))
    .orderBy('id');
  const { rows } = await executePrepared(db, query);
  return rows.map(({ id, definition, remaining }) => ({ id, fault: definition as Fault, remaining }));
}

async function replaceFaults(db: StellarDb, faults: readonly Fault[]): Promise<void> {
  await db.transaction().execute(async tx => {
    await tx.deleteFrom('sandbox.stellar_faults').execute();
    if (faults.length === 0) return;
    const rows = faults.map(fault => ({ definition: JSON.stringify(fault), remaining: fault.count ?? null }));
    await tx.insertInto('sandbox.stellar_faults').values(rows).execute();
  });
}

/** Counts an occurrence. Returns false if no occurrence remains, because another request counted the last one. */
async function countFault(db: StellarDb, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sandbox.stellar_faults set remaining = remaining - 1 where id = ${id} and remaining > 0`.execute(db);
  return numAffectedRows === 1n;
}
