/** Relative luminance of `#rrggbb`, from 0 to 1 (WCAG 2.2). */
function luminance(rgb: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(start => {
    const channel = Number.parseInt(rgb.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The text colour on a background: white, near black or black. The first with a ratio of at least 4.5 (WCAG 2.2). */
export function inkOn(background: string): string {
  return ['#ffffff', '#10151d'].find(ink => contrast(ink, background) >= 4.5) ?? '#000000';
}

/** The contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
