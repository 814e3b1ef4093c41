import { locale } from '../controls/values.ts';

/** Codes that have a name in the browser, but are not countries. */
const others: ReadonlySet<string> = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

let known: readonly (readonly [code: string, name: string])[] | undefined;

/** All countries by code and name, in the order of their names. The browser supplies them. */
export function countries(): readonly (readonly [code: string, name: string])[] {
  if (known !== undefined) return known;
  const names = new Intl.DisplayNames(locale(), { type: 'region', fallback: 'none' });
  const codes = letters.flatMap(first => letters.map(second => first + second));
  const found = codes.flatMap(code => {
    // Omits codes that are no longer used. For these, the browser gives the successor's name.
    const isCurrent = !others.has(code) && new Intl.Locale(`und-${code}`).maximize().region === code;
    const name = isCurrent ? names.of(code) : undefined;
    return name === undefined ? [] : [[code, name] as const];
  });
  known = found.sort(([, one], [, other]) => one.localeCompare(other, locale()));
  return known;
}

/** The name of a country. For an unknown code, the code itself. */
export const countryName = (code: string): string => countries().find(([known]) => known === code)?.[1] ?? code;
