import { randomBytes } from 'node:crypto';
import type { Db } from './db/database.ts';

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
