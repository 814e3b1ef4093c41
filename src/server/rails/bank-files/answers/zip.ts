import { crc32, inflateRawSync } from 'node:zlib';

/** A file of an archive: its bytes, or why they cannot be read. */
export interface ZippedFile {
  readonly name: string;
  readonly content: Buffer | null;
  readonly problem: string | null;
}

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const fileMark = 0x04034b50;
const endLength = 22;
/** The comment at the end of an archive has at most this many bytes. */
const longestComment = 0xffff;
const mostFiles = 1_000;

/** Whether the bytes begin like a ZIP archive. */
export function isZip(bytes: Buffer): boolean {
  return (
    bytes.length >= endLength && bytes.readUInt16LE(0) === 0x4b50 && [fileMark, endMark].includes(bytes.readUInt32LE(0))
  );
}

/**
 * Reads the files of a ZIP archive by its central directory (PKWARE APPNOTE 6.3), together at most `mostBytes`. Throws
 * Error for a damaged archive. A file that is encrypted, damaged or too large has a problem and hides no other file.
 */
export function unzip(bytes: Buffer, mostBytes: number): ZippedFile[] {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count > mostFiles) throw new Error('the archive has too many files');
  const files: ZippedFile[] = [];
  let left = mostBytes;
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== entryMark) throw new Error('the archive is damaged');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map(offset => bytes.readUInt16LE(at + offset));
    const name = bytes.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    if (!name.endsWith('/')) {
      const file = readFile(bytes, at, name, left);
      left -= file.content?.length ?? 0;
      files.push(file);
    }
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return files;
}

function findEnd(bytes: Buffer): number {
  for (let at = bytes.length - endLength; at >= 0 && at >= bytes.length - endLength - longestComment; at--) {
    if (bytes.readUInt32LE(at) === endMark) return at;
  }
  throw new Error('the archive has no end');
}

function readFile(bytes: Buffer, entry: number, name: string, mostBytes: number): ZippedFile {
  try {
    return { name, content: inflate(bytes, entry, mostBytes), problem: null };
  } catch (error) {
    return { name, content: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

function inflate(bytes: Buffer, entry: number, mostBytes: number): Buffer {
  const [flags, method] = [bytes.readUInt16LE(entry + 8), bytes.readUInt16LE(entry + 10)];
  const [checksum, packed, size] = [16, 20, 24].map(offset => bytes.readUInt32LE(entry + offset));
  const at = bytes.readUInt32LE(entry + 42);
  if ((flags & 1) !== 0) throw new Error('the file in the archive is encrypted');
  if (method !== 0 && method !== 8) throw new Error('the archive has an unknown compression');
  if ((size ?? 0) > mostBytes) throw new Error('the file in the archive is too large');
  if (bytes.readUInt32LE(at) !== fileMark) throw new Error('the archive is damaged');
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const raw = bytes.subarray(start, start + (packed ?? 0));
  // `maxOutputLength` stops a file that is larger than its entry states. It must be at least 1.
  const content = method === 0 ? raw : inflateRawSync(raw, { maxOutputLength: Math.max(size ?? 0, 1) });
  if (content.length !== size || crc32(content) !== checksum) throw new Error('the file in the archive is damaged');
  return content;
}
