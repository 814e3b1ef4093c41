import type { CardFrameAppearance } from '../../api/card-frame.ts';

/** A colour by name, in hexadecimal, or as a colour function of plain numbers: nothing that loads or refers. */
const color = /^(#[0-9a-f]{3,8}|[a-z]+|(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([\w\s.,%+/-]*\))$/i;

/** Each property of the frame's style sheet and what its value must look like. Anything else is left at its default. */
const grammar: readonly (readonly [keyof CardFrameAppearance, string, RegExp])[] = [
  ['ink', 'color', color],
  ['inkSecond', 'color', color],
  ['inkThird', 'color', color],
  ['line', 'color', color],
  ['field', 'color', color],
  ['accent', 'color', color],
  ['bad', 'color', color],
  ['fieldRadius', 'border-radius', /^\d{1,2}(\.\d+)?px$/],
  ['fontFamily', 'font-family', /^[\w\s"',.-]{1,300}$/],
  ['fontSize', 'font-size', /^\d{2}(\.\d+)?px$/],
];

/** Puts the element's look on the frame. The values come from the shop's page, so only plain ones are taken. */
export function applyAppearance(root: HTMLElement, appearance: CardFrameAppearance): void {
  root.style.colorScheme = appearance.scheme === 'dark' ? 'dark' : 'light';
  root.dataset['scheme'] = root.style.colorScheme;
  for (const [name, property, pattern] of grammar) {
    const value = appearance[name];
    if (pattern.test(value) && CSS.supports(property, value)) root.style.setProperty(`--${name}`, value);
  }
}
