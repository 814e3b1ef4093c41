import { sql } from 'kysely';
import { textArray } from '../../db/array-parameter.ts';
import type { Executor } from '../../db/database.ts';
import { type MailRow, mayHaveArrived } from '../../mail/mail.store.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import { firstRound, letterKey } from './letter-key.ts';

/** The mails about the invoice that are not forgotten yet, oldest first. */
export async function listInvoiceMails(db: Executor, row: InvoiceRow): Promise<MailRow[]> {
  const { merchant_id: merchantId, id, livemode } = row;
  const versions = Array.from({ length: row.version }, (_, index) => String(index + 1));
  const rounds = [...new Set([firstRound, ...versions])];
  const keys = [
    ...rounds.map(round => letterKey.sent(id, round)),
    ...(await idsOf(db, 'invoice_transactions', row)).map(letterKey.receipt),
    ...(await idsOf(db, 'invoice_reminders', row)).map(letterKey.reminder),
    ...(await idsOf(db, 'credit_notes', row)).map(letterKey.creditNote),
    letterKey.voided(id),
  ];
  return await db
    .selectFrom('mails')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('livemode', '=', livemode)
    .where('dedupe_key', '=', sql<string>`any(${textArray(keys)}::text[])`)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/**
 * Whether the customer may have the invoice by mail. Not while each mail that sends it waits, or was turned away; what was
 * forgotten had left long ago.
 */
export async function wasMailed(db: Executor, row: InvoiceRow): Promise<boolean> {
  const letters = (await listInvoiceMails(db, row)).filter(({ attachments: [about] }) => about?.kind === 'invoice');
  return letters.length === 0 || letters.some(mayHaveArrived);
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
