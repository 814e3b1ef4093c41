import { type ExecFileException, execFile } from 'node:child_process';
import { isIP } from 'node:net';
import { extname, join } from 'node:path';
import type { UpdateAccount } from '../../api/merchant.ts';
import { PayError } from '../../core/error.ts';
import { parseWebAddress } from '../../core/web-address.ts';

/** Longest side of a logo or icon, in pixels. */
const longestSide = 2048;
/** Largest PNG drawn from an SVG, in bytes. The PNG must fit as data URL into its field of the account. */
const mostBytes = { logo: 290_000, icon: 145_000 };
const svgUrl = /^data:image\/svg\+xml(?:;charset=utf-8)?;base64,([A-Za-z0-9+/]+={0,2})$/i;

/** Replaces each SVG with a PNG, because SVGs are never stored. Throws `invalid_logo` or `unavailable`. */
export async function withDrawnImages(body: UpdateAccount): Promise<UpdateAccount> {
  if (body.branding === undefined) return body;
  const branding = { ...body.branding };
  for (const name of ['logo', 'icon'] as const) {
    const svg = svgUrl.exec(branding[name] ?? '')?.[1];
    if (svg === undefined) continue;
    const result = await drawSvg(Buffer.from(svg, 'base64'), mostBytes[name]);
    if ('problem' in result) {
      throw new PayError('invalid_logo', `branding.${name} ${result.problem}`, { param: `branding.${name}` });
    }
    branding[name] = `data:image/png;base64,${result.png.toString('base64')}`;
  }
  return { ...body, branding };
}

/** Why an image (an https or `data:` URL) is rejected, or null. The field's name and this text form a sentence. */
export function imageProblem(text: string): string | null {
  if (!text.startsWith('data:')) return imageUrlProblem(text);
  const match = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (match === null) return 'takes a PNG, JPEG, WebP or SVG image as data:image/…;base64,….';
  const header = readImageHeader(Buffer.from(match[2] ?? '', 'base64'));
  if (header === null || header.type !== match[1])
    return `is not the ${match[1]?.toUpperCase()} image that it claims to be.`;
  const isSane = Math.min(header.width, header.height) >= 1 && Math.max(header.width, header.height) <= longestSide;
  return isSane ? null : `is ${header.width} × ${header.height} pixels; the longest side may be ${longestSide}.`;
}

/** Allows only public host names, because payers' browsers fetch the image. The service never fetches it. */
function imageUrlProblem(text: string): string | null {
  const url = parseWebAddress(text);
  if (url === null || url.protocol !== 'https:')
    return 'takes an https address or a data: image (PNG, JPEG, WebP, SVG).';
  const isPublicName = isIP(url.hostname) === 0 && !url.hostname.startsWith('[') && url.hostname.includes('.');
  if (!isPublicName) return 'must be on a public host name.';
  return /\.svgz?$/i.test(url.pathname)
    ? 'must be PNG, JPEG or WebP; give an SVG as data:image/svg+xml;base64,….'
    : null;
}

/** The format of an image and its size in pixels. */
export interface ImageHeader {
  readonly type: 'png' | 'jpeg' | 'webp';
  readonly width: number;
  readonly height: number;
}

/** Reads type and size from the bytes. Null for other formats. */
export function readImageHeader(bytes: Buffer): ImageHeader | null {
  return readPng(bytes) ?? readWebp(bytes) ?? readJpeg(bytes);
}

