import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A group of fonts for one script. Chinese characters have three groups, because their forms differ by language. */
export type Family = 'latin' | 'arabic' | 'japanese' | 'chinese' | 'korean';
export type Weight = 'regular' | 'bold';
/** The name of a font in documents. */
export type Face = `${Family}-${Weight}`;

const packages: Readonly<Record<Family, readonly [folder: string, file: string]>> = {
  latin: ['noto-sans', 'NotoSans'],
  arabic: ['noto-sans-arabic', 'NotoSansArabic'],
  japanese: ['noto-sans-jp', 'NotoSansJP'],
  chinese: ['noto-sans-sc', 'NotoSansSC'],
  korean: ['noto-sans-kr', 'NotoSansKR'],
};
const weights: Readonly<Record<Weight, string>> = { regular: '400Regular', bold: '600SemiBold' };

/** All fonts of documents. */
export const faces: readonly Face[] = Object.keys(packages).flatMap(family =>
  Object.keys(weights).map(weight => `${family}-${weight}` as Face),
);

/**
 * Path of the font's file. The build copies fonts to `fonts`, next to the bundled server. Without a build, the fonts
 * are in packages that are installed for development only.
 */
export function fontFile(face: Face): string {
  const copied = join(import.meta.dirname, 'fonts', `${face}.ttf`);
  return existsSync(copied) ? copied : packagedFontFile(face);
}

/** Path of the font's file in its package. Each package has nine weights, of which documents use two. */
export function packagedFontFile(face: Face): string {
  const [family, weight] = face.split('-') as [Family, Weight];
  const [folder, file] = packages[family];
  const path = `@expo-google-fonts/${folder}/${weights[weight]}/${file}_${weights[weight]}.ttf`;
  return createRequire(import.meta.url).resolve(path);
}
