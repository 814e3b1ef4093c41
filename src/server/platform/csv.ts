import { pipeline } from 'node:stream';
import { CsvError, type Options, parse } from 'csv-parse';
import { PayError } from '../../core/error.ts';

/** CSV as spreadsheets write and read it (RFC 4180), in UTF-8. */

/** The columns of a file, by name. The first row of the file contains the names, in any order and case. */
export interface CsvColumns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Prefix of columns whose names are free after it, for example `metadata.`. */
  readonly prefix?: string;
}

/** A row of a file: its non-empty cells by column, without outer spaces. */
export interface CsvRow {
  /** The line of the file where the row ends, from 1. */
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
  /** The problem with the row's form, or null. */
  readonly problem: string | null;
}

/** Maximum characters of a row. A longer row probably has a quote that is not closed. */
const longestRow = 100_000;

/**
 * Reads the rows of a file while it arrives, without empty rows. The separator is a comma, or a semicolon or tab if
 * the first line has no comma. Throws `malformed_request` for an empty file or a text that is not CSV in UTF-8. Throws
 * `batch_size` for more than `most` rows. Throws `parameter_missing`, `parameter_unknown` or `parameter_invalid` for
 * wrong columns.
 */
export async function* readCsv(
  source: AsyncIterable<Uint8Array>,
  columns: CsvColumns,
  most: number,
): AsyncGenerator<CsvRow> {
  let names: readonly string[] | null = null;
  let count = 0;
  for await (const { record, line } of recordsOf(source)) {
    if (names === null) {
      names = readHeader(record, columns);
      continue;
    }
    if (++count > most) throw new PayError('batch_size', `The file has more than ${most} rows. Send several files.`);
    yield readRow(names, record, line);
  }
  if (names === null) throw malformed('The file is empty. Its first row names the columns.');
}

/**
 * The first row of a file: the names of its columns, after a byte order mark. Without the mark, Excel reads UTF-8 as the
 * encoding of the computer, and “Müller” becomes “MÃ¼ller”.
 */
export function csvHead(columns: readonly string[]): string {
  return `\ufeff${csvLine(columns)}`;
}

/** One row of a file, with its line end. Null and undefined become empty cells. */
export function csvLine(cells: readonly (string | number | bigint | null | undefined)[]): string {
  return `${cells.map(cell => quoted(String(cell ?? ''))).join(',')}\r\n`;
}

/**
 * Spreadsheets run a cell as a formula if it begins with one of these signs, or with a tab or line end (OWASP, CSV
 * Injection). Some languages also use the full-width signs. Programs may drop blanks and invisible characters before a
 * sign: spaces, controls, format characters such as a zero-width space or a direction mark, and other ignorable ones.
 * `csvLine` puts an apostrophe before such a cell, and `readCsv` removes the apostrophe.
 */
const formula =
  /^(?:['\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n])/u;

/** A negative amount is a number for spreadsheets, so it needs no apostrophe. */
const negativeNumber = /^-\d+(\.\d+)?$/;

function quoted(cell: string): string {
  const text = formula.test(cell) && !negativeNumber.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function readCell(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith("'") && formula.test(trimmed) ? trimmed.slice(1).trim() : trimmed;
}

function readHeader(record: readonly string[], { required, optional, prefix }: CsvColumns): readonly string[] {
  const names = record.map(text => readName(text.trim(), prefix));
  const known = [...required, ...optional];
  for (const [index, name] of names.entries()) {
    const isKnown =
      known.includes(name) || (prefix !== undefined && name.length > prefix.length && name.startsWith(prefix));
    const shown = name.slice(0, 60);
    if (!isKnown) {
      const message = `The file has an unknown column “${shown}”. Known: ${known.join(', ')}.`;
      throw new PayError('parameter_unknown', message, { param: shown });
    }
    if (names.indexOf(name) < index) {
      throw new PayError('parameter_invalid', `The file has the column ${shown} twice.`, { param: shown });
    }
  }
  const missing = required.find(name => !names.includes(name));
  if (missing !== undefined) {
    throw new PayError('parameter_missing', `The file lacks the column ${missing}.`, { param: missing });
  }
  return names;
}

/** Column names are in lower case. The part after `prefix` (the key of `metadata.…`) keeps its case. */
function readName(text: string, prefix: string | undefined): string {
  const name = text.toLowerCase();
  return prefix !== undefined && name.startsWith(prefix) ? prefix + text.slice(prefix.length) : name;
}

function readRow(names: readonly string[], record: readonly string[], line: number): CsvRow {
  const cells: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const cell = readCell(record[index] ?? '');
    if (cell !== '') cells[name] = cell;
  }
  return { line, cells, problem: problemOf(names, record, line) };
}

function problemOf(names: readonly string[], record: readonly string[], line: number): string | null {
  if (record.length !== names.length) {
    return `Line ${line} has ${record.length} cells, and the file has ${names.length} columns. Quote cells that contain a comma.`;
  }
  return record.some(cell => cell.includes('\0')) ? `Line ${line} contains a NUL character.` : null;
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly line: number;
}

/** Uses the package `csv-parse`, which handles quotes and line ends across chunks. */
async function* recordsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const texts = decoded(source);
  const first = await texts.next();
  const head = first.done === true ? '' : first.value;
  const delimiter = separatorOf(head);
  // The package treats a tab as a space, so trimming would remove empty cells of a tab-separated file.
  const parser = parse({ ...options, delimiter, trim: delimiter !== '\t' });
  pipeline(resumed(head, texts), parser, () => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      yield { record, line: info.lines };
    }
  } catch (error) {
    throw error instanceof CsvError ? malformed(explain(error)) : error;
  }
}

const options: Options = {
  info: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
  relax_column_count: true,
  max_record_size: longestRow,
};

async function* resumed(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

/** The texts of the chunks, without the byte order mark. The first text has the first line, unless it is too long. */
async function* decoded(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let head: string | null = '';
  try {
    for await (const chunk of source) {
      const text: string = (head ?? '') + decoder.decode(chunk, { stream: true });
      if (head !== null && !text.includes('\n') && text.length < longestRow) head = text;
      else {
        head = null;
        yield text;
      }
    }
    yield (head ?? '') + decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? malformed('The file is not valid UTF-8. Save it as CSV in UTF-8.') : error;
  }
}

function separatorOf(text: string): string {
  const [line = ''] = text.split(/\r?\n/, 1);
  return [',', ';', '\t'].find(separator => line.includes(separator)) ?? ',';
}

function explain(error: CsvError): string {
  const line = typeof error['lines'] === 'number' ? ` near line ${error['lines']}` : '';
  return `The file is not valid CSV${line}. A quote may be missing or out of place.`;
}

function malformed(message: string): PayError {
  return new PayError('malformed_request', message);
}
