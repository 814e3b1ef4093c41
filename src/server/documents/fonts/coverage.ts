import { createCache } from '../../../core/cache.ts';
import { type CharacterMap, readCharacterMap } from './character-map.ts';
import { type Family, findFontFile, mostFaces, packageOf, scriptFamily } from './font-files.ts';
import { drawn, printable } from './printable.ts';

const latinScripts = /^[\u0020-\u052f\u0900-\u097f\u1e00-\u206f\u20a0-\u20cf\u2100-\u218f\u2212]$/u;
const arabicScripts = /^[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc]$/u;
const korean = /^[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]$/u;
const kana = /^[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]$/u;
/** Characters that join or separate their neighbours. The font of the characters before draws them, too. */
const joiner = /^[\u200c\u200d]$/u;
const emoji = /\p{RGI_Emoji}/gv;
/** The character that stands for a lost one, and characters without a common meaning. No font's glyph for them is right. */
const meaningless = /^[\ufffd\p{Co}]$/u;
/** Texts that only have these characters need no search for a font. */
const plain = /^[\n\x20-\x7e\xa0-\xac\xae-\u017f\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac\u2212]*$/;

const maps = createCache<CharacterMap>(mostFaces);

function has(family: Family, character: string): boolean {
  const map = maps(family, () => {
    const file = findFontFile(`${family}-regular`);
    return file === null ? () => false : readCharacterMap(file);
  });
  return map(character.codePointAt(0) ?? 0);
}

/** The family that draws the character, or null if no font has it. Chinese characters depend on the language. */
function familyOf(character: string, locale: string): Family | null {
  if (meaningless.test(character)) return null;
  if (latinScripts.test(character) && has('latin', character)) return 'latin';
  if (arabicScripts.test(character)) return has('arabic', character) ? 'arabic' : null;
  const script = scriptFamily(character);
  if (script !== null) return has(script, character) ? script : null;
  const own: Family | null = korean.test(character) ? 'korean' : kana.test(character) ? 'japanese' : null;
  const families: readonly Family[] = [...(own ? [own] : eastAsianFamilies(locale)), 'latin', 'emoji'];
  return families.find(family => has(family, character)) ?? null;
}

function eastAsianFamilies(locale: string): readonly Family[] {
  const language = locale.toLowerCase().split('-')[0];
  if (language === 'zh') return ['chinese', 'japanese', 'korean'];
  if (language === 'ko') return ['korean', 'japanese', 'chinese'];
  return ['japanese', 'chinese', 'korean'];
}

/** A character and the family that draws it. Null if no font has it. An emoji of several characters counts as one. */
export interface CoveredCharacter {
  readonly character: string;
  readonly family: Family | null;
}

/** The characters of a text in order, each with its family. Blanks and joiners have the previous character's family. */
export function coverText(text: string, locale: string): CoveredCharacter[] {
  const covered: CoveredCharacter[] = [];
  const addPlain = (part: string) => {
    for (const character of part) {
      const isBlank = character === ' ' || joiner.test(character) || drawn(character).trim() === '';
      const before = covered.at(-1)?.family ?? 'latin';
      covered.push({ character, family: isBlank ? before : familyOf(character, locale) });
    }
  };
  let end = 0;
  for (const { 0: character, index } of text.matchAll(emoji)) {
    addPlain(text.slice(end, index));
    covered.push({ character, family: emojiFamily(character) });
    end = index + character.length;
  }
  addPlain(text.slice(end));
  return covered;
}

/** The family of an emoji. Tags of flags and variation selectors have no glyph of their own. */
function emojiFamily(character: string): Family | null {
  const inked = [...drawn(character)].filter(part => !/[\u200d\u{e0020}-\u{e007f}]/u.test(part));
  return inked.every(part => has('emoji', part)) ? 'emoji' : null;
}

/** A character that no installed font has, and the package with a font for it. Null: no such package is known. */
export interface UncoveredCharacter {
  readonly character: string;
  readonly package: string | null;
}

/** The first character of the text that no installed font has. Null: every character can be printed. */
export function findUncovered(text: string, locale: string): UncoveredCharacter | null {
  const clean = printable(text);
  if (plain.test(clean)) return null;
  const missing = coverText(clean.replaceAll('\n', ' '), locale).find(({ family }) => family === null)?.character;
  if (missing === undefined) return null;
  const family = scriptFamily(missing);
  return { character: missing, package: family && packageOf(family) };
}
