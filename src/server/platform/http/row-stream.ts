import { type FieldError, PayError } from '../../../core/error.ts';
import { parseJsonObject } from './body.ts';
import { openUpload } from './upload.ts';

/** Maximum bytes of a row, which is one object in the array of a bulk request. Valid rows are much smaller. */
const mostRowBytes = 65_536;

/** The result of `readRows`. */
export interface StreamedBody {
  /** The body without its rows: their field is an empty array. The field is missing if it was missing in the body. */
  readonly rest: Record<string, unknown>;
  /** SHA-256 of the bytes. */
  readonly digest: Buffer;
}

/**
 * Reads a JSON object from a stream and passes on the elements of its array `field` as they arrive. A large body is
 * thus never in memory as a whole, and other requests run between its chunks. Parses each row and the rest as strictly
 * as any body (`body.ts`). A JSON library for streams would accept repeated keys. Throws the errors of
 * `parseJsonObject`, and `body_too_large` above `most` bytes.
 */
export async function readRows(
  chunks: AsyncIterable<Buffer>,
  { field, most }: { readonly field: string; readonly most: number },
  onRow: OnRow,
): Promise<StreamedBody> {
  const upload = openUpload(chunks, most);
  const splitter = new RowSplitter(field, onRow);
  try {
    for await (const chunk of upload.read()) splitter.take(chunk);
    return { rest: splitter.end(), digest: upload.digest() };
  } catch (error) {
    await upload.drain();
    throw error;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;
const isOpening = (byte: number) => byte === openBrace || byte === openBracket;
const isClosing = (byte: number) => byte === 0x7d || byte === 0x5d;
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Number of latest bytes to keep. At a `[`, these bytes show whether the array is the field of the rows. */
const tailBytes = 200;
/** Maximum bytes of all fields besides the rows. */
const mostRestBytes = 262_144;

/** Takes a row. Null: the row is not an object, or `problem` names a number in it that would be rounded. */
type OnRow = (row: Record<string, unknown> | null, index: number, problem?: FieldError) => void;

/** Splits the bytes of a body into its rows and the rest. Looks only at brackets, commas, quotes and backslashes. */
class RowSplitter {
  readonly #field: string;
  readonly #onRow: OnRow;
  readonly #startOfRows: RegExp;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #tail = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  #isInRows = false;
  #isSeen = false;
  #index = 0;

  constructor(field: string, onRow: OnRow) {
    this.#field = field;
    this.#onRow = onRow;
    this.#startOfRows = new RegExp(`[{,]\\s*"${field}"\\s*:\\s*$`);
  }

  take(chunk: Buffer): void {
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      if (this.#inText) this.#readText(byte);
      else if (byte === quote) this.#inText = true;
      else if (isOpening(byte)) from = this.#open(byte, chunk, from, i);
      else if (isClosing(byte)) from = this.#close(chunk, from, i);
      else if (byte === comma && this.#isInRows && this.#depth === 2) {
        this.#keep(chunk.subarray(from, i));
        this.#endRow(false);
        from = i + 1;
      }
    }
    this.#keep(chunk.subarray(from));
  }

  end(): Record<string, unknown> {
    if (this.#isInRows) throw invalid('The body ends in the middle of its rows.');
    return parseJsonObject(Buffer.concat(this.#rest));
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#inText = false;
  }

  /** Handles an opening bracket. Returns the index of the first byte that is not kept yet. */
  #open(byte: number, chunk: Buffer, from: number, at: number): number {
    const mayBeRows = byte === openBracket && this.#depth === 1 && !this.#isInRows;
    this.#depth++;
    if (!mayBeRows) return from;
    this.#keep(chunk.subarray(from, at + 1));
    if (!this.#startOfRows.test(this.#tail.subarray(0, -1).toString('latin1'))) return at + 1;
    if (this.#isSeen) throw invalid('An object in the body has the same key twice.');
    this.#isSeen = true;
    this.#isInRows = true;
    return at + 1;
  }

  #close(chunk: Buffer, from: number, at: number): number {
    this.#depth--;
    if (!this.#isInRows || this.#depth !== 1) return from;
    this.#keep(chunk.subarray(from, at));
    this.#endRow(true);
    this.#isInRows = false;
    return at;
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#isInRows) {
      this.#parts.push(bytes);
      return;
    }
    this.#restBytes += bytes.length;
    if (this.#restBytes > mostRestBytes)
      throw new PayError('body_too_large', 'The fields beside the rows are too long.');
    this.#rest.push(bytes);
    this.#tail = Buffer.concat([this.#tail, bytes.subarray(-tailBytes)]).subarray(-tailBytes);
  }

  /** Passes on the bytes since the last comma as a row. An array without rows has only blanks before its end. */
  #endRow(isLast: boolean): void {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    if (isLast && this.#index === 0 && bytes.every(isBlank)) return;
    const name = `${this.#field}[${this.#index}]`;
    if (bytes.length > mostRowBytes) throw invalid(`${name} is larger than ${mostRowBytes} bytes.`);
    const { row, problem } = readRow(bytes, name);
    this.#onRow(row, this.#index, problem);
    this.#index++;
  }
}

function readRow(bytes: Buffer, name: string): { row: Record<string, unknown> | null; problem?: FieldError } {
  const isObject = bytes.find(byte => !isBlank(byte)) === openBrace;
  try {
    return { row: isObject ? parseJsonObject(bytes) : notAnObject(bytes) };
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    const { code, message, param } = error;
    if (param === null) throw new PayError(code, `${name}: ${message}`);
    return { row: null, problem: { param: `${name}.${param}`, code, message } };
  }
}

/** Throws unless the bytes are JSON. Otherwise returns null, so that the caller refuses the row by its index. */
function notAnObject(bytes: Buffer): null {
  parseJsonObject(Buffer.concat([Buffer.from('{"value":'), bytes, Buffer.from('}')]));
  return null;
}

function invalid(message: string): PayError {
  return new PayError('invalid_json', message);
}
