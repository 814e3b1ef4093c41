import { sql } from 'kysely';
import type { StellarDb } from '../stellar-tables.ts';

/** Tells whoever listens on the channel of the database, once the transaction is committed. */
export async function tellOthers(
  db: StellarDb,
  { channel, payload }: { readonly channel: string; readonly payload: string },
): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db);
}
