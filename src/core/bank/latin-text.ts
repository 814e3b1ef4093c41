/** Spellings of Cyrillic, Greek, signs, and letters without a Unicode decomposition (EPC217-08, best practices). */
const spellings: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "ß:ss ẞ:SS æ:ae œ:oe ø:o đ:d ð:d þ:th ł:l ı:i ŋ:n &:+ _:- ’:' ‘:' –:- —:- “:' ”:' " +
    'а:a б:b в:v г:g ґ:g д:d е:e ё:e є:ye ж:zh з:z и:i і:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:h ц:ts ' +
    'ч:ch ш:sh щ:sht ъ:a ы:y ь:y э:e ю:yu я:ya ђ:dj ј:j љ:lj њ:nj ћ:c џ:dz ' +
    'α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f χ:ch ψ:ps ω:o'
  )
    .split(' ')
    .map(entry => [entry.slice(0, entry.indexOf(':')), entry.slice(entry.indexOf(':') + 1)]),
);

/**
 * The text in the characters that every bank of SEPA forwards (EPC217-08): Latin letters without accents, digits,
 * blanks and `/-?:().,'+`. Other characters are transliterated, or become a full stop. Slashes at the ends are removed
 * and double slashes become one, because some systems refuse them. The result has at most `most` characters and may be
 * empty.
 */
export function toLatinText(text: string, most: number): string {
  const plain = [...text.normalize('NFKC')]
    .flatMap(letter => (isSpelled(letter) ? letter : [...letter.normalize('NFKD')]))
    .map(spellingOf)
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/\/{2,}/g, '/');
  return trimmed(trimmed(plain).slice(0, most));
}

function trimmed(text: string): string {
  return text.replace(/^[ /]+|[ /]+$/g, '');
}

/** Whether `spellings` contains the letter. Й must not be decomposed, or it would be spelled like И. */
function isSpelled(letter: string): boolean {
  return Object.hasOwn(spellings, letter) || Object.hasOwn(spellings, letter.toLowerCase());
}

function spellingOf(character: string): string {
  if (/^[A-Za-z0-9/?:().,'+-]$/.test(character)) return character;
  if (/^\p{M}$/u.test(character)) return '';
  if (/^[\s\p{C}\p{Z}]$/u.test(character)) return ' ';
  const lower = character.toLowerCase();
  if (Object.hasOwn(spellings, character)) return spellings[character] ?? '';
  if (lower === character || !Object.hasOwn(spellings, lower)) return '.';
  const [first = '', ...rest] = spellings[lower] ?? '';
  return first.toUpperCase() + rest.join('');
}
