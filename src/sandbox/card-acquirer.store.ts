import type { Insertable, Selectable } from 'kysely';
import type { CardTokensTable, ChargesTable, SandboxDb, SandboxDisputesTable } from './sandbox-tables.ts';

type TokenRow = Selectable<CardTokensTable>;

export type ChargeRow = Selectable<ChargesTable>;

type DisputeRow = Selectable<SandboxDisputesTable>;

export async function insertToken(db: SandboxDb, row: Insertable<CardTokensTable>): Promise<void> {
  await db.insertInto('sandbox.card_tokens').values(row).execute();
}

/** The token, or null. `isUsed`: an attempt used the token. */
export async function findToken(db: SandboxDb, token: string): Promise<(TokenRow & { isUsed: boolean }) | null> {
  const row = await db
    .selectFrom('sandbox.card_tokens as t')
    .leftJoin('sandbox.charges as c', 'c.token', 't.token')
    .selectAll('t')
    .select('c.id as charge_id')
    .where('t.token', '=', token)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, isUsed: row.charge_id !== null };
}

/** Stores a charge. Returns false when the attempt already has a charge, or another attempt used the token. */
export async function insertCharge(db: SandboxDb, row: Insertable<ChargesTable>): Promise<boolean> {
  const made = await db
    .insertInto('sandbox.charges')
    .values(row)
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

export async function findChargeOfAttempt(db: SandboxDb, attemptId: string): Promise<ChargeRow | null> {
  const query = db.selectFrom('sandbox.charges').selectAll().where('attempt_id', '=', attemptId);
  return (await query.executeTakeFirst()) ?? null;
}

/** The charge of a 3-D Secure challenge, or null. */
export async function findChargeOfChallenge(db: SandboxDb, challenge: string): Promise<ChargeRow | null> {
  const query = db.selectFrom('sandbox.charges').selectAll().where('challenge', '=', challenge);
  return (await query.executeTakeFirst()) ?? null;
}

/** The merchant's charge, locked, or null. */
export async function lockCharge(tx: SandboxDb, merchantId: string, chargeId: string): Promise<ChargeRow | null> {
  const query = tx
    .selectFrom('sandbox.charges')
    .selectAll()
    .where('id', '=', chargeId)
    .where('merchant_id', '=', merchantId)
    .forUpdate();
  return (await query.executeTakeFirst()) ?? null;
}

/** Decides a charge that waits for its payer. A decided charge does not change. */
export async function decideCharge(
  db: SandboxDb,
  by: { readonly attempt_id: string } | { readonly challenge: string },
  decision: Pick<ChargeRow, 'state' | 'code'>,
): Promise<void> {
  const [column, value] =
    'challenge' in by ? (['challenge', by.challenge] as const) : (['attempt_id', by.attempt_id] as const);
  await db
    .updateTable('sandbox.charges')
    .set(decision)
    .where(column, '=', value)
    .where('state', '=', 'requires_action')
    .execute();
}

/** Stores the dispute of a locked charge unless the charge already has a dispute. Returns the stored dispute. */
export async function keepDispute(tx: SandboxDb, row: DisputeRow): Promise<DisputeRow> {
  const known = tx.selectFrom('sandbox.disputes').selectAll().where('charge_id', '=', row.charge_id);
  const kept = await known.executeTakeFirst();
  if (kept !== undefined) return kept;
  await tx.insertInto('sandbox.disputes').values(row).execute();
  return row;
}
