import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { textArray } from '../../platform/db/array-parameter.ts';
import type { Db, Executor } from '../../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import { isUnderWay, type MailRow, mayHaveArrived } from '../../platform/mail/mail.store.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import { letterKey } from './letter-key.ts';

/** A page of the mails about the invoice that are not forgotten yet. */
export async function listInvoiceMails(db: Db, row: InvoiceRow, request: PageRequest): Promise<Page<MailRow>> {
  const { merchant_id: merchantId, id, livemode } = row;
  const keys = [
    ...(await idsOf(db, 'invoice_transactions', row)).map(letterKey.receipt),
    ...(await idsOf(db, 'invoice_reminders', row)).map(letterKey.reminder),
    ...(await idsOf(db, 'credit_notes', row)).map(letterKey.creditNote),
    letterKey.voided(id),
  ];
  const among = sql<SqlBool>`(${isSending(row)} or dedupe_key = any(${textArray(keys)}::text[]))`;
  return await readPage(db, { table: 'mails', merchantId, livemode, among }, request);
}

/**
 * How far the mails got that send the invoice. `arrived`: the customer may have one of them; what was forgotten had left long ago.
 * `leaving`: a process has one, and its end was not sent yet. `waiting`: no process has one, and one may be taken at any moment.
 * `turned_away`: none will come.
 */
export type Mailing = 'arrived' | 'leaving' | 'waiting' | 'turned_away';

/** How far the invoice got by mail, at `now` on the merchant's clock. */
export async function mailingOf(db: Executor, row: InvoiceRow, now: Date): Promise<Mailing> {
  const letters = await db
    .selectFrom('mails')
    .select(['status', 'doubtful', 'sending', 'due_at'])
    .where('merchant_id', '=', row.merchant_id)
    .where('livemode', '=', row.livemode)
    .where(isSending(row))
    .execute();
  if (letters.length === 0 || letters.some(mayHaveArrived)) return 'arrived';
  if (letters.some(letter => isUnderWay(letter, now))) return 'leaving';
  return letters.some(({ status }) => status === 'queued') ? 'waiting' : 'turned_away';
}

/**
 * A mail that sends the invoice, in whatever round. Rounds are numbers, and not counted up to here: each look at the invoice
 * makes the next one higher. The index serves the range, which ends at a letter since those come after digits in whatever
 * order the database keeps text; what only such an order puts in between is left out by `starts_with`.
 */
function isSending({ id }: InvoiceRow): RawBuilder<SqlBool> {
  const prefix = letterKey.sent(id, '');
  return sql`(dedupe_key >= ${prefix} and dedupe_key < ${`${prefix}a`} and starts_with(dedupe_key, ${prefix}))`;
}

async function idsOf(
  db: Executor,
  table: 'invoice_transactions' | 'invoice_reminders' | 'credit_notes',
  { merchant_id: merchantId, id }: InvoiceRow,
): Promise<string[]> {
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', id)
    .execute();
  return rows.map(row => row.id);
}
