import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Db, Executor } from '../../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import { isUnderWay, type MailRow, mayHaveArrived } from '../../platform/mail/mail.store.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import type { InvoiceTransactionsTable } from '../tables.ts';
import { letterKey } from './invoice-notifications.ts';

/** A page of the mails about the invoice that were not deleted yet. */
export async function listInvoiceMails(db: Db, row: InvoiceRow, request: PageRequest): Promise<Page<MailRow>> {
  const { merchant_id: merchantId, id, livemode } = row;
  const only = { resource_type: 'invoice', resource_id: id };
  return await readPage(db, { table: 'mails', merchantId, livemode, only }, request);
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

/** A mail that sends the invoice, in any round. */
function isSending({ id }: InvoiceRow): RawBuilder<SqlBool> {
  return sql`(resource_type = 'invoice' and resource_id = ${id} and starts_with(dedupe_key, ${letterKey.sent(id, '')}))`;
}

/** Money that came for an invoice, or null. */
export async function findTransaction(
  db: Executor,
  merchantId: string,
  id: string,
): Promise<Selectable<InvoiceTransactionsTable> | null> {
  const row = await db
    .selectFrom('invoice_transactions')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
