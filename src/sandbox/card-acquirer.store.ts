import { type Insertable, type Selectable, sql } from 'kysely';
import type { SendOrder } from '../server/outbound/sender.ts';
import type { Db } from '../server/platform/db/database.ts';
import { executePrepared } from '../server/platform/db/prepared.ts';
import { columnList, rowSource } from '../server/platform/db/rows.ts';
import type { FeedPage } from '../server/rails/rail.ts';
import { orderedOriginals } from './sandbox-refund.store.ts';
import type {
  CardTokensTable,
  ChargesTable,
  SandboxCardEventsTable,
  SandboxDb,
  SandboxDisputesTable,
} from './sandbox-tables.ts';

type TokenRow = Selectable<CardTokensTable>;

export type ChargeRow = Selectable<ChargesTable>;

export type DisputeRow = Selectable<SandboxDisputesTable>;

/** The tables of one acquirer. */
export interface AcquirerTables {
  readonly db: SandboxDb;
  readonly rail: string;
}

export async function insertToken(db: SandboxDb, row: Insertable<CardTokensTable>): Promise<void> {
  await db.insertInto('sandbox.card_tokens').values(row).execute();
}

/** The token, or null. `isUsed`: an attempt has used the token. */
export async function findToken(
  { db, rail }: AcquirerTables,
  token: string,
): Promise<(TokenRow & { isUsed: boolean }) | null> {
  const row = await db
    .selectFrom('sandbox.card_tokens as t')
    .leftJoin('sandbox.charges as c', 'c.token', 't.token')
    .selectAll('t')
    .select('c.id as charge_id')
    .where(eb => eb.and({ 't.token': token, 't.rail': rail }))
    .executeTakeFirst();
  return row === undefined ? null : { ...row, isUsed: row.charge_id !== null };
}

/** A stored charge. `isNew`: this call has stored it. */
export interface StoredCharge extends ChargeRow {
  readonly isNew: boolean;
}

/**
 * Stores charges without waiting for the disk. The service books a charge in a later commit, which puts both on the
 * disk. A failure of the machine before that commit can lose the charge. Returns the stored charge of each attempt: the
 * new one, or an earlier one. Undefined: another attempt has used the token, or another process has just stored the
 * attempt.
 */
export async function storeCharges(db: SandboxDb, charges: readonly ChargeRow[]) {
  const columns = columnList(Object.keys(chargeTypes));
  const { rows } = await executePrepared(
    // The cast is safe, because the statement uses only tables of the sandbox.
    db as unknown as Db,
    sql<StoredCharge & { readonly committing: string }>`
      with asked as materialized (select * from ${rowSource(chargeTypes, charges)} as n), made as (
        insert into sandbox.charges (${columns}) select ${columns} from asked on conflict do nothing returning *
      )
      select made.*, true as "isNew", ${atOnce} from made
      union all
      select c.*, false, ${atOnce} from sandbox.charges c where c.attempt_id in (select attempt_id from asked)`,
  );
  const byAttempt = new Map(rows.map(({ committing: _committing, ...row }) => [row.attempt_id, row]));
  return charges.map(({ attempt_id: id }) => byAttempt.get(id));
}

/** Lets the commit of this statement return before it is on the disk. */
export const atOnce = sql`set_config('synchronous_commit', 'off', true) as committing`;

const chargeTypes = {
  id: 'text',
  rail: 'text',
  attempt_id: 'text',
  merchant_id: 'text',
  payee: 'text',
  token: 'text',
  brand: 'text',
  last4: 'text',
  amount: 'int8',
  currency: 'text',
  state: 'text',
  captures_at: 'timestamptz',
  code: 'text',
  capture_method: 'text',
  captured_amount: 'int8',
  capture_behavior: 'text',
  refund_behavior: 'text',
  challenge: 'text',
  return_url: 'text',
  payment_id: 'text',
  created_at: 'timestamptz',
} satisfies Record<keyof ChargeRow, string>;

export async function findChargeOfAttempt({ db, rail }: AcquirerTables, attemptId: string): Promise<ChargeRow | null> {
  const query = db
    .selectFrom('sandbox.charges')
    .selectAll()
    .where(eb => eb.and({ attempt_id: attemptId, rail }));
  return (await query.executeTakeFirst()) ?? null;
}

/** The charge of a 3-D Secure challenge, or null. */
export async function findChargeOfChallenge(db: SandboxDb, challenge: string): Promise<ChargeRow | null> {
  const query = db.selectFrom('sandbox.charges').selectAll().where('challenge', '=', challenge);
  return (await query.executeTakeFirst()) ?? null;
}

/** Locks the merchant's charge and returns it, or null. */
export async function lockCharge(
  { db: tx, rail }: AcquirerTables,
  merchantId: string,
  chargeId: string,
): Promise<ChargeRow | null> {
  const query = tx
    .selectFrom('sandbox.charges')
    .selectAll()
    .where(eb => eb.and({ id: chargeId, merchant_id: merchantId, rail }))
    .forUpdate();
  return (await query.executeTakeFirst()) ?? null;
}

/** Locks the charges to refund, and returns them by order id. */
export async function lockCharges(
  tx: SandboxDb,
  rail: string,
  orders: readonly SendOrder[],
): Promise<ReadonlyMap<string, ChargeRow>> {
  const { rows } = await executePrepared(
    tx as unknown as Db,
    sql<ChargeRow & { readonly order_id: string }>`
      select c.*, o.order_id
      from ${orderedOriginals(orders)} as o
      join sandbox.charges c on c.id = o.original and c.merchant_id = o.merchant_id and c.rail = ${rail}
      order by c.id for update of c`,
  );
  return new Map(rows.map(({ order_id, ...charge }) => [order_id, charge]));
}

