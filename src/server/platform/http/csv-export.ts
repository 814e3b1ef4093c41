import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { csvHead, csvLine } from '../csv.ts';
import type { Page, PageRequest } from '../db/page.ts';

/** A list as CSV: its columns, its pages, and a row's cells in the order of the columns. */
interface CsvExport<Row extends { readonly id: string }> {
  readonly columns: readonly string[];
  readonly created: PageRequest['created'];
  readonly read: (request: PageRequest) => Promise<Page<Row>>;
  readonly cells: (row: Row) => Parameters<typeof csvLine>[0];
}

/** Number of rows that one query reads. */
const pageSize = 500;

/** Sends all rows of a list as a CSV file, newest first. `name` is the file's name without date and extension. */
export function sendCsv<Row extends { readonly id: string }>(
  reply: FastifyReply,
  { name, now }: { readonly name: string; readonly now: Date },
  list: CsvExport<Row>,
): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}-${now.toISOString().slice(0, 10)}.csv"`)
    .send(Readable.from(writeLines(list), { objectMode: false }));
}

/** The lines of the file. A slow client delays the next query, so memory never holds many pages. */
async function* writeLines<Row extends { readonly id: string }>(list: CsvExport<Row>): AsyncGenerator<string> {
  yield csvHead(list.columns);
  for (let startingAfter: string | null = null; ; ) {
    const request: PageRequest = { limit: pageSize, startingAfter, endingBefore: null, created: list.created };
    const { rows, hasMore } = await list.read(request);
    yield rows.map(row => csvLine(list.cells(row))).join('');
    startingAfter = rows.at(-1)?.id ?? null;
    if (!hasMore || startingAfter === null) return;
  }
}
