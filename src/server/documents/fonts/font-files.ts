import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Where a family's files are, and the characters that no other family draws. */
interface FamilyFiles {
  readonly package: string;
  /** Path in the package. */
  readonly path: (weight: Weight) => string;
  /** The build copies the files. The files of other families come from packages that the operator installs. */
  readonly isCopied: boolean;
  /** The characters of the script. Null: chosen by `coverage.ts`. */
  readonly script: RegExp | null;
}

const weights: Readonly<Record<Weight, string>> = { regular: '400Regular', bold: '600SemiBold' };

const copied = (folder: string, file: string, script: RegExp | null = null): FamilyFiles => ({
  package: `@expo-google-fonts/${folder}`,
  path: weight => `${weights[weight]}/${file}_${weights[weight]}.ttf`,
  isCopied: true,
  script,
});
/** A script that few invoices use, by its name in the package. */
const installed = (name: string, script: RegExp): FamilyFiles => ({
  ...copied(`noto-sans-${name.toLowerCase()}`, `NotoSans${name}`, script),
  isCopied: false,
});

/** The fonts of each script. Chinese characters have three families, because their forms differ by language. */
const families = {
  latin: copied('noto-sans', 'NotoSans'),
  arabic: copied('noto-sans-arabic', 'NotoSansArabic'),
  japanese: copied('noto-sans-jp', 'NotoSansJP'),
  chinese: copied('noto-sans-sc', 'NotoSansSC'),
  korean: copied('noto-sans-kr', 'NotoSansKR'),
  hebrew: copied('noto-sans-hebrew', 'NotoSansHebrew', /[\u0590-\u05ff\ufb1d-\ufb4f]/u),
  armenian: copied('noto-sans-armenian', 'NotoSansArmenian', /[\u0530-\u058f\ufb13-\ufb17]/u),
  georgian: copied('noto-sans-georgian', 'NotoSansGeorgian', /[\u10a0-\u10ff\u1c90-\u1cbf\u2d00-\u2d2f]/u),
  thai: copied('noto-sans-thai', 'NotoSansThai', /[\u0e00-\u0e7f]/u),
  bengali: copied('noto-sans-bengali', 'NotoSansBengali', /[\u0980-\u09ff]/u),
  tamil: copied('noto-sans-tamil', 'NotoSansTamil', /[\u0b80-\u0bff]/u),
  emoji: copied('noto-emoji', 'NotoEmoji'),
  /** Swiss payment slips, whose guidelines allow four fonts. */
  slip: {
    package: 'pdfjs-dist',
    path: weight => `standard_fonts/LiberationSans-${weight === 'bold' ? 'Bold' : 'Regular'}.ttf`,
    isCopied: true,
    script: null,
  },
  gurmukhi: installed('Gurmukhi', /[\u0a00-\u0a7f]/u),
  gujarati: installed('Gujarati', /[\u0a80-\u0aff]/u),
  telugu: installed('Telugu', /[\u0c00-\u0c7f]/u),
  kannada: installed('Kannada', /[\u0c80-\u0cff]/u),
  malayalam: installed('Malayalam', /[\u0d00-\u0d7f]/u),
  sinhala: installed('Sinhala', /[\u0d80-\u0dff]/u),
  lao: installed('Lao', /[\u0e80-\u0eff]/u),
  myanmar: installed('Myanmar', /[\u1000-\u109f]/u),
  ethiopic: installed('Ethiopic', /[\u1200-\u139f]/u),
  khmer: installed('Khmer', /[\u1780-\u17ff\u19e0-\u19ff]/u),
} as const satisfies Readonly<Record<string, FamilyFiles>>;

/** A group of fonts for one script. */
export type Family = keyof typeof families;
export type Weight = 'regular' | 'bold';
/** The name of a font within documents. */
export type Face = `${Family}-${Weight}`;

const familyNames = Object.keys(families) as Family[];

/** The fonts that the build copies. */
export const copiedFaces: readonly Face[] = familyNames
  .filter(family => families[family].isCopied)
  .flatMap(family => Object.keys(weights).map(weight => `${family}-${weight}` as Face));

/** The most fonts that can be open. */
export const mostFaces = familyNames.length * Object.keys(weights).length;

/** The family of the script of this character, whether it is installed or not. Null: no script of its own. */
export function scriptFamily(character: string): Family | null {
  return familyNames.find(family => families[family].script?.test(character)) ?? null;
}

/** The package that the operator installs for the family. */
export function packageOf(family: Family): string {
  return families[family].package;
}

/**
 * Path of the font's file, or null if the font is not installed. The build copies fonts to `fonts`, next to the bundled
 * server. Other fonts, and all fonts without a build, are in npm packages.
 */
export function findFontFile(face: Face): string | null {
  const copy = join(import.meta.dirname, 'fonts', `${face}.ttf`);
  if (existsSync(copy)) return copy;
  try {
    return packagedFontFile(face);
  } catch {
    return null;
  }
}

/** Path of an installed font. Throws if it is not installed. */
export function fontFile(face: Face): string {
  return findFontFile(face) ?? packagedFontFile(face);
}

/** Path of the font's file in its package. Each package has several weights, of which documents use two. */
export function packagedFontFile(face: Face): string {
  const [family, weight] = face.split('-') as [Family, Weight];
  return createRequire(import.meta.url).resolve(`${packageOf(family)}/${families[family].path(weight)}`);
}