/** PNG (RFC 2083 §3.1, §4.1.1): signature, then IHDR with width and height. */
function readPng(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 33 || bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return null;
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { type: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** WebP (RFC 9649 §2): a RIFF file whose first chunk is VP8, VP8L or VP8X. */
function readWebp(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') {
    return null;
  }
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { type: 'webp', width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { type: 'webp', width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { type: 'webp', width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

/**
 * JPEG (ITU-T T.81 B.1, B.2.2): segments up to the start of frame, which holds height and width. A marker may follow
 * fill bytes 0xFF.
 */
function readJpeg(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { type: 'jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** The PNG of an SVG, or the SVG's problem. The field's name and this text form a sentence. */
type DrawnSvg = { readonly png: Buffer } | { readonly problem: string };

/** Maximum processor seconds of one drawing. */
const mostSeconds = 2;
/** Maximum milliseconds of one drawing. On a busy machine, a drawing takes longer than its processor time. */
const longestMs = 10_000;
/** Maximum number of unfinished drawings: one runs, the others wait. */
const mostWaiting = 8;

/** Path of the drawing program. In the sources and in the bundle, the program is beside this file. */
const program = join(import.meta.dirname, `svg-process${extname(import.meta.filename)}`);

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Draws an SVG as PNG in a separate process, one at a time. The process is ended if it takes too long or writes more
 * than `mostBytes`. Throws PayError `unavailable` if too many drawings wait or no process can start.
 */
async function drawSvg(bytes: Uint8Array, mostBytes: number): Promise<DrawnSvg> {
  const scanned = scanSvg(bytes);
  if ('problem' in scanned) return scanned;
  if (waiting >= mostWaiting) throw unavailable('Too many images wait to be drawn.');
  waiting++;
  const drawing = last.then(() => drawInProcess(scanned.svg, mostBytes));
  // The next drawing starts even if this one fails.
  last = drawing.catch(() => undefined);
  try {
    return await drawing;
  } catch (cause) {
    throw unavailable('Images cannot be drawn at this moment.', cause);
  } finally {
    waiting--;
  }
}

function unavailable(why: string, cause?: unknown): PayError {
  return new PayError('unavailable', `${why} Try again in a few seconds.`, { retryAfterSeconds: 5, cause });
}

/** Draws in a new process. Rejects if the process cannot start. */
function drawInProcess(svg: string, mostBytes: number): Promise<DrawnSvg> {
  return new Promise((resolve, reject) => {
    const options = {
      encoding: 'buffer',
      timeout: longestMs,
      maxBuffer: mostBytes,
      killSignal: 'SIGKILL',
      // The process needs no settings and no secrets.
      env: {},
    } as const;
    const child = execFile(process.execPath, [program, String(mostSeconds)], options, (error, png) => {
      const problem = error && problemOf(error);
      if (error === null) resolve({ png });
      else if (problem !== null) resolve({ problem });
      else reject(error);
    });
    // Writing fails if the process ends early. The exit of the process reports the reason.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(svg);
  });
}

/** Why the drawing failed. Null if the process could not start. */
function problemOf({ code, signal }: ExecFileException): string | null {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'is too complex: save a simpler one.';
  if (signal) return 'takes too long to draw: save a simpler one.';
  if (typeof code !== 'number') return null;
  return 'is an SVG that cannot be drawn: it is broken, empty or too large.';
}

/** Features that are not allowed in a logo. Names of elements and attributes may have a prefix (`xlink:href`). */
const refusals: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  {
    // A document type may contain its public and system ids, if they are quoted and have no markup.
    pattern: /<!ENTITY|<!DOCTYPE(?![^<>["']*(?:"[^<>["]*"[^<>["']*|'[^<>[']*'[^<>["']*)*>)/i,
    message: 'declares entities or its own document type: save it as plain SVG.',
  },
  {
    pattern: /<([\w.-]+:)?(script|foreignObject|iframe|handler)\b/i,
    message: 'contains a script or another document.',
  },
  { pattern: /[\s"'/]on[a-z]+\s*=\s*["']/i, message: 'contains a script in an attribute (on…).' },
  {
    pattern: /<([\w.-]+:)?(image|feImage)\b/i,
    message: 'embeds a picture: upload the picture itself, as PNG, JPEG or WebP.',
  },
  {
    pattern:
      /[\s"'/:]href\s*=(?!\s*["']#)|[\s"'/]xml:base\s*=|\burl\((?!\s*(?:["']|&quot;|&#39;)?#)|@import|<\?xml-stylesheet/i,
    message: 'refers to something outside itself: it may refer only to its own parts (#…).',
  },
  // The tile of a pattern could be a thousand times larger than the picture and exhaust the memory.
  { pattern: /<([\w.-]+:)?pattern\b/i, message: 'contains a pattern, which is not allowed in logos: save it without.' },
];

/** Maximum number of filter steps. Each step uses as much memory as a picture. */
const mostFilterSteps = 20;
const filterStep = /<([\w.-]+:)?fe[A-Z]/g;

/**
 * The text of an SVG that loads no files and needs little memory, or the problem. Also searches XML comments, because
 * parsers may disagree about where a comment ends.
 */
function scanSvg(bytes: Uint8Array): { readonly svg: string } | { readonly problem: string } {
  const svg = utf8(bytes);
  if (svg === null || !/<([\w.-]+:)?svg[\s/>]/.test(svg)) return { problem: 'is not an SVG image in UTF-8.' };
  const refusal = refusals.find(({ pattern }) => pattern.test(svg));
  if (refusal !== undefined) return { problem: refusal.message };
  const steps = svg.match(filterStep)?.length ?? 0;
  return steps > mostFilterSteps
    ? { problem: `has ${steps} filter steps; at most ${mostFilterSteps} are allowed.` }
    : { svg };
}

/** The text. Null if it is not UTF-8, or declares another encoding, in which an XML parser would read it. */
function utf8(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const encoding = /^<\?xml[^>]*\bencoding\s*=\s*["']([^"']*)/.exec(text.trimStart())?.[1] ?? 'utf-8';
    return /^(utf-?8|us-ascii)$/i.test(encoding) && !text.includes('\0') ? text : null;
  } catch {
    return null;
  }
}
