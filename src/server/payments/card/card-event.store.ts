import { type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { type DueWork, moveDue } from '../../platform/db/lease.ts';
import { insertOf, writeTogether } from '../../platform/db/rows.ts';
import type { CardEvent } from '../../rails/card-rail.ts';
import type { CardEventsTable } from '../tables.ts';
import { savingCursor } from '../transfer.store.ts';

/** An event of an acquirer that was not handled yet. */
export type CardEventRow = Selectable<CardEventsTable>;

/** The events of a rail, and the cursor after them. Null for events that the acquirer has sent. */
export interface ReceivedEvents {
  readonly rail: string;
  readonly events: readonly CardEvent[];
  readonly cursor: string | null;
  readonly now: Date;
}

/** Stores events, and how far they were read. Skips events that already wait. */
export async function insertCardEvents(db: Db, { rail, events, cursor, now }: ReceivedEvents): Promise<void> {
  const rows = events.map(({ id, merchantId, about, reference, paymentId }) => ({
    rail,
    id,
    merchant_id: merchantId,
    about,
    reference,
    payment_id: paymentId,
    received_at: now,
    due_at: now,
  }));
  await db.transaction().execute(async tx => {
    const insert = await insertOf(tx, 'card_events', rows, ['merchant_id', 'rail', 'id']);
    await writeTogether(tx, [insert, cursor === null ? null : savingCursor(rail, cursor)]);
  });
}

/** Events to handle. While a process handles one, `due_at` is the end of its lease. */
export const dueEvents: DueWork = {
  table: 'card_events',
  key: ['merchant_id', 'rail', 'id'],
  dueAt: 'due_at',
  clock: 'real',
  where: sql`true`,
};

/** Sets when a claimed event is handled again. */
export async function moveEvent(db: Db, event: CardEventRow, to: Date): Promise<void> {
  await moveDue(db, dueEvents, event, { to });
}

/** Deletes a handled event. */
export async function deleteEvent(db: Db, event: CardEventRow): Promise<void> {
  const { merchant_id: merchantId, rail, id } = event;
  await db
    .deleteFrom('card_events')
    .where(eb => eb.and({ merchant_id: merchantId, rail, id }))
    .execute();
}
