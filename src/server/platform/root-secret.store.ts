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

/** The root of all secrets (see `secrets.ts`): made by whichever process starts first, the same for all of them ever after. */
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

/** Binds a database to the network of its first start. Throws Error for another: test money stays test money. */
export async function claimNetwork(db: Db, network: string): Promise<void> {
  await db.updateTable('server_keys').set({ network }).where('id', '=', 1).where('network', 'is', null).execute();
  const kept = await db.selectFrom('server_keys').select('network').where('id', '=', 1).executeTakeFirstOrThrow();
  if (kept.network === network) return;
  throw new Error(
    `This database belongs to the network ${kept.network}, and PAY_NETWORK is ${network}. Give each network a database of ` +
      `its own: another PAY_DATA_DIR (./data-${network}) or another DATABASE_URL.`,
  );
}