/**
 * Stores the payer's answer to an open challenge. Approval captures or authorizes the charge, depending on its capture
 * method. Does not change a charge that is already decided.
 */
export async function decideCharge(
  db: SandboxDb,
  challenge: string,
  { state, code }: { readonly state: 'approved' | 'declined' | 'closed'; readonly code: string | null },
): Promise<void> {
  const approved = sql<ChargeRow['state']>`case capture_method when 'manual' then 'authorized' else 'captured' end`;
  await db.transaction().execute(async tx => {
    const row = await tx
      .updateTable('sandbox.charges')
      .set({ state: state === 'approved' ? approved : state, code })
      .where('challenge', '=', challenge)
      .where('state', '=', 'requires_action')
      .returningAll()
      .executeTakeFirst();
    if (row === undefined || row.payment_id === null) return;
    const { rail, merchant_id, attempt_id: reference, payment_id } = row;
    await addEvent(tx, { rail, merchant_id, about: 'charge', reference, payment_id });
  });
}

/** Cancels a charge that waits for its payer, or releases an authorized charge. Does not change other charges. */
export async function endCharge({ db, rail }: AcquirerTables, attemptId: string): Promise<void> {
  await db
    .updateTable('sandbox.charges')
    .set({ state: sql`case state when 'authorized' then 'released' else 'canceled' end` })
    .where(eb => eb.and({ attempt_id: attemptId, rail }))
    .where('state', 'in', ['requires_action', 'authorized'])
    .execute();
}

/** Stores the result of a capture. Returns the changed charge, or null if no charge of the attempt is authorized. */
export async function captureCharge(
  { db, rail }: AcquirerTables,
  attemptId: string,
  set: Pick<ChargeRow, 'state' | 'code' | 'captured_amount' | 'captures_at'>,
): Promise<ChargeRow | null> {
  const row = await db
    .updateTable('sandbox.charges')
    .set(set)
    .where(eb => eb.and({ attempt_id: attemptId, rail, state: 'authorized' }))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export type EventRow = Selectable<SandboxCardEventsTable>;

/** Adds an event to its acquirer's list. The lock on the counter lets readers see positions in order. */
async function addEvent(tx: SandboxDb, event: Omit<EventRow, 'position' | 'is_sent'>): Promise<void> {
  const { rail, merchant_id, about, reference, payment_id } = event;
  await sql`
    with next as (
      insert into sandbox.bank_feeds (rail, position) values (${rail}, 1)
      on conflict (rail) do update set position = bank_feeds.position + 1
      returning position
    )
    insert into sandbox.card_events (rail, position, merchant_id, about, reference, payment_id)
    select ${rail}, position, ${merchant_id}, ${about}, ${reference}, ${payment_id} from next`.execute(tx);
}

/** The acquirer's events after a position, oldest first. */
export async function findEvents({ db, rail }: AcquirerTables, { position, limit }: FeedPage): Promise<EventRow[]> {
  const query = db
    .selectFrom('sandbox.card_events')
    .selectAll()
    .where('rail', '=', rail)
    .where('position', '>', position)
    .orderBy('position')
    .limit(limit);
  return [...(await executePrepared(db, query)).rows];
}

/** The acquirer's events that were not sent yet. They count as sent then. */
export async function takeUnsent({ db, rail }: AcquirerTables): Promise<EventRow[]> {
  return await db
    .updateTable('sandbox.card_events')
    .set({ is_sent: true })
    .where(eb => eb.and({ rail, is_sent: false }))
    .returningAll()
    .execute();
}

/**
 * Stores the dispute of a locked charge unless the charge already has a dispute. Returns the stored dispute. A new
 * dispute is an event of the acquirer.
 */
export async function keepDispute(
  tx: SandboxDb,
  { rail, merchant_id }: Pick<ChargeRow, 'rail' | 'merchant_id'>,
  row: DisputeRow,
): Promise<DisputeRow> {
  const known = tx.selectFrom('sandbox.disputes').selectAll().where('charge_id', '=', row.charge_id);
  const kept = await known.executeTakeFirst();
  if (kept !== undefined) return kept;
  await tx.insertInto('sandbox.disputes').values(row).execute();
  await addEvent(tx, { rail, merchant_id, about: 'dispute', reference: row.id, payment_id: null });
  return row;
}

/** The dispute of a charge of the acquirer, or null. */
export async function findDispute({ db, rail }: AcquirerTables, id: string): Promise<DisputeRow | null> {
  const row = await db
    .selectFrom('sandbox.disputes as d')
    .innerJoin('sandbox.charges as c', 'c.id', 'd.charge_id')
    .selectAll('d')
    .where(eb => eb.and({ 'd.id': id, 'c.rail': rail }))
    .executeTakeFirst();
  return row ?? null;
}

/** Stores the merchant's first answer to a dispute. Later answers have no effect. */
export async function answerDispute(
  db: SandboxDb,
  id: string,
  answer: Partial<Pick<DisputeRow, 'evidence' | 'submitted_at' | 'accepted_at'>>,
): Promise<void> {
  await db
    .updateTable('sandbox.disputes')
    .set(answer)
    .where(eb => eb.and([eb('id', '=', id), eb('submitted_at', 'is', null), eb('accepted_at', 'is', null)]))
    .execute();
}
