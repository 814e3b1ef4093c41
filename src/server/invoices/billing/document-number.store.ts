import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { executePrepared, executeTogether } from '../../platform/db/prepared.ts';
import type { Actor } from '../invoice.store.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import { unusedCredit } from '../money/customer-credit.store.ts';
import type { InvoiceCountersTable } from '../tables.ts';

/** A numbered document: an invoice or credit note. */
type NumberedDocument = Omit<InvoiceCountersTable, 'last'>;

/**
 * Takes the next number of the prefix. Locks its counter until the transaction ends. A rollback thus leaves no gap, but
 * other transactions wait. Nothing slow may follow in the transaction.
 */
export async function nextNumber(
  tx: Tx,
  { merchant, livemode }: Pick<Actor, 'merchant' | 'livemode'>,
  prefix: string,
): Promise<string> {
  const { rows } = await executePrepared(tx, raiseCounter({ merchant_id: merchant.id, livemode, prefix }));
  return numberOf(prefix, rows);
}

/**
 * Takes the next number of the invoice, like `nextNumber`, and tells whether its customer has unused credit. Both take
 * one round trip.
 */
export async function numberInvoice(
  tx: Tx,
  invoice: InvoiceRow,
): Promise<{ readonly number: string; readonly hasCredit: boolean }> {
  const { number_prefix: prefix, merchant_id, livemode } = invoice;
  const [credited, counters] = await executeTogether<[{ readonly holder: string }, RaisedCounter]>(
    tx,
    unusedCredit(invoice),
    raiseCounter({ merchant_id, livemode, prefix }),
  );
  return { number: numberOf(prefix, counters), hasCredit: credited.length > 0 };
}

type RaisedCounter = Pick<InvoiceCountersTable, 'last'>;

function raiseCounter({ merchant_id, livemode, prefix }: NumberedDocument): RawBuilder<RaisedCounter> {
  return sql<RaisedCounter>`
    insert into invoice_counters as c (merchant_id, livemode, prefix, last)
    values (${merchant_id}, ${livemode}, ${prefix}, 1)
    on conflict (merchant_id, livemode, prefix) do update set last = c.last + 1
    returning last`;
}

function numberOf(prefix: string, [counter]: readonly RaisedCounter[]): string {
  if (counter === undefined) throw new Error(`no number of the prefix ${prefix} was taken`);
  return `${prefix}${String(counter.last).padStart(4, '0')}`;
}
