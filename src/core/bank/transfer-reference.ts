/**
 * The reference that a payer copies from a checkout into a bank's form, such as `7F3K-92QX-4MTZC`: twelve random
 * characters (60 bits) and a check character. Its 15 characters fit the identification field of an ACH entry (NACHA).
 * SEPA banks forward letters, digits and hyphens (EPC217-08).
 */

/** Crockford's base 32: no I, L, O, U. The position of a character is its value. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const randomLength = 12;
const length = randomLength + 1;
const longestText = 300;
const mostCandidates = 20;

/** The reference from the five low bits of each of twelve random bytes. Throws RangeError for other lengths. */
export function transferReferenceOf(random: Uint8Array): string {
  if (random.length !== randomLength) throw new RangeError(`a reference is made of ${randomLength} bytes`);
  const values = lowBits(random);
  return grouped(textOf([...values, timesTwo(weightedSum(values))]));
}

/**
 * The references that a remittance text may contain, in canonical form, at most 20. Ignores case and separators. Reads
 * O as 0, and I and L as 1. The check character detects one wrong character and two exchanged characters. One in 32
 * other texts of 13 characters also fits, so the caller must look up each reference. References at the start of a word
 * come first.
 */
export function findTransferReferences(text: string): readonly string[] {
  const characters = readable(text.slice(0, longestText));
  const found = characters
    .map(({ startsWord }, at) => ({ startsWord, values: characters.slice(at, at + length).map(({ value }) => value) }))
    .filter(({ values }) => values.length === length && !values.includes(-1) && weightedSum(values) === 0);
  const ranked = [...found.filter(one => one.startsWord), ...found.filter(one => !one.startsWord)];
  return [...new Set(ranked.map(({ values }) => grouped(textOf(values))))].slice(0, mostCandidates);
}

/** A character of Crockford's base 32 for each byte. The three high bits of each byte are ignored. */
export function base32Of(bytes: Uint8Array): string {
  return textOf(lowBits(bytes));
}

interface Readable {
  /** -1 for a letter or digit that is not in the alphabet. */
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
 * Sum over GF(32) of the values, each times 2 to the power of its distance from the end. All weights differ, because 2
 * generates the field's 31 units. Any wrong character, or exchange of two different characters, thus changes the sum.
 */
function weightedSum(values: readonly number[]): number {
  return values.reduce((sum, value) => timesTwo(sum) ^ value, 0);
}

/** Twice the value in GF(32), modulo x⁵ + x² + 1. */
function timesTwo(value: number): number {
  const doubled = value << 1;
  return doubled > 31 ? doubled ^ 0b100101 : doubled;
}

function lowBits(bytes: Uint8Array): number[] {
  return [...bytes].map(byte => byte & 31);
}

function textOf(values: readonly number[]): string {
  return values.map(value => alphabet[value]).join('');
}

function grouped(text: string): string {
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`;
}
