import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueRequest, type DueWork, moveDue } from '../../platform/db/lease.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import type { ChannelAccountsTable } from './tables.ts';

/** A channel account: transactions use its sequence numbers, one transaction at a time. */
export type ChannelRow = Selectable<ChannelAccountsTable>;

function freeChannels(treasury: string): DueWork {
  return {
    table: 'channel_accounts',
    key: ['address'],
    dueAt: 'due_at',
    clock: 'real',
    where: sql`t.treasury = ${treasury} and t.carrier_id is null`,
  };
}

/** Claims free channels, to prepare a transaction on each. */
export async function claimChannels(
  db: Db,
  treasury: string,
  request: DueRequest & { readonly leaseSeconds: number },
): Promise<readonly ChannelRow[]> {
  return await claimDue<ChannelRow>(db, freeChannels(treasury), request);
}

/** How many channels could be claimed now. */
export async function countFreeChannels(db: Db, treasury: string, now: Date): Promise<number> {
  const { rows } = await executePrepared(
    db,
    sql<{ count: number }>`
      select count(*)::int as count from channel_accounts t
      where t.treasury = ${treasury} and t.carrier_id is null and t.due_at <= ${now}`,
  );
  return rows[0]?.count ?? 0;
}

/** Ends the claim of a channel that got no Stellar transaction. The channel can be claimed again at once. */
export async function releaseChannel(db: Db, channel: ChannelRow, now: Date): Promise<void> {
  await moveDue(db, freeChannels(channel.treasury), channel, { to: now });
}

/** Assigns the carrier to a claimed channel. Returns false if the claim is over. */
export async function loadChannel(
  tx: Tx,
  channel: ChannelRow,
  carrier: { readonly id: string; readonly sequence: bigint },
  now: Date,
): Promise<boolean> {
  const { id, sequence } = carrier;
  // The number before the carrier's own is used, as the network said or an earlier carrier showed.
  const used = sql`sequence = greatest(sequence, ${sequence - 1n}::int8)`;
  return await moveDue(tx, freeChannels(channel.treasury), channel, {
    to: now,
    set: sql`carrier_id = ${id}, loaded = ${sequence}::int8, ${used}`,
  });
}

/**
 * Frees the channel of an ended carrier, which had the number `sequence`. Unless the network certainly used it, the
 * service reads the channel's number from the network before it builds the next transaction.
 */
export async function freeChannel(
  tx: Tx,
  carrierId: string,
  { sequence, state }: { readonly sequence: bigint; readonly state: 'used' | 'unsure' | 'unused' },
): Promise<void> {
  const isUsed = state === 'used';
  await tx
    .updateTable('channel_accounts')
    .set({
      carrier_id: null,
      must_read: !isUsed,
      ...(isUsed && { sequence: sql<bigint>`greatest(sequence, ${sequence}::int8)` }),
      ...(state === 'unused' && { loaded: null }),
    })
    .where('carrier_id', '=', carrierId)
    .execute();
}

export async function listChannels(db: Db, treasury: string): Promise<ChannelRow[]> {
  return await db
    .selectFrom('channel_accounts')
    .selectAll()
    .where('treasury', '=', treasury)
    .orderBy('number')
    .execute();
}

/** Adds channels whose accounts exist on the network. Moves channels of a former treasury to the new treasury. */
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

export type ChannelSequence = Pick<ChannelRow, 'address' | 'sequence'>;

/**
 * The highest sequence number of each channel that this database can explain, or 0. A stored carrier explains its
 * number. So does a transaction of the network that is not stored here, once the operator has accepted it. An expired
 * carrier explains no number, because a transaction that is not stored here may have used it.
 */
export async function explainedSequences(db: Db, treasury: string): Promise<ChannelSequence[]> {
  const channels = await listChannels(db, treasury);
  return channels.map(({ address, sequence, loaded }) => {
    return { address, sequence: loaded !== null && loaded > sequence ? loaded : sequence };
  });
}

/** Makes the channels continue after these sequence numbers, which unknown transactions have used. */
export async function skipSequences(db: Db, channels: readonly ChannelSequence[]): Promise<void> {
  for (const { address, sequence } of channels) {
    await db
      .updateTable('channel_accounts')
      .set({ sequence: sql<bigint>`greatest(sequence, ${sequence}::int8)` })
      .where('address', '=', address)
      .execute();
  }
}
