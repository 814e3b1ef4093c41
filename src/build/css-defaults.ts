/**
 * Reads the default of each `--pay-*` property out of style sheets: the fallback of `var(--pay-line, …)`. A default
 * with one value for light and one for dark becomes `light-dark(#fff, #000)`. The last fallback of a property counts,
 * because later rules override earlier rules. Null means that the style sheet computes the value.
 */
export function cssDefaults(css: string): Map<string, string | null> {
  const names = new Map(
    [...css.matchAll(/(--[\w-]+): var\((--pay-[\w-]+)/g)].map(([, own = '', set = '']) => [own, set]),
  );
  return new Map(
    [...css.matchAll(/var\((--pay-[\w-]+)/g)].map(match => {
      const [start, name = ''] = [match.index + match[0].length, match[1]];
      return [name, readable(fallbackAt(css, start), names)];
    }),
  );
}

/** The text between the comma at `start` and the closing bracket of the function. */
function fallbackAt(css: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < css.length; end++) {
    if (css[end] === '(') depth++;
    if (css[end] === ')') depth--;
  }
  return css
    .slice(start, end - 1)
    .replace(/^,/, '')
    .trim();
}

/** Replaces the style sheet's internal properties by the `--pay-*` properties that set them. Null if one remains. */
function readable(fallback: string, names: ReadonlyMap<string, string>): string | null {
  const text = fallback
    .replace(/^var\(--brand, (.*)\)$/, '$1')
    .replace(/var\(--light, ([^()]*)\) var\(--dark, ([^()]*)\)/g, 'light-dark($1, $2)')
    .replace(/var\((--[\w-]+)\)/g, (whole, own: string) => (names.has(own) ? `var(${names.get(own)})` : whole));
  return text === '' || /var\(--(?!pay-)/.test(text) ? null : text;
}
