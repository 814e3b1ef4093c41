import type { Selectable } from 'kysely';
import type { Db, Executor } from '../../platform/db/database.ts';
import type { Page, PageRequest } from '../../platform/db/page.ts';
import {
  findMailStates,
  isUnderWay,
  listMailsAbout,
  type MailRow,
  type MailSubject,
  mayHaveArrived,
} from '../../platform/mail/mail.store.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import type { InvoiceTransactionsTable } from '../tables.ts';
import { mailKey } from './invoice-notifications.ts';

/** A page of the mails about the invoice that were not deleted yet. */
export async function listInvoiceMails(db: Db, row: InvoiceRow, request: PageRequest): Promise<Page<MailRow>> {
  return await listMailsAbout(db, subjectOf(row), request);
}

/**
 * How far the mails got that send the invoice. `arrived`: the customer may have one of them; what was forgotten had left long ago.
 * `leaving`: a process has one, and its end was not sent yet. `waiting`: no process has one, and one may be taken at any moment.
 * `turned_away`: none will come.
 */
export type Mailing = 'arrived' | 'leaving' | 'waiting' | 'turned_away';

/** How far the invoice got by mail, at `now` on the merchant's clock. */
export async function mailingOf(db: Executor, row: InvoiceRow, now: Date): Promise<Mailing> {
  const mails = await findMailStates(db, subjectOf(row), mailKey.sent(row.id, ''));
  if (mails.length === 0 || mails.some(mayHaveArrived)) return 'arrived';
  if (mails.some(mail => isUnderWay(mail, now))) return 'leaving';
  return mails.some(({ status }) => status === 'queued') ? 'waiting' : 'turned_away';
}

function subjectOf({ merchant_id: merchantId, livemode, id }: InvoiceRow): MailSubject {
  return { merchantId, livemode, type: 'invoice', id };
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
