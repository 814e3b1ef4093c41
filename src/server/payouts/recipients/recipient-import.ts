import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import { PayoutDestination, type RowError } from '../../../api/payout.ts';
import { CreateRecipient } from '../../../api/recipient.ts';
import { Closed } from '../../../api/schema.ts';
import { isEmail } from '../../../core/email.ts';
import type { ErrorCode, FieldError } from '../../../core/error.ts';
import { type CsvColumns, type CsvRow, readCsv } from '../../platform/csv.ts';
import { createCheck } from '../../platform/http/validation.ts';
import { checkDestination } from '../destinations/destination.ts';
import { destinationColumns, destinationOf, metadataOf } from '../destinations/destination-columns.ts';
import type { DestinationContext } from '../destinations/destination-context.ts';

/** A rejected row, with an API error code. */
export type RefusedRow = RowError & { readonly code: ErrorCode };

const { destinations: _destinations, ...details } = CreateRecipient.properties;
const ImportedRecipient = Closed({ ...details, destination: Type.Optional(PayoutDestination) });

/** The recipient in a row, with at most one destination. */
export type ImportedRecipient = Static<typeof ImportedRecipient>;

/** A valid row of the file. `index` counts from 0. */
export interface ImportedRow {
  readonly index: number;
  readonly given: ImportedRecipient;
}

/** The checked content of a recipients file. */
export interface ImportFile {
  readonly rows: readonly ImportedRow[];
  readonly errors: readonly RefusedRow[];
}

/** The columns of a recipients file. Any number of columns may begin with `metadata.`. */
export const importColumns: CsvColumns = {
  required: ['name', 'type'],
  optional: ['email', 'country', 'reference', ...destinationColumns],
  prefix: 'metadata.',
};

const checkForm = createCheck(ImportedRecipient);
/** Maximum rows of a file. */
export const mostRows = 10_000;
/** Number of rows after which other requests get processor time. */
const rowsInTurn = 200;

/** Reads a recipients file and checks each row. Throws the errors of `readCsv`. */
export async function readImport(file: Uint8Array, context: DestinationContext): Promise<ImportFile> {
  const rows: ImportedRow[] = [];
  const errors: RefusedRow[] = [];
  const references = new Set<string>();
  let index = 0;
  for await (const row of readCsv(chunksOf(file), importColumns, mostRows)) {
    const found = readRow(row, `rows[${index}]`, context, references);
    if ('errors' in found) for (const error of found.errors) errors.push({ index, ...error });
    else rows.push({ index, given: found.given });
    if (++index % rowsInTurn === 0) await nextTurn();
  }
  return { rows, errors };
}

const chunkBytes = 65_536;

async function* chunksOf(file: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes);
}

type RowFound = { readonly given: ImportedRecipient } | { readonly errors: readonly FieldError[] };

function readRow(
  { cells, problem }: CsvRow,
  param: string,
  context: DestinationContext,
  references: Set<string>,
): RowFound {
  if (problem !== null) return { errors: [{ param, code: 'malformed_request', message: problem }] };
  const value = requestOf(cells);
  const violations = checkForm(value, param);
  if (violations.length > 0) return { errors: violations };
  const given = value as ImportedRecipient;
  const errors = [...emailErrors(given, param), ...referenceErrors(given, param, references)];
  const checked = given.destination && checkDestination(given.destination, `${param}.destination`, context);
  if (checked !== undefined && 'errors' in checked) errors.push(...checked.errors);
  if (errors.length > 0) return { errors };
  return { given: checked === undefined ? given : { ...given, ...checked } };
}

function requestOf(cells: CsvRow['cells']): Readonly<Record<string, unknown>> {
  const { name, type, email, country, reference } = cells;
  const destination = destinationOf(cells);
  const metadata = metadataOf(cells);
  const all = { name, type: type?.toLowerCase(), email, country, reference, destination, metadata };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function emailErrors({ email }: ImportedRecipient, param: string): FieldError[] {
  if (email === undefined || isEmail(email)) return [];
  return [{ param: `${param}.email`, code: 'invalid_email', message: `“${email}” is not an e-mail address.` }];
}

function referenceErrors({ reference }: ImportedRecipient, param: string, references: Set<string>): FieldError[] {
  const key = reference?.toLowerCase();
  if (key === undefined) return [];
  const message = `Another row of the file has the reference ${reference}.`;
  if (references.has(key)) return [{ param: `${param}.reference`, code: 'duplicate_reference', message }];
  references.add(key);
  return [];
}
