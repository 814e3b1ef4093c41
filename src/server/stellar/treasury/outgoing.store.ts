import { type Selectable, sql } from 'kysely';
import { newId } from '../../../core/id.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import type { TransactionMemo } from '../network.ts';
import { type NewTransfer, type OutgoingState, outgoingMachine, type Purpose, type SendFailure } from './outgoing.ts';
import type { OutgoingTransfersTable } from './tables.ts';

/** A transfer as the database holds it. */
export type OutgoingRow = Selectable<OutgoingTransfersTable>;

/** Queues money to be sent, or finds the transfer that was queued for the same thing before. */
export async function insertOutgoing(tx: Executor, transfer: NewTransfer): Promise<OutgoingRow> {
  const made = await tx
    .insertInto('outgoing_transfers')
    .values({
      merchant_id: transfer.merchantId,
      id: newId('outgoingTransfer'),
      livemode: transfer.livemode,
      purpose: transfer.purpose,
      resource_id: transfer.resourceId,
      attempt: transfer.attempt,
      delivery: transfer.delivery,
      destination: transfer.destination,
      memo_type: transfer.memo?.type ?? null,
      memo: transfer.memo?.value ?? null,
      asset: transfer.asset,
      amount: transfer.amount,
      source_asset: transfer.sourceAsset,
      send_max: transfer.sendMax,
      path: [...transfer.path],
      created_at: transfer.now,
    })
    .onConflict(conflict => conflict.columns(['merchant_id', 'purpose', 'resource_id', 'attempt']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made !== undefined) return made;
  const known = await findOutgoing(tx, transfer.purpose, transfer.resourceId);
  if (known === null) throw new Error(`transfer for ${transfer.resourceId} vanished`);
  return known;
}

/** The last attempt to send money for a resource, or null. */
export async function findOutgoing(db: Executor, purpose: Purpose, resourceId: string): Promise<OutgoingRow | null> {
  const row = await db
    .selectFrom('outgoing_transfers')
    .selectAll()
    .where('resource_id', '=', resourceId)
    .where('purpose', '=', purpose)
    .orderBy('attempt', 'desc')
    .executeTakeFirst();
  return row ?? null;
}

/** The memo of a row. */
export function memoOf(row: Pick<OutgoingRow, 'memo' | 'memo_type'>): TransactionMemo | null {
  return row.memo === null || row.memo_type === null ? null : { type: row.memo_type, value: row.memo };
}

/**
 * Takes the transfers that have waited longest to be put into transactions; those held back are looked at again when
 * their time has come. Until the lease ends nobody else prepares them.
 */
export async function claimQueued(
  db: Db,
  { token, limit, leaseSeconds }: { readonly token: string; readonly limit: number; readonly leaseSeconds: number },
): Promise<OutgoingRow[]> {
  const { rows } = await sql<OutgoingRow>`
    with waiting as (
      select merchant_id, id from outgoing_transfers
      where (state = 'queued' or (state = 'held' and held_until <= now()))
        and (leased_until is null or leased_until <= now())
      order by queued_at, id limit ${limit} for update skip locked
    )
    update outgoing_transfers t
    set state = 'queued', failure_code = null, failure_message = null, held_until = null,
      lease_token = ${token}, leased_until = now() + make_interval(secs => ${leaseSeconds})
    from waiting w where t.merchant_id = w.merchant_id and t.id = w.id
    returning t.*`.execute(db);
  return rows.sort((a, b) => a.queued_at.getTime() - b.queued_at.getTime() || (a.id < b.id ? -1 : 1));
}

/** Gives claimed transfers back as they are. */
export async function releaseQueued(db: Db, token: string): Promise<void> {
  await db
    .updateTable('outgoing_transfers')
    .set({ lease_token: null, leased_until: null })
    .where('lease_token', '=', token)
    .where('state', '=', 'queued')
    .execute();
}

/** A claimed transfer that does not go now, and why; `heldSeconds` null: it never will. */
export interface Refused {
  readonly row: Pick<OutgoingRow, 'merchant_id' | 'id'>;
  readonly failure: SendFailure;
  readonly heldSeconds: number | null;
}

/** Ends claimed transfers that cannot be sent, and holds back those that can be sent later. Only the holder of the lease may. */
export async function refuseQueued(db: Db, token: string, refused: readonly Refused[]): Promise<void> {
  if (refused.length === 0) return;
  const rows = refused.map(({ row, failure, heldSeconds }) => ({
    merchant_id: row.merchant_id,
    id: row.id,
    ...failure,
    held: heldSeconds,
  }));
  await sql`
    update outgoing_transfers t
    set state = case when r.held is null then 'failed' else 'held' end,
      failure_code = r.code, failure_message = r.message, lease_token = null, leased_until = null,
      held_until = now() + make_interval(secs => r.held), ended_at = case when r.held is null then now() end
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r (merchant_id text, id text, code text, message text, held double precision)
    where t.merchant_id = r.merchant_id and t.id = r.id and t.state = 'queued' and t.lease_token = ${token}`.execute(
    db,
  );
}

/** Puts claimed transfers into a transaction that is kept in the same transaction of the database; false when any of them is no longer the holder’s. */
export async function assignOutgoing(
  tx: Tx,
  token: string,
  envelopeId: string,
  rows: readonly Pick<OutgoingRow, 'merchant_id' | 'id'>[],
): Promise<boolean> {
  const { rows: assigned } = await sql<{ id: string }>`
    update outgoing_transfers t
    set state = 'assigned', envelope_id = ${envelopeId}, lease_token = null, leased_until = null
    from unnest(${rows.map(row => row.merchant_id)}::text[], ${rows.map(row => row.id)}::text[]) as r (merchant_id, id)
    where t.merchant_id = r.merchant_id and t.id = r.id and t.state = 'queued' and t.lease_token = ${token}
      and t.leased_until > now()
    returning t.id`.execute(tx);
  return assigned.length === rows.length;
}

/** How a transaction that is in a ledger ended for one transfer in it. */
export interface TransferEnd {
  readonly merchantId: string;
  readonly transferId: string;
  /** What left the treasury; only where it was applied. */
  readonly sourceAmount: bigint | null;
  readonly failure: SendFailure | null;
}

/** Ends all transfers of an applied transaction. */
export async function endApplied(
  tx: Tx,
  envelopeId: string,
  applied: { readonly hash: string; readonly ledger: number; readonly ends: readonly TransferEnd[] },
): Promise<void> {
  const rows = applied.ends.map(end => ({
    merchant_id: end.merchantId,
    id: end.transferId,
    source_amount: end.sourceAmount?.toString() ?? null,
  }));
  await sql`
    update outgoing_transfers t
    set state = 'applied', tx_hash = ${applied.hash}, ledger = ${applied.ledger}, source_amount = r.source_amount,
      ended_at = now()
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (merchant_id text, id text, source_amount bigint)
    where t.merchant_id = r.merchant_id and t.id = r.id and t.envelope_id = ${envelopeId}
      and t.state = any (${sourcesOf('applied')}::text[])`.execute(tx);
}

/**
 * Frees the transfers of a transaction that is proven never to apply them: those with a failure end, the others wait
 * for another transaction, ahead of younger ones, once the pause is over.
 */
export async function endUnapplied(
  tx: Tx,
  envelopeId: string,
  ends: readonly TransferEnd[],
  pauseSeconds: number,
): Promise<void> {
  const failed = ends.flatMap(({ merchantId, transferId, failure }) =>
    failure === null ? [] : [{ merchant_id: merchantId, id: transferId, ...failure }],
  );
  await sql`
    update outgoing_transfers t
    set state = 'failed', failure_code = r.code, failure_message = r.message, ended_at = now()
    from json_to_recordset(${JSON.stringify(failed)}::json) as r (merchant_id text, id text, code text, message text)
    where t.merchant_id = r.merchant_id and t.id = r.id and t.envelope_id = ${envelopeId}
      and t.state = any (${sourcesOf('failed')}::text[])`.execute(tx);
  await tx
    .updateTable('outgoing_transfers')
    .set({
      state: 'queued',
      rebuilds: sql`rebuilds + 1`,
      leased_until: sql`now() + make_interval(secs => ${pauseSeconds})`,
    })
    .where('envelope_id', '=', envelopeId)
    .where('state', 'in', sourcesOf('queued'))
    .execute();
}

/**
 * Takes one transfer that has ended and of which those it was sent for have not heard, and marks it as told: they book
 * it in the same transaction. Null: there is none.
 */
export async function takeEnded(tx: Tx, purpose: Purpose): Promise<OutgoingRow | null> {
  const { rows } = await sql<OutgoingRow>`
    with ended as (
      select merchant_id, id from outgoing_transfers
      where purpose = ${purpose} and not reported and state in ('applied', 'failed')
      order by ended_at limit 1 for update skip locked
    )
    update outgoing_transfers t set reported = true from ended e
    where t.merchant_id = e.merchant_id and t.id = e.id returning t.*`.execute(tx);
  return rows[0] ?? null;
}

/** What transfers in these states may still take out of the treasury, by asset. */
export async function committedAmounts(db: Db, states: readonly OutgoingState[]): Promise<ReadonlyMap<string, bigint>> {
  const rows = await db
    .selectFrom('outgoing_transfers')
    .select(['source_asset', sql<bigint>`sum(send_max)`.as('amount')])
    .where('state', 'in', [...states])
    .groupBy('source_asset')
    .execute();
  return new Map(rows.map(row => [row.source_asset, row.amount]));
}

/** The states from which a transfer may come to `to`: the machine is the guard of the SQL that makes the step. */
function sourcesOf(to: OutgoingState): OutgoingState[] {
  return [...outgoingMachine.sourcesOf(to)];
}
