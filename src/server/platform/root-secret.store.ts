import { randomBytes } from 'node:crypto';
import type { Generated } from 'kysely';
import type { Db } from './db/database.ts';
import type { MomentByDefault } from './db/tables.ts';

interface ServerKeysTable {
  id: number;
  root: Buffer;
  created_at: MomentByDefault;
  network: Generated<string | null>;
}

declare module './db/tables.ts' {
  interface Tables {
    server_keys: ServerKeysTable;
  }
}

/** The root of all secrets (see `secrets.ts`). The first process creates it, and later processes read it. */
export async function loadRootSecret(db: Db): Promise<Buffer> {
  const kept = await db.selectFrom('server_keys').select('root').where('id', '=', 1).executeTakeFirst();
  if (kept !== undefined) return kept.root;
  await db
    .insertInto('server_keys')
    .values({ id: 1, root: randomBytes(32) })
    .onConflict(conflict => conflict.column('id').doNothing())
    .execute();
  const { root } = await db.selectFrom('server_keys').select('root').where('id', '=', 1).executeTakeFirstOrThrow();
  return root;
}

/**
 * Binds a database to the network of its first start. Throws Error for another network, so that test money cannot
 * become real money.
 */
export async function claimNetwork(db: Db, network: string): Promise<void> {
  await db.updateTable('server_keys').set({ network }).where('id', '=', 1).where('network', 'is', null).execute();
  const owner = await findNetwork(db);
  if (owner === network) return;
  throw new Error(
    `This database belongs to the network ${owner}, but PAY_NETWORK is ${network}. Give each network its own database: ` +
      `another PAY_DATA_DIR (./data-${network}) or another DATABASE_URL.`,
  );
}

/** The network of the database's first start. Null before it. */
export async function findNetwork(db: Db): Promise<string | null> {
  const kept = await db.selectFrom('server_keys').select('network').where('id', '=', 1).executeTakeFirst();
  return kept?.network ?? null;
}
