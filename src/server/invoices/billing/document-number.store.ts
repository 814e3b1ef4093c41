import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { executePrepared, executeTogether } from '../../platform/db/prepared.ts';
import { rowSource } from '../../platform/db/rows.ts';
import type { Actor } from '../invoice.store.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import { creditedAmong } from '../money/customer-credit.store.ts';
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
  const documents = [{ merchant_id: merchant.id, livemode, prefix }];
  const [number] = numbersOf(documents, (await executePrepared(tx, raiseCounters(documents))).rows);
  if (number === undefined) throw new Error(`no number of the prefix ${prefix} was taken`);
  return number;
}

/**
 * Takes the next number of each invoice, in order, like `nextNumber`. Also returns the ids of the invoices whose
 * customer has unused credit. Both take one round trip.
 */
export async function numberInvoices(
  tx: Tx,
  invoices: readonly InvoiceRow[],
): Promise<{ readonly numbers: readonly string[]; readonly credited: ReadonlySet<string> }> {
  const documents = invoices.map(({ number_prefix: prefix, ...row }) => ({ ...row, prefix }));
  const [credited, counters] = await executeTogether<[{ readonly id: string }, InvoiceCountersTable]>(
    tx,
    creditedAmong(invoices),
    raiseCounters(documents),
  );
  return { numbers: numbersOf(documents, counters), credited: new Set(credited.map(({ id }) => id)) };
}

/** The statement that raises each counter by the number of its documents. Returns the counters. */
function raiseCounters(documents: readonly NumberedDocument[]) {
  const groups = [...Map.groupBy(documents, counterOf).values()].map(group => ({ ...group[0], last: group.length }));
  const types = { merchant_id: 'text', livemode: 'bool', prefix: 'text', last: 'int4' };
  return sql<InvoiceCountersTable>`
    insert into invoice_counters as c (merchant_id, livemode, prefix, last)
    select merchant_id, livemode, prefix, last from ${rowSource(types, groups)} as n
    order by merchant_id, livemode, prefix
    on conflict (merchant_id, livemode, prefix) do update set last = c.last + excluded.last
    returning merchant_id, livemode, prefix, last`;
}

/** The numbers of the documents, whose raised counters are `counters`. */
function numbersOf(documents: readonly NumberedDocument[], counters: readonly InvoiceCountersTable[]): string[] {
  const left = new Map(counters.map(counter => [counterOf(counter), counter.last]));
  // The last document of a counter has the counter's number, and the documents before it have the numbers before.
  const numbers = documents.toReversed().map(document => {
    const number = left.get(counterOf(document)) ?? 0;
    left.set(counterOf(document), number - 1);
    return `${document.prefix}${String(number).padStart(4, '0')}`;
  });
  return numbers.reverse();
}

function counterOf({ merchant_id, livemode, prefix }: NumberedDocument): string {
  return JSON.stringify([merchant_id, livemode, prefix]);
}
