import { sql } from 'kysely';
import type { Recipient } from '../../../api/recipient.ts';
import { PayError } from '../../../core/error.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import { insertRows, rowSource, updateRows } from '../../platform/db/rows.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { RecipientDestinationRow, RecipientRow } from '../tables.ts';
import type { RecipientRecord } from './recipient.ts';

export interface RecipientFilter {
  readonly type?: Recipient['type'] | undefined;
  /** Compared without regard to case. */
  readonly country?: string | undefined;
  /** Compared without regard to case and outer blanks. */
  readonly reference?: string | undefined;
}

/** The recipients with their destinations, in the given order. */
async function withDestinations(
  db: Executor,
  merchantId: string,
  recipients: readonly RecipientRow[],
): Promise<readonly RecipientRecord[]> {
  if (recipients.length === 0) return [];
  const { rows } = await sql<RecipientDestinationRow>`
    select d.* from recipient_destinations d join ${rowSource({ id: 'text' }, recipients)} as n on n.id = d.recipient_id
    where d.merchant_id = ${merchantId} order by d.recipient_id, d.position`.execute(db);
  const byRecipient = Map.groupBy(rows, row => row.recipient_id);
  return recipients.map(recipient => ({ recipient, destinations: byRecipient.get(recipient.id) ?? [] }));
}

/** The recipient. `lock` locks it for a change in the same transaction. Throws `resource_missing`. */
export async function readRecipient(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  id: string,
  lock?: 'lock',
): Promise<RecipientRecord> {
  const query = db
    .selectFrom('recipients')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', id)
    .where('livemode', '=', livemode)
    .where('deleted_at', 'is', null);
  const recipient = await (lock === undefined ? query : query.forUpdate()).executeTakeFirst();
  if (recipient === undefined) {
    throw new PayError('resource_missing', `No recipient ${id.slice(0, 64)} exists. Check the id.`, { param: 'id' });
  }
  const [record] = await withDestinations(db, merchantId, [recipient]);
  return record ?? { recipient, destinations: [] };
}

/** Lists one page of recipients, newest first. */
export async function listRecipients(
  db: Executor,
  scope: MerchantScope,
  { type, country, reference }: RecipientFilter,
  request: PageRequest,
): Promise<Page<RecipientRecord>> {
  const ofReference = reference === undefined ? [] : [sql<boolean>`lower(reference) = lower(${reference.trim()})`];
  const page = await readPage(db, { table: 'recipients', ...scope }, request, {
    equal: { type, country: country?.toUpperCase() },
    and: [sql<boolean>`deleted_at is null`, ...ofReference],
  });
  return { rows: await withDestinations(db, scope.merchantId, page.rows), hasMore: page.hasMore };
}

/** Inserts recipients. Throws `duplicate_reference` if another recipient already has the same reference. */
export async function insertRecipients(tx: Tx, records: readonly RecipientRecord[]): Promise<void> {
  const recipients = records.map(({ recipient }) => recipient);
  await refuseTaken(() => insertRows(tx, 'recipients', recipients));
  const destinations = records.flatMap(record => record.destinations);
  await insertRows(tx, 'recipient_destinations', destinations.map(asColumns));
}

const detailColumns = ['name', 'email', 'type', 'country', 'reference', 'metadata', 'deleted_at'] as const;

/** Updates locked recipients. Throws `duplicate_reference`. */
export async function updateRecipients(tx: Tx, recipients: readonly RecipientRow[]): Promise<void> {
  const key = ['merchant_id', 'id'];
  await refuseTaken(() => updateRows(tx, { table: 'recipients', key, columns: detailColumns, rows: recipients }));
}

/** Replaces all destinations of locked recipients. */
export async function replaceDestinations(
  tx: Tx,
  merchantId: string,
  recipientIds: readonly string[],
  destinations: readonly RecipientDestinationRow[],
): Promise<void> {
  if (recipientIds.length === 0) return;
  await sql`
    delete from recipient_destinations where merchant_id = ${merchantId} and recipient_id = any(${[...recipientIds]})`.execute(
    tx,
  );
  await insertRows(tx, 'recipient_destinations', destinations.map(asColumns));
}

/** The columns of a row in a fixed order, because all rows of a statement need the same columns. */
function asColumns(row: RecipientDestinationRow): RecipientDestinationRow {
  const { merchant_id, id, recipient_id, position, destination, is_default, verification } = row;
  return { merchant_id, id, recipient_id, position, destination, is_default, verification };
}

async function refuseTaken(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const { code, constraint } = error as { code?: unknown; constraint?: unknown };
    if (code !== '23505' || constraint !== 'recipients_reference') throw error;
    const message = 'Another recipient has this reference. Change that recipient, or use another reference.';
    throw new PayError('duplicate_reference', message, { param: 'reference' });
  }
}

/** A recipient, and the index that the caller gave with its reference. */
export interface Referenced extends RecipientRecord {
  readonly index: number;
}

/** Locks the recipients with these references until the transaction ends. Ignores case. */
export async function lockReferenced(
  tx: Tx,
  { merchantId, livemode }: MerchantScope,
  references: readonly { readonly index: number; readonly reference: string }[],
): Promise<readonly Referenced[]> {
  if (references.length === 0) return [];
  const source = rowSource({ index: 'int4', reference: 'text' }, references);
  const { rows } = await sql<RecipientRow & { readonly index: number }>`
    select r.*, n.index from recipients r join ${source} as n on lower(n.reference) = lower(r.reference)
    where r.merchant_id = ${merchantId} and r.livemode = ${livemode} and r.deleted_at is null
    order by r.id for update of r`.execute(tx);
  const recipients = rows.map(({ index: _index, ...recipient }) => recipient);
  const records = await withDestinations(tx, merchantId, recipients);
  return records.map((record, at) => ({ ...record, index: rows[at]?.index ?? 0 }));
}
