import type axeCore from 'axe-core';

/** Colour of axe, with its parser. The types of axe leave the parser out. */
interface Color {
  r: number;
  g: number;
  b: number;
  alpha: number;
  parseString(text: string): Color;
}

/**
 * Makes axe parse each notation of a colour once. It parses the colours of every text and of all elements behind it,
 * which takes 40 % of the time of its contrast check. Runs in a page, so it uses nothing outside itself.
 */
export function rememberColors(): void {
  const { axe } = globalThis as unknown as { axe: typeof axeCore & { commons: { color: { Color: unknown } } } };
  const { prototype } = axe.commons.color.Color as { prototype: Color };
  const { parseString } = prototype;
  const known = new Map<string, Pick<Color, 'r' | 'g' | 'b' | 'alpha'>>();
  prototype.parseString = function (this: Color, text: string): Color {
    const color = known.get(text);
    if (color !== undefined) return Object.assign(this, color);
    parseString.call(this, text);
    const { r, g, b, alpha } = this;
    known.set(text, { r, g, b, alpha });
    return this;
  };
}
