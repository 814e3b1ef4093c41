import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueRequest, type DueWork, moveDue } from '../../platform/db/lease.ts';
import type { ChannelAccountsTable } from './tables.ts';

/** A channel account as the database holds it. */
export type ChannelRow = Selectable<ChannelAccountsTable>;

function freeChannels(treasury: string): DueWork {
  return {
    table: 'channel_accounts',
    key: ['address'],
    dueAt: 'due_at',
    where: sql`t.treasury = ${treasury} and t.envelope_id is null`,
    clock: 'real',
  };
}

/** Claims channels that carry nothing, to prepare a transaction on each. */
export async function claimChannels(
  db: Db,
  treasury: string,
  request: DueRequest & { readonly leaseSeconds: number },
): Promise<readonly ChannelRow[]> {
  return await claimDue<ChannelRow>(db, freeChannels(treasury), request);
}

/** Gives a claimed channel back if it carries nothing. */
export async function releaseChannel(db: Db, channel: ChannelRow, now: Date): Promise<void> {
  await moveDue(db, freeChannels(channel.treasury), channel, { to: now });
}

/** Lets a claimed channel carry the envelope; false when the claim is over. */
export async function loadChannel(tx: Tx, channel: ChannelRow, envelopeId: string, now: Date): Promise<boolean> {
  return await moveDue(tx, freeChannels(channel.treasury), channel, {
    to: now,
    set: sql`envelope_id = ${envelopeId}`,
  });
}

/** Frees the channel of an envelope that has ended. `used` is the sequence number it used up; null: it used none up, so something is odd and the network is to be asked. */
export async function freeChannel(tx: Tx, envelopeId: string, used: bigint | null): Promise<void> {
  await tx
    .updateTable('channel_accounts')
    .set({
      envelope_id: null,
      must_read: used === null,
      ...(used !== null && { sequence: sql<bigint>`greatest(sequence, ${used}::int8)` }),
    })
    .where('envelope_id', '=', envelopeId)
    .execute();
}

/** The treasury’s channels. */
export async function listChannels(db: Db, treasury: string): Promise<ChannelRow[]> {
  return await db
    .selectFrom('channel_accounts')
    .selectAll()
    .where('treasury', '=', treasury)
    .orderBy('number')
    .execute();
}

/**
 * Takes accounts that the network is known to have into use as channels. They lend their numbers to any treasury: those
 * of the one before go over to the new one.
 */
export async function insertChannels(
  db: Db,
  treasury: string,
  channels: readonly { readonly number: number; readonly address: string }[],
): Promise<void> {
  if (channels.length === 0) return;
  await db
    .insertInto('channel_accounts')
    .values(channels.map(channel => ({ treasury, ...channel })))
    .onConflict(conflict => conflict.column('address').doUpdateSet({ treasury }))
    .execute();
}

/** A channel and a sequence number of it. */
export interface ChannelSequence {
  readonly address: string;
  readonly sequence: bigint;
}

/**
 * The last sequence number of each channel that something kept here explains; 0 where nothing does. A transaction that
 * can be in no ledger explains none: its number may be another’s.
 */
export async function explainedSequences(db: Db, treasury: string): Promise<ChannelSequence[]> {
  const { rows } = await sql<ChannelSequence>`
    select c.address, ${explained} as sequence from channel_accounts c
    where c.treasury = ${treasury} order by c.number`.execute(db);
  return rows;
}

/** As `explainedSequences`, of one. */
export async function explainedSequence(db: Db, address: string): Promise<bigint> {
  const { rows } = await sql<ChannelSequence>`
    select c.address, ${explained} as sequence from channel_accounts c where c.address = ${address}`.execute(db);
  return rows[0]?.sequence ?? 0n;
}

const explained = sql<bigint>`greatest(c.sequence, coalesce((
  select max(e.sequence) from stellar_envelopes e where e.channel = c.address and e.state <> 'expired'
), 0))`;

/** Goes on after these numbers, whoever used them up. */
export async function skipSequences(db: Db, channels: readonly ChannelSequence[]): Promise<void> {
  for (const { address, sequence } of channels) {
    await db
      .updateTable('channel_accounts')
      .set({ sequence: sql<bigint>`greatest(sequence, ${sequence}::int8)` })
      .where('address', '=', address)
      .execute();
  }
}
