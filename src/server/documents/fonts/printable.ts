/** Maximum length of a printed text, in characters. */
export const mostCharacters = 10_000;

/** Unicode embeddings, overrides and isolates. They could reorder neighbouring text (UAX #9 §2). */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/gu;
/** Control characters and halves of characters. */
const controls = /[\p{Cc}\p{Cs}]/gu;
const lineEnds = /\r\n?|[\u0085\u2028\u2029\v\f]/gu;

/**
 * Makes a text printable: NFC, LF line ends, at most `mostCharacters`. Removes control characters and characters that
 * change the direction of text.
 */
export function printable(text: string): string {
  const cut = text.length > mostCharacters ? `${[...text.slice(0, mostCharacters)].slice(0, -1).join('')}…` : text;
  if (/^[\x20-\x7e\xa0-\xff]*$/.test(cut)) return cut;
  return cut
    .normalize('NFC')
    .replace(lineEnds, '\n')
    .replace(/\t/g, ' ')
    .replace(directionControls, '')
    .replace(controls, character => (character === '\n' ? character : ''));
}

/** Invisible characters that control word order or line breaks. Excludes Arabic joiners, because they shape glyphs. */
const unseen = /[\u00ad\u061c\u200b\u200e\u200f\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]/gu;

/** The characters to draw. Gives every blank the same width, and omits invisible characters. */
export function drawn(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, blank => (blank === '\u3000' ? blank : ' '))
    .replace(unseen, '');
}
