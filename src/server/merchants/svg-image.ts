import { type ExecFileException, execFile } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PayError } from '../../core/error.ts';

/** An SVG made PNG, or what is wrong with it; the message goes on after the field's name. */
export type DrawnSvg = { readonly png: Buffer } | { readonly problem: string };

/** A logo takes a tenth of a second of the processor; what takes so many is no logo. */
const mostSeconds = 2;
/** Within so long it is drawn on a busy machine too. */
const longestMs = 10_000;
/** So many may wait for their turn. */
const mostWaiting = 8;

/** The file is in this folder, in the sources and in the bundle. */
const processFile = fileURLToPath(new URL('./svg-process.ts', import.meta.url)).replace(
  /\.ts$/,
  extname(import.meta.filename),
);

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * The SVG as PNG, so that nothing of it but its look is ever shown. Draws one at a time, in a separate process that is
 * ended when it takes too long or writes more than `mostBytes`. Throws PayError `unavailable` when many wait, and when
 * no process can start.
 */
export async function drawSvg(bytes: Uint8Array, mostBytes: number): Promise<DrawnSvg> {
  const scanned = scanSvg(bytes);
  if ('problem' in scanned) return scanned;
  if (waiting >= mostWaiting) throw unavailable('Many images are being drawn.');
  waiting++;
  const drawing = last.then(async () => await drawInProcess(scanned.svg, mostBytes));
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

/** Rejects when the process could not even start. */
async function drawInProcess(svg: string, mostBytes: number): Promise<DrawnSvg> {
  return await new Promise((resolve, reject) => {
    const options = {
      encoding: 'buffer',
      timeout: longestMs,
      maxBuffer: mostBytes,
      killSignal: 'SIGKILL',
      // It draws what it is handed: no setting and no secret of the service is any of its business.
      env: {},
    } as const;
    const child = execFile(process.execPath, [processFile, String(mostSeconds)], options, (error, png) => {
      const problem = error && problemOf(error);
      if (error === null) resolve({ png });
      else if (problem !== null) resolve({ problem });
      else reject(error);
    });
    // A process that ends early leaves the rest unread; the exit handler reports the reason.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(svg);
  });
}

/** What the image did to be refused; null when the process could not even start. */
function problemOf({ code, signal }: ExecFileException): string | null {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'has too much in it: save a simpler one.';
  if (signal) return 'takes too long to draw: save a simpler one.';
  if (typeof code !== 'number') return null;
  return 'is an SVG that cannot be drawn: it is broken, empty, or of a size out of all bounds.';
}

/** A thing no logo may have, and what is said of it; the message goes on after `branding.logo`. */
interface Refusal {
  readonly pattern: RegExp;
  readonly message: string;
}

/** Names may have a prefix; attributes that have one keep their meaning too (`xlink:href`). */
const refusals: readonly Refusal[] = [
  {
    // A document type may say where it is written, in quotes without any markup, and nothing more.
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
  // A tile may be a thousand times as large as what is seen of it.
  { pattern: /<([\w.-]+:)?pattern\b/i, message: 'is filled with a pattern, which logos may not be: save it without.' },
];

/** Steps of filters, each of which is a picture while it is drawn. */
const mostFilterSteps = 20;
const filterStep = /<([\w.-]+:)?fe[A-Z]/g;

/**
 * The text of an SVG that loads nothing from outside and needs no more memory than a logo; else the reason to refuse
 * it. The drawing process bounds the time. Looks at the text as it stands, comments too: what a parser would take for a
 * comment is no way round it.
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

/** The text, unless it is in another encoding or says so: what is looked at here is what is drawn. */
function utf8(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const encoding = /^<\?xml[^>]*\bencoding\s*=\s*["']([^"']*)/.exec(text.trimStart())?.[1] ?? 'utf-8';
    return /^(utf-?8|us-ascii)$/i.test(encoding) && !text.includes('\0') ? text : null;
  } catch {
    return null;
  }
}
