import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { isZip, unzip } from './zip.ts';

/** Maximum bytes of an answer, compressed and unpacked. */
export const mostAnswerBytes = 64 * 1024 * 1024;

/** A file of the bank, after unpacking: its text, or why it cannot be read. */
export interface AnswerDocument {
  /** Name of the file in the inbox, and the path inside an archive. */
  readonly name: string;
  /** The bytes after unpacking. Null if they are too large. */
  readonly bytes: Buffer | null;
  readonly text: string;
  readonly problem: string | null;
}

/** Archives inside archives: banks pack once, some packers twice. */
const deepest = 2;

/** Unpacks ZIP and gzip and decodes the text. Never throws: each document has its own problem. */
export function documentsOf(name: string, bytes: Buffer): AnswerDocument[] {
  return unpack(name, bytes, { bytes: mostAnswerBytes }, 0);
}

/** `left`: the bytes that the whole file may still unpack to. All its archives share them. */
function unpack(name: string, bytes: Buffer, left: { bytes: number }, depth: number): AnswerDocument[] {
  const failed = (problem: string, kept: Buffer | null = bytes) => [{ name, bytes: kept, text: '', problem }];
  try {
    if (bytes.length > mostAnswerBytes) return failed('the file is too large', null);
    if (isPacked(bytes) && depth >= deepest) return failed('the file is packed too often');
    if (isGzip(bytes)) {
      const content = gunzipSync(bytes, { maxOutputLength: Math.max(left.bytes, 1) });
      left.bytes -= content.length;
      return unpack(name, content, left, depth + 1);
    }
    if (!isZip(bytes)) return [{ name, bytes, text: decodeText(bytes), problem: null }];
    const files = unzip(bytes, left.bytes);
    left.bytes -= files.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
    if (files.length === 0) return failed('the archive is empty');
    return files.flatMap(file => {
      const path = `${name}/${file.name}`;
      if (file.content !== null) return unpack(path, file.content, left, depth + 1);
      // Banks use names again. The archive's hash tells its entries from those of an earlier one.
      const digest = createHash('sha256').update(bytes).digest('hex');
      return [{ name: path, bytes: Buffer.from(`${path}\n${digest}`), text: '', problem: file.problem }];
    });
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

const isGzip = (bytes: Buffer) => bytes.length > 2 && bytes[0] === 0x1f && bytes[1] === 0x8b;
const isPacked = (bytes: Buffer) => isGzip(bytes) || isZip(bytes);

/**
 * Decodes a text by its byte order mark, by the form of its first characters, or by the encoding that its XML
 * declaration names (XML 1.0, appendix F). Default: UTF-8, or Windows-1252 for bytes that are not UTF-8.
 */
export function decodeText(bytes: Buffer): string {
  const label = encodingOf(bytes);
  if (label !== null) return new TextDecoder(label).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function encodingOf(bytes: Buffer): string | null {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (second === 0 && first !== 0) return 'utf-16le';
  if (first === 0 && second !== 0) return 'utf-16be';
  const declaration = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z][\w.:-]{0,40})["']/.exec(
    bytes.toString('latin1', 0, 300),
  );
  // A document in UTF-16 does not begin with single bytes, so a declaration that says so is wrong.
  return declaration?.[1] === undefined || /^(utf-?16|ucs)/i.test(declaration[1]) ? null : declaration[1];
}
