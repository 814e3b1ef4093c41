import { type Selectable, sql } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueRequest, type DueWork } from '../../platform/db/lease.ts';
import { insertOf, writeTogether } from '../../platform/db/rows.ts';
import type { ResultCodes } from '../network.ts';
import { type EnvelopeState, envelopeMachine, type Validity } from './envelope.ts';
import type { StellarEnvelopesTable, StellarEnvelopeTransfersTable } from './tables.ts';

export type EnvelopeRow = Selectable<StellarEnvelopesTable>;

/** A signed transaction that is not stored yet. */
export type NewEnvelope = Validity &
  Pick<EnvelopeRow, 'id' | 'channel' | 'sequence' | 'inner_hash' | 'inner_xdr' | 'hash' | 'xdr' | 'fee' | 'operations'>;

/** A transfer in a transaction, and the operations that send it. */
export type CarriedTransfer = Omit<StellarEnvelopeTransfersTable, 'envelope_id' | 'position'>;

/** Stores a signed transaction with its hashes and transfers. The transaction is due at `now`. */
export async function insertEnvelope(
  tx: Tx,
  { maxLedger, maxTime, ...envelope }: NewEnvelope,
  carried: readonly CarriedTransfer[],
  now: Date,
): Promise<void> {
  const { id, fee } = envelope;
  const row = { ...envelope, max_ledger: maxLedger, max_time: maxTime, due_at: now };
  const hashes = [envelope.inner_hash, envelope.hash].map(hash => ({ hash, envelope_id: id, fee }));
  const transfers = carried.map((transfer, position) => ({ envelope_id: id, position, ...transfer }));
  await writeTogether(tx, [
    await insertOf(tx, 'stellar_envelopes', [row]),
    await insertOf(tx, 'stellar_envelope_hashes', hashes),
    await insertOf(tx, 'stellar_envelope_transfers', transfers),
  ]);
}

export const openEnvelopes: DueWork = {
  table: 'stellar_envelopes',
  key: ['id'],
  dueAt: 'due_at',
  where: sql`t.state in ('built', 'submitted')`,
  clock: 'real',
};

/**
 * Claims transactions that are due to be submitted or looked up, each for one attempt. From its claim on, a transaction
 * counts as submitted. The worker renews its lease while the attempt runs. Each write names the attempt number, so an
 * old attempt cannot write after a later attempt has begun.
 */
export async function claimEnvelopes(
  db: Db,
  request: DueRequest & { readonly leaseSeconds: number },
): Promise<readonly EnvelopeRow[]> {
  const set = sql`state = 'submitted', attempts = t.attempts + 1`;
  return await claimDue<EnvelopeRow>(db, openEnvelopes, { ...request, set });
}

/** Renews the lease of an attempt. Returns false if a later attempt has begun. */
export async function renewEnvelope(db: Db, envelope: EnvelopeRow, until: Date): Promise<boolean> {
  const { numUpdatedRows } = await updateOpen(db, envelope).set({ due_at: until }).executeTakeFirst();
  return numUpdatedRows > 0n;
}

function updateOpen(db: Executor, envelope: EnvelopeRow) {
  return db
    .updateTable('stellar_envelopes')
    .where(eb => eb.and({ id: envelope.id, attempts: envelope.attempts }))
    .where('state', 'in', ['built', 'submitted']);
}

/** All hashes by which the network may know the transaction, oldest first. */
export async function hashesOf(db: Db, envelopeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('stellar_envelope_hashes')
    .select('hash')
    .where('envelope_id', '=', envelopeId)
    .orderBy('created_at')
    .execute();
  return rows.map(row => row.hash);
}

/** Ends an attempt without a result. The transaction is due again at `dueAt`. `codes`: why the network refused it. */
export async function putOff(
  db: Db,
  envelope: EnvelopeRow,
  { codes, dueAt }: { readonly codes?: ResultCodes; readonly dueAt: Date },
): Promise<void> {
  const result = codes && { result_code: codes.transaction, operation_codes: [...codes.operations] };
  await updateOpen(db, envelope)
    .set({ due_at: dueAt, ...result })
    .execute();
}

/** Stores a fee bump with a higher fee before it is submitted. Returns false if a later attempt has begun. */
export async function saveBump(
  tx: Tx,
  envelope: EnvelopeRow,
  bump: Pick<EnvelopeRow, 'xdr' | 'hash' | 'fee'>,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await updateOpen(tx, envelope)
    .set({ ...bump, due_at: now, result_code: 'tx_insufficient_fee' })
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await tx
    .insertInto('stellar_envelope_hashes')
    .values({ hash: bump.hash, envelope_id: envelope.id, fee: bump.fee })
    .execute();
  return true;
}

/** How a transaction ended. `ledger` includes the transaction, or proves that no ledger can ever include it. */
export interface EnvelopeEnd {
  readonly state: Extract<EnvelopeState, 'applied' | 'failed' | 'expired'>;
  readonly code: string;
  readonly ledger: { readonly sequence: number; readonly closedAt: Date | null };
  readonly feeCharged: bigint | null;
}

/** Ends a transaction. Returns false if a later attempt has begun or the transaction has already ended. */
export async function endEnvelope(tx: Tx, envelope: EnvelopeRow, end: EnvelopeEnd): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('stellar_envelopes')
    .set({
      state: end.state,
      result_code: end.code,
      ended_ledger: end.ledger.sequence,
      ended_closed_at: end.ledger.closedAt,
      fee_charged: end.feeCharged,
      ended_at: sql`now()`,
    })
    .where(eb => eb.and({ id: envelope.id, attempts: envelope.attempts }))
    .where('state', 'in', [...envelopeMachine.sourcesOf(end.state)])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The transfers of a transaction, in the order of its operations. */
export async function carriedBy(tx: Tx, envelopeId: string): Promise<CarriedTransfer[]> {
  return await tx
    .selectFrom('stellar_envelope_transfers')
    .select(['merchant_id', 'transfer_id', 'delivery', 'first_operation', 'operations'])
    .where('envelope_id', '=', envelopeId)
    .orderBy('position')
    .execute();
}
