/**
 * The reference a payer copies from a checkout into a bank's form: three groups, `7F3K-92QX-4MTZC`. Twelve random
 * characters (60 bits) and a check character. 15 characters in all, so that it also fits the identification field of
 * an ACH entry (NACHA), and made of letters, digits and hyphens alone, which every SEPA bank passes on (EPC217-08).
 */

/** Crockford's base 32: no I, L, O, U. The position of a character is its value. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const randomLength = 12;
const length = randomLength + 1;
const longestText = 300;
const mostCandidates = 20;

/** The reference made of twelve random bytes; the three high bits of each are not used. Throws RangeError on another count. */
export function transferReferenceOf(random: Uint8Array): string {
  if (random.length !== randomLength) throw new RangeError(`a reference is made of ${randomLength} bytes`);
  const values = [...random].map(byte => byte & 31);
  return grouped(textOf([...values, timesTwo(weighedSum(values))]));
}

/**
 * The references that a remittance text may contain, in canonical form, at most 20. Case, blanks, hyphens and other
 * separators are forgiven, O is read as 0, I and L as 1. One wrong character, or two exchanged, is always noticed:
 * such a text is not among them. Other words may look like a reference once in 32; whether one exists, only the
 * service knows. What starts where a word starts comes first.
 */
export function findTransferReferences(text: string): readonly string[] {
  const characters = readable(text.slice(0, longestText));
  const found = characters
    .map(({ startsWord }, at) => ({ startsWord, values: characters.slice(at, at + length).map(({ value }) => value) }))
    .filter(({ values }) => values.length === length && !values.includes(-1) && weighedSum(values) === 0);
  const ranked = [...found.filter(one => one.startsWord), ...found.filter(one => !one.startsWord)];
  return [...new Set(ranked.map(({ values }) => grouped(textOf(values))))].slice(0, mostCandidates);
}

interface Readable {
  /** −1 for a letter or digit that no reference has. */
  readonly value: number;
  readonly startsWord: boolean;
}

function readable(text: string): readonly Readable[] {
  const looksLike: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' };
  let startsWord = true;
  const characters: Readable[] = [];
  for (const character of text.toUpperCase()) {
    if (/[^\p{L}\p{N}]/u.test(character)) startsWord = true;
    else {
      characters.push({ value: alphabet.indexOf(looksLike[character] ?? character), startsWord });
      startsWord = false;
    }
  }
  return characters;
}

/**
 * Sum over GF(32) of the values, each times 2 to the power of its distance from the end. The weights differ (2
 * generates the field's 31 units), so no single error and no exchange of two characters leaves the sum as it was.
 */
function weighedSum(values: readonly number[]): number {
  return values.reduce((sum, value) => timesTwo(sum) ^ value, 0);
}

/** Twice the value in GF(32), modulo x⁵ + x² + 1. */
function timesTwo(value: number): number {
  const doubled = value << 1;
  return doubled > 31 ? doubled ^ 0b100101 : doubled;
}

function textOf(values: readonly number[]): string {
  return values.map(value => alphabet[value]).join('');
}

function grouped(text: string): string {
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`;
}
