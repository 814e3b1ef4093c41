import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { ResultCodes } from '../network.ts';
import type { Delivery } from './batch.ts';
import { type EnvelopeState, envelopeMachine, type Validity } from './envelope.ts';
import type { StellarEnvelopesTable } from './tables.ts';

/** A transaction of ours as the database holds it. */
export type EnvelopeRow = Selectable<StellarEnvelopesTable>;

/** A signed transaction that is to be kept before anybody hears of it. */
export interface NewEnvelope extends Validity {
  readonly id: string;
  readonly channel: string;
  readonly sequence: bigint;
  readonly innerHash: string;
  readonly innerXdr: string;
  readonly hash: string;
  readonly xdr: string;
  readonly fee: bigint;
  readonly operations: number;
}

/** A transfer in a transaction, and the operations that send it. */
export interface CarriedTransfer {
  readonly merchant_id: string;
  readonly transfer_id: string;
  readonly delivery: Delivery;
  readonly first_operation: number;
  readonly operations: number;
}

/** Keeps a signed transaction, its hashes, and what it carries. */
export async function insertEnvelope(
  tx: Tx,
  envelope: NewEnvelope,
  carried: readonly CarriedTransfer[],
): Promise<void> {
  const { id, fee } = envelope;
  await tx
    .insertInto('stellar_envelopes')
    .values({
      id,
      channel: envelope.channel,
      sequence: envelope.sequence,
      inner_hash: envelope.innerHash,
      inner_xdr: envelope.innerXdr,
      xdr: envelope.xdr,
      hash: envelope.hash,
      fee,
      operations: envelope.operations,
      max_ledger: envelope.maxLedger,
      max_time: envelope.maxTime,
    })
    .execute();
  await tx
    .insertInto('stellar_envelope_hashes')
    .values([envelope.innerHash, envelope.hash].map(hash => ({ hash, envelope_id: id, fee })))
    .execute();
  await tx
    .insertInto('stellar_envelope_transfers')
    .values(carried.map((transfer, position) => ({ envelope_id: id, position, ...transfer })))
    .execute();
}

/**
 * Claims transactions that are due to be submitted or looked up, each for one attempt. A late worker has an older
 * attempt number and can write nothing. A transaction counts as submitted from the claim on, before a byte of it has
 * left.
 */
export async function claimEnvelopes(db: Db, limit: number, leaseSeconds: number): Promise<EnvelopeRow[]> {
  const { rows } = await sql<EnvelopeRow>`
    with due as (
      select id from stellar_envelopes
      where state in ('built', 'submitted') and next_at <= now() and (leased_until is null or leased_until <= now())
      order by next_at limit ${limit} for update skip locked
    )
    update stellar_envelopes e
    set state = 'submitted', attempts = e.attempts + 1,
      leased_until = now() + make_interval(secs => ${leaseSeconds})
    from due where e.id = due.id returning e.*`.execute(db);
  return rows;
}

/** Keeps the attempt the holder’s own for longer; false when it is no longer. */
export async function renewEnvelope(db: Db, envelope: EnvelopeRow, leaseSeconds: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('stellar_envelopes')
    .set({ leased_until: sql`now() + make_interval(secs => ${leaseSeconds})` })
    .where('id', '=', envelope.id)
    .where('attempts', '=', envelope.attempts)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Every hash under which the network may know the transaction. */
export async function hashesOf(db: Db, envelopeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('stellar_envelope_hashes')
    .select('hash')
    .where('envelope_id', '=', envelopeId)
    .orderBy('created_at')
    .execute();
  return rows.map(row => row.hash);
}

/** Ends an attempt that decided nothing: the transaction is looked at again after the pause. */
export async function putOff(
  db: Db,
  envelope: EnvelopeRow,
  { codes, pauseMs }: { readonly codes?: ResultCodes; readonly pauseMs: number },
): Promise<void> {
  await db
    .updateTable('stellar_envelopes')
    .set({
      leased_until: null,
      next_at: sql`now() + make_interval(secs => ${pauseMs / 1000})`,
      ...(codes && { result_code: codes.transaction, operation_codes: [...codes.operations] }),
    })
    .where('id', '=', envelope.id)
    .where('attempts', '=', envelope.attempts)
    .where('state', 'in', ['built', 'submitted'])
    .execute();
}

/** Keeps a fee bump that bids more for the same transaction, before it is handed in; false when the attempt is no longer the holder’s. */
export async function saveBump(
  tx: Tx,
  envelope: EnvelopeRow,
  bump: { readonly xdr: string; readonly hash: string; readonly fee: bigint },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('stellar_envelopes')
    .set({ ...bump, leased_until: null, next_at: sql`now()`, result_code: 'tx_insufficient_fee' })
    .where('id', '=', envelope.id)
    .where('attempts', '=', envelope.attempts)
    .where('state', 'in', ['built', 'submitted'])
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await tx
    .insertInto('stellar_envelope_hashes')
    .values({ hash: bump.hash, envelope_id: envelope.id, fee: bump.fee })
    .execute();
  return true;
}

/** How a transaction ended: in a ledger, or in none for ever as `ledger` proves. */
export interface EnvelopeEnd {
  readonly state: Extract<EnvelopeState, 'applied' | 'failed' | 'expired'>;
  readonly code: string;
  readonly ledger: { readonly sequence: number; readonly closedAt: Date | null };
  readonly feeCharged: bigint | null;
}

/** Ends a transaction; false when the attempt is no longer the holder’s, or it has ended already. */
export async function endEnvelope(tx: Tx, envelope: EnvelopeRow, end: EnvelopeEnd): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('stellar_envelopes')
    .set({
      state: end.state,
      result_code: end.code,
      ended_ledger: end.ledger.sequence,
      ended_closed_at: end.ledger.closedAt,
      fee_charged: end.feeCharged,
      leased_until: null,
      ended_at: sql`now()`,
    })
    .where('id', '=', envelope.id)
    .where('attempts', '=', envelope.attempts)
    .where('state', 'in', [...envelopeMachine.sourcesOf(end.state)])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The transfers that a transaction carries, in the order of its operations. */
export async function carriedBy(tx: Tx, envelopeId: string): Promise<CarriedTransfer[]> {
  return await tx
    .selectFrom('stellar_envelope_transfers')
    .select(['merchant_id', 'transfer_id', 'delivery', 'first_operation', 'operations'])
    .where('envelope_id', '=', envelopeId)
    .orderBy('position')
    .execute();
}
