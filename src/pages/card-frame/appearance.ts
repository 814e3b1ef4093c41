import type { CardFrameAppearance } from '../../api/card-frame.ts';

/** A colour by name, in hexadecimal, or as a function of plain numbers. No `url()` and no `var()`. */
const color = /^(#[0-9a-f]{3,8}|[a-z]+|(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([\w\s.,%+/-]*\))$/i;

/** The allowed form of each value. Other values are ignored. */
const grammar: Readonly<Record<Exclude<keyof CardFrameAppearance, 'scheme'>, RegExp>> = {
  ink: color,
  inkSecond: color,
  inkThird: color,
  line: color,
  field: color,
  accent: color,
  bad: color,
  fieldRadius: /^\d{1,2}(\.\d+)?px$/,
  fontFamily: /^[\w\s"',.-]{1,300}$/,
  fontSize: /^\d{2}(\.\d+)?px$/,
};

/** Applies the element's look. The values come from the shop's page, so only plain ones are accepted. */
export function applyAppearance({ style }: HTMLElement, appearance: CardFrameAppearance): void {
  style.colorScheme = appearance.scheme === 'dark' ? 'dark' : 'light';
  for (const [name, pattern] of Object.entries(grammar)) {
    const value = appearance[name as keyof CardFrameAppearance];
    if (pattern.test(value)) style.setProperty(`--${name}`, value);
  }
}
