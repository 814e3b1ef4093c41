import { type ExecFileException, execFile } from 'node:child_process';
import { extname, join } from 'node:path';
import { PayError } from '../../core/error.ts';

/** The PNG of an SVG, or what is wrong with the SVG. The field's name precedes the text. */
export type DrawnSvg = { readonly png: Buffer } | { readonly problem: string };

/** Processor time for one drawing; a logo takes a tenth of a second. */
const mostSeconds = 2;
/** Time for one drawing on a busy machine. */
const longestMs = 10_000;
/** Most drawings that wait at the same time. */
const mostWaiting = 8;

/** The file is beside this one, in the sources and in the bundle. */
const program = join(import.meta.dirname, `svg-process${extname(import.meta.filename)}`);

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Draws an SVG as PNG in a separate process, one at a time. The process ends when it takes too long or writes more than
 * `mostBytes`. Throws PayError `unavailable` when too many drawings wait, or when no process can start.
 */
export async function drawSvg(bytes: Uint8Array, mostBytes: number): Promise<DrawnSvg> {
  const scanned = scanSvg(bytes);
  if ('problem' in scanned) return scanned;
  if (waiting >= mostWaiting) throw unavailable('Many images are being drawn.');
  waiting++;
  const drawing = last.then(() => drawInProcess(scanned.svg, mostBytes));
  // The next drawing starts even when this one fails.
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

/** Rejects when the process cannot start. */
function drawInProcess(svg: string, mostBytes: number): Promise<DrawnSvg> {
  return new Promise((resolve, reject) => {
    const options = {
      encoding: 'buffer',
      timeout: longestMs,
      maxBuffer: mostBytes,
      killSignal: 'SIGKILL',
      // The process needs no setting and no secret of the service.
      env: {},
    } as const;
    const child = execFile(process.execPath, [program, String(mostSeconds)], options, (error, png) => {
      const problem = error && problemOf(error);
      if (error === null) resolve({ png });
      else if (problem !== null) resolve({ problem });
      else reject(error);
    });
    // A process that ends early does not read all of its input; its exit reports the reason.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(svg);
  });
}

/** Why the drawing failed; null when the process could not start. */
function problemOf({ code, signal }: ExecFileException): string | null {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'has too much in it: save a simpler one.';
  if (signal) return 'takes too long to draw: save a simpler one.';
  if (typeof code !== 'number') return null;
  return 'is an SVG that cannot be drawn: it is broken, empty, or of a size out of all bounds.';
}

/** Features that no logo may have. Names of elements and attributes may have a prefix (`xlink:href`). */
const refusals: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  {
    // A document type may name its public and system ids, in quotes and without markup.
    pattern: /<!ENTITY|<!DOCTYPE(?![^<>["']*(?:"[^<>["]*"[^<>["']*|'[^<>[']*'[^<>["']*)*>)/i,
    message: 'declares entities or a document type of its own: save it as plain SVG.',
  },
  { pattern: /<([\w.-]+:)?(script|foreignObject|iframe|handler)\b/i, message: 'carries a script or another document.' },
  { pattern: /[\s"'/]on[a-z]+\s*=\s*["']/i, message: 'carries a script in an attribute (on…).' },
  {
    pattern: /<([\w.-]+:)?(image|feImage)\b/i,
    message: 'embeds a picture: give the picture itself, as PNG, JPEG or WebP.',
  },
  {
    pattern:
      /[\s"'/:]href\s*=(?!\s*["']#)|[\s"'/]xml:base\s*=|\burl\((?!\s*(?:["']|&quot;|&#39;)?#)|@import|<\?xml-stylesheet/i,
    message: 'refers to something outside of itself: references may only be to its own parts (#…).',
  },
  // The tile of a pattern may be a thousand times as large as the picture.
  { pattern: /<([\w.-]+:)?pattern\b/i, message: 'is filled with a pattern, which logos may not be: save it without.' },
];

/** Each step of a filter needs the memory of a picture. */
const mostFilterSteps = 20;
const filterStep = /<([\w.-]+:)?fe[A-Z]/g;

/**
 * The text of an SVG that loads nothing and needs no more memory than a logo, or why it is refused. Searches the whole
 * text, comments included, because parsers may disagree about where a comment ends.
 */
function scanSvg(bytes: Uint8Array): { readonly svg: string } | { readonly problem: string } {
  const svg = utf8(bytes);
  if (svg === null || !/<([\w.-]+:)?svg[\s/>]/.test(svg))
    return { problem: 'is not the SVG image in UTF-8 it says it is.' };
  const refusal = refusals.find(({ pattern }) => pattern.test(svg));
  if (refusal !== undefined) return { problem: refusal.message };
  const steps = svg.match(filterStep)?.length ?? 0;
  return steps > mostFilterSteps ? { problem: `has ${steps} filter steps; it may have ${mostFilterSteps}.` } : { svg };
}

/** The text, or null when its encoding is or claims to be another: the scanned text must be the drawn text. */
function utf8(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const encoding = /^<\?xml[^>]*\bencoding\s*=\s*["']([^"']*)/.exec(text.trimStart())?.[1] ?? 'utf-8';
    return /^(utf-?8|us-ascii)$/i.test(encoding) && !text.includes('\0') ? text : null;
  } catch {
    return null;
  }
}
