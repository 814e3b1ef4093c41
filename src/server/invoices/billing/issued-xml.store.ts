import { sql } from 'kysely';
import type { XmlFormat } from '../../documents/documents.ts';
import type { Executor } from '../../platform/db/database.ts';
import type { InvoiceRow } from '../invoice.view.ts';

interface XmlKey {
  readonly merchantId: string;
  readonly documentId: string;
  readonly format: XmlFormat;
}

/** The stored XML of an issued invoice or credit note. Null if the XML was not read yet. */
export async function findIssuedXml(db: Executor, { merchantId, documentId, format }: XmlKey): Promise<string | null> {
  const row = await db
    .selectFrom('issued_xml')
    .select('xml')
    .where(eb => eb.and({ merchant_id: merchantId, document_id: documentId, format }))
    .executeTakeFirst();
  return row?.xml ?? null;
}

/** Stores the XML, unless another call already did. Returns the stored XML. */
export async function keepIssuedXml(db: Executor, key: XmlKey, xml: string, now: Date): Promise<string> {
  const { merchantId: merchant_id, documentId: document_id, format } = key;
  await db
    .insertInto('issued_xml')
    .values({ merchant_id, document_id, format, xml, created_at: now })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  return (await findIssuedXml(db, key)) ?? xml;
}

/** The amount that the customer's credit paid at sending, in minor units. */
export async function prepaidOf(db: Executor, invoice: InvoiceRow): Promise<bigint> {
  if (invoice.sent_at === null) return 0n;
  const { prepaid } = await db
    .selectFrom('invoice_transactions')
    .select(sql<bigint>`coalesce(sum(amount), 0)::bigint`.as('prepaid'))
    .where(eb => eb.and({ merchant_id: invoice.merchant_id, invoice_id: invoice.id, type: 'credit_applied' }))
    .where('paid_at', '<=', invoice.sent_at)
    .executeTakeFirstOrThrow();
  return prepaid;
}
