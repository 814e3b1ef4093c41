/** Characters that end a line, and other control characters. */
const breaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Marks, embeddings, overrides and isolates, which could reorder neighbouring text (Unicode UAX 9 §2). */
const directionControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Embeddings, overrides, and isolates that force a direction. */
const forcedDirections = /[\u202a-\u202e\u2066\u2067]/gu;
const isolates = /[\u2068\u2069]/gu;

/** A text that a person typed, for use in a line: without line breaks and direction controls. */
export function plainPart(text: string): string {
  return text.replace(breaks, ' ').replace(directionControls, '');
}

/** The text inside an isolate (FSI … PDI), so that its direction does not change neighbouring text. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

/** A whole line: without line breaks and forced directions. Keeps isolates that are closed. */
export function plainLine(text: string): string {
  const line = text.replace(breaks, ' ').replace(forcedDirections, '');
  return hasWholeIsolates(line) ? line : line.replace(isolates, '');
}

function hasWholeIsolates(text: string): boolean {
  let open = 0;
  for (const [mark] of text.matchAll(isolates)) {
    open += mark === '\u2068' ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
}
