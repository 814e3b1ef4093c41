import { createHash } from 'node:crypto';
import { PayError } from '../../../core/error.ts';
import { readImageHeader } from '../../platform/image-header.ts';
import type { KycFileType } from '../tables.ts';
import { pdfProblem } from './pdf-problem.ts';

/** Largest file, in bytes. */
const largestFile = 10 * 1_048_576;

/** Most pixels of an image. Phones make up to 50 million. Decoded, each takes four bytes of memory. */
const mostPixels = 50_000_000;

/** A file that is safe to keep. */
export interface AcceptedFile {
  readonly type: KycFileType;
  readonly bytes: Buffer;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

/**
 * Accepts a JPEG, PNG or WebP image, or a PDF. The first bytes say the type, whatever the client claims. Images are
 * encoded again, which removes places, other metadata, and whatever follows the image. Throws `unsupported_file`.
 */
export async function acceptFile(field: string, bytes: Buffer): Promise<AcceptedFile> {
  const refuse = (problem: string) => new PayError('unsupported_file', `${field} ${problem}`, { param: field });
  if (bytes.length > largestFile) throw refuse('is larger than 10 MiB. Send a smaller file.');
  if (bytes.length === 0) throw refuse('is an empty file.');
  if (bytes.toString('latin1', 0, 5) === '%PDF-') {
    const problem = pdfProblem(bytes);
    if (problem !== null) throw refuse(problem);
    return accepted('application/pdf', bytes);
  }
  const header = readImageHeader(bytes);
  if (header === null) throw refuse('is not a JPEG, PNG or WebP image, or a PDF.');
  const { type, width, height } = header;
  if (width < 1 || height < 1) throw refuse('is an image without pixels.');
  if (width * height > mostPixels) {
    throw refuse(`is ${width} × ${height} pixels. An image has at most 50 million pixels.`);
  }
  const clean = await encodeAgain(type, bytes);
  if (clean === null) throw refuse(`is a damaged ${type.toUpperCase()} image.`);
  return accepted(`image/${type}`, clean);
}

function accepted(type: KycFileType, bytes: Buffer): AcceptedFile {
  return { type, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** The first picture of the image, upright and without metadata. Null if it cannot be decoded. */
async function encodeAgain(type: 'jpeg' | 'png' | 'webp', bytes: Buffer): Promise<Buffer | null> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  try {
    const image = sharp(bytes, { limitInputPixels: mostPixels, failOn: 'error' }).autoOrient();
    return await (type === 'png' ? image.png() : image.toFormat(type, { quality: 90 })).toBuffer();
  } catch {
    return null;
  }
}
