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
 * The text of an SVG that asks for nothing outside of itself, and for no more memory than a logo needs; else what is wrong
 * with it. Time is bounded by whoever draws it. Looks at the text as it stands, comments too: what a parser would take
 * for a comment is no way round it.
 */
export function scanSvg(bytes: Uint8Array): { readonly svg: string } | { readonly problem: string } {
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
