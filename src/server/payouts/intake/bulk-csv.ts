import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { BulkOptions } from '../../../api/payout.ts';
import { Timestamp } from '../../../api/schema.ts';
import { type CsvColumns, type CsvRow, readCsv } from '../../platform/csv.ts';
import { openUpload } from '../../platform/http/upload.ts';
import { destinationColumns, destinationOf, metadataOf } from '../destinations/destination-columns.ts';
import { createRowReader, mostRows, type ReadRows } from './row-reader.ts';

const { on_error, dry_run, description } = BulkOptions.properties;

/** Query options of a bulk request with a CSV body. */
export const CsvOptions = Type.Object({
  on_error,
  dry_run,
  description,
  scheduled_at: Type.Optional({ ...Timestamp, description: 'When the payouts are sent; at once by default.' }),
  approval: Type.Optional(Type.Boolean({ description: 'The batch waits for a second person.' })),
});
type CsvOptions = Static<typeof CsvOptions>;

const required = ['amount', 'currency'];
const money = ['recipient_id', 'source_currency', 'reference', 'description'];
const destinationPrefix = 'destination.';
/** Destination columns may omit their prefix. */
const shortNames = destinationColumns.map(column => column.slice(destinationPrefix.length));
const columns: CsvColumns = {
  required,
  optional: [...money, ...shortNames, ...destinationColumns],
  prefix: 'metadata.',
};

/** The columns of a payouts file, for documentation. */
export const payoutColumns: readonly string[] = [...required, ...money, ...shortNames];

/** A bulk request, read from its body and query. */
export interface ReadBulk {
  readonly read: ReadRows;
  readonly options: BulkOptions;
  /** Digest of body and options, to compare repeated requests. */
  readonly digest: Buffer;
}

/** Reads payouts from CSV of at most `most` bytes. Throws the errors of `readCsv`, and `body_too_large`. */
export async function readCsvBulk(body: AsyncIterable<Buffer>, given: CsvOptions, most: number): Promise<ReadBulk> {
  const upload = openUpload(body, most);
  const reader = createRowReader();
  try {
    let index = 0;
    for await (const row of readCsv(upload.read(), columns, mostRows)) takeRow(reader, row, index++);
  } catch (error) {
    await upload.drain();
    throw error;
  }
  const digest = createHash('sha256')
    .update(upload.digest())
    .update(JSON.stringify(Object.entries(given).sort()));
  return { read: reader.result(), options: optionsOf(given), digest: digest.digest() };
}

function optionsOf({ scheduled_at: at, approval, ...others }: CsvOptions): BulkOptions {
  return {
    ...others,
    ...(at !== undefined && { schedule: { type: 'scheduled' as const, at } }),
    ...(approval === true && { approval: { required: true } }),
  };
}

function takeRow(reader: ReturnType<typeof createRowReader>, { cells, problem }: CsvRow, index: number): void {
  if (problem === null) reader.take(requestOf(cells), index);
  else reader.take(null, index, { param: `payouts[${index}]`, code: 'malformed_request', message: problem });
}

/** The unchecked row in the form of a JSON request. */
function requestOf(cells: CsvRow['cells']): Readonly<Record<string, unknown>> {
  const { recipient_id, amount, currency, source_currency, reference, description } = cells;
  const named = Object.entries(cells).map(([name, cell]) => [
    shortNames.includes(name) ? destinationPrefix + name : name,
    cell,
  ]);
  const destination = destinationOf(Object.fromEntries(named));
  const all = {
    recipient_id,
    amount: amount === undefined ? undefined : readAmount(amount),
    currency,
    source_currency,
    reference,
    description,
    destination,
    metadata: metadataOf(cells),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** An integer. Returns other texts unchanged; the schema then rejects them. */
function readAmount(text: string): number | string {
  const amount = Number(text);
  return /^-?[0-9]+$/.test(text) && Number.isSafeInteger(amount) ? amount : text;
}
