const longestText = 300;
const mostWords = 60;
/** Maximum words of a name. `SPRING SALE 2026 VIP` has four. */
const mostWordsOfName = 6;
/** Minimum characters of a name. Shorter names occur in texts by chance. */
const shortestName = 4;

/** Texts that banks write for a missing text (`NOTPROVIDED`: ISO 20022, EPC implementation guidelines). */
const missingTexts: ReadonlySet<string> = new Set(['', 'NOTPROVIDED']);

/** Whether the remittance text of a bank credit is missing or has no content. */
export function isBlankRemittance(text: string | null): boolean {
  return text === null || missingTexts.has(text.replace(/[\s\0]/g, '').toUpperCase());
}

/**
 * The names that a remittance text may contain, such as an invoice number, in plain form: `INV-0046` becomes `INV0046`.
 * Joins neighbouring words, because banks drop separators. A word with a letter or digit outside ASCII is never part of
 * a name. The database function `plain_name` brings stored names into the same form.
 */
export function namesIn(text: string): readonly string[] {
  const words = text
    .slice(0, longestText)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, mostWords);
  const names = words.flatMap((_, at) => joinedFrom(words.slice(at, at + mostWordsOfName)));
  return [...new Set(names.filter(name => name.length >= shortestName))];
}

/** The first word, the first two joined, and so on, in capitals. Stops before a word with a character outside ASCII. */
function joinedFrom(words: readonly string[]): string[] {
  const end = words.findIndex(word => !/^[A-Za-z0-9]+$/.test(word));
  const plain = end === -1 ? words : words.slice(0, end);
  return plain.map((_, last) =>
    plain
      .slice(0, last + 1)
      .join('')
      .toUpperCase(),
  );
}
