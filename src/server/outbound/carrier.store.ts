import { sql } from 'kysely';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { claimDue, type DueRequest, type DueWork } from '../platform/db/lease.ts';
import { insertOf, writeTogether } from '../platform/db/rows.ts';
import { type BuiltCarrier, type Carrier, type CarrierEnd, carrierMachine, type Signed } from './carrier.ts';
import type { OutboundRow } from './outbound.ts';

/** Stores a signed carrier with its claims, hashes and transfers. It is due at `now`. */
export async function insertCarrier(
  tx: Tx,
  lane: string,
  { carrier: { claims, otherHashes, ...carrier }, orders }: Pick<BuiltCarrier, 'carrier' | 'orders'>,
  now: Date,
): Promise<void> {
  const { id, fee } = carrier;
  const hashes = [...otherHashes, carrier.hash].map(hash => ({ hash, carrier_id: id, fee }));
  const transfers = orders.map(({ merchant_id, id: transfer_id }, position) => ({
    merchant_id,
    carrier_id: id,
    position,
    transfer_id,
  }));
  await writeTogether(tx, [
    await insertOf(tx, 'carriers', [{ ...carrier, lane, due_at: now }]),
    await insertOf(
      tx,
      'carrier_claims',
      claims.map(claim => ({ ...claim, lane, carrier_id: id })),
    ),
    await insertOf(tx, 'carrier_hashes', hashes),
    await insertOf(tx, 'carrier_transfers', transfers),
  ]);
}

/** Whether a carrier with one of these hashes is stored. */
export async function isStored(db: Db, hashes: readonly string[]): Promise<boolean> {
  const found = await db
    .selectFrom('carrier_hashes')
    .select('hash')
    .where('hash', 'in', [...hashes])
    .limit(1)
    .execute();
  return found.length > 0;
}

/** The carriers of a lane that have not ended. */
export function openCarriers(lane: string): DueWork {
  return {
    table: 'carriers',
    key: ['id'],
    dueAt: 'due_at',
    where: sql`t.lane = ${lane} and t.state in ('built', 'submitted')`,
    clock: 'real',
  };
}

/**
 * Claims carriers that are due to be submitted or looked up, each for one attempt. From its claim on, a carrier counts
 * as submitted. The worker renews its lease while the attempt runs. Each write names the attempt number, so an old
 * attempt cannot write after a later attempt has begun.
 */
export async function claimCarriers(
  db: Db,
  lane: string,
  request: DueRequest & { readonly leaseSeconds: number },
): Promise<readonly Carrier[]> {
  const set = sql`state = 'submitted', attempts = t.attempts + 1`;
  return await claimDue<Carrier>(db, openCarriers(lane), { ...request, set });
}

function updateOpen(db: Executor, { id, attempts }: Carrier) {
  return db
    .updateTable('carriers')
    .where(eb => eb.and({ id, attempts }))
    .where('state', 'in', [...carrierMachine.sourcesOf('expired')]);
}

/** All hashes by which the network may know the carrier, the newest first. */
export async function hashesOf(db: Db, carrierId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('carrier_hashes')
    .select('hash')
    .where('carrier_id', '=', carrierId)
    .orderBy('created_at')
    .execute();
  return rows.map(({ hash }) => hash).reverse();
}

/** When a carrier is due again. `refused`: why the network refused it. */
interface Postponed {
  readonly dueAt: Date;
  readonly refused?: { readonly code: string; readonly parts: readonly string[] };
}

/** Renews the lease of an attempt, or ends it without a result. Returns false if a later attempt has begun. */
export async function postponeCarrier(db: Db, carrier: Carrier, { dueAt, refused }: Postponed): Promise<boolean> {
  const result = refused && { result_code: refused.code, part_codes: [...refused.parts] };
  const { numUpdatedRows } = await updateOpen(db, carrier)
    .set({ due_at: dueAt, ...result })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stores what replaces the signed bytes, before it is submitted. Returns false if a later attempt has begun. */
export async function replaceSigned(tx: Tx, carrier: Carrier, by: Signed, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await updateOpen(tx, carrier)
    .set({ signed: by.signed, hash: by.hash, fee: by.fee, due_at: now })
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await tx.insertInto('carrier_hashes').values({ hash: by.hash, carrier_id: carrier.id, fee: by.fee }).execute();
  return true;
}

/** Ends a carrier. Returns false if a later attempt has begun or the carrier has already ended. */
export async function endCarrier(tx: Tx, carrier: Carrier, end: Omit<CarrierEnd, 'endsOf' | 'free' | 'ended'>) {
  const { numUpdatedRows } = await updateOpen(tx, carrier)
    .set({
      state: end.state,
      result_code: end.code,
      ended_block: BigInt(end.block.number),
      ended_block_at: end.block.closedAt,
      fee_charged: end.feeCharged,
      ended_at: sql`now()`,
    })
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  if (end.state === 'expired') await tx.deleteFrom('carrier_claims').where('carrier_id', '=', carrier.id).execute();
  return true;
}

/** The transfers of a carrier, in their sequence. */
export async function carriedBy(tx: Tx, carrierId: string): Promise<OutboundRow[]> {
  return await tx
    .selectFrom('carrier_transfers as c')
    .innerJoin('outbound_transfers as t', join =>
      join.onRef('t.merchant_id', '=', 'c.merchant_id').onRef('t.id', '=', 'c.transfer_id'),
    )
    .selectAll('t')
    .where('c.carrier_id', '=', carrierId)
    .orderBy('c.position')
    .execute();
}
