import { sql } from 'kysely';
import type { Fault } from './fault.ts';
import type { StellarDb } from './stellar-tables.ts';

/** A fault that is switched on. */
export interface SwitchedFault {
  readonly id: number;
  readonly fault: Fault;
  /** How often it is still to happen; null: until it is switched off. */
  readonly remaining: number | null;
}

/** Faults that are switched on, in the order they were given. */
export async function readFaults(db: StellarDb): Promise<readonly SwitchedFault[]> {
  const rows = await db
    .selectFrom('sandbox.stellar_faults')
    .selectAll()
    .where(eb => eb.or([eb('remaining', 'is', null), eb('remaining', '>', 0)]))
    .orderBy('id')
    .execute();
  return rows.map(({ id, definition, remaining }) => ({ id, fault: definition as Fault, remaining }));
}

/** Switches off all faults and switches these on. */
export async function replaceFaults(db: StellarDb, faults: readonly Fault[]): Promise<void> {
  await db.transaction().execute(async tx => {
    await tx.deleteFrom('sandbox.stellar_faults').execute();
    if (faults.length === 0) return;
    const rows = faults.map(fault => ({ definition: JSON.stringify(fault), remaining: fault.count ?? null }));
    await tx.insertInto('sandbox.stellar_faults').values(rows).execute();
  });
}

/** Counts that a fault happens; false when it has happened often enough, maybe in another process. */
export async function countFault(db: StellarDb, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sandbox.stellar_faults set remaining = remaining - 1 where id = ${id} and remaining > 0`.execute(db);
  return numAffectedRows === 1n;
}
