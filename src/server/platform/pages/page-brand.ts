import type { Branding } from '../../../api/merchant.ts';

const color = /^#[0-9a-f]{6}$/i;

/** The path of the style sheet with the merchant's colours; null: the merchant has none. */
export function brandStylesPath({ primary_color: primary, background_color: background }: Branding): string | null {
  const query = new URLSearchParams();
  if (primary !== null && color.test(primary)) query.set('accent', primary.slice(1).toLowerCase());
  if (background !== null && color.test(background)) query.set('page', background.slice(1).toLowerCase());
  return query.size === 0 ? null : `/checkout/brand.css?${query}`;
}

/** A style sheet for two six-digit colours. It is a file, since the page's policy allows no inline style. */
export function brandStyles(query: Readonly<Record<string, unknown>>): string {
  const accent = hex(query['accent']);
  const page = hex(query['page']);
  const rules = [
    accent && `--pay-accent:${accent};--pay-accent-ink:${inkOn(accent)}`,
    page && `--backdrop:${page};--backdrop-ink:${inkOn(page)}`,
  ].filter(rule => rule !== null);
  return `:root:root{${rules.join(';')}}\n`;
}

function hex(value: unknown): string | null {
  return typeof value === 'string' && color.test(`#${value}`) ? `#${value}` : null;
}

/** White or near black, whichever reads better on the colour (WCAG 2.2, contrast ratio). */
export function inkOn(background: string): string {
  return luminance(background) < 0.183 ? '#ffffff' : '#10151d';
}

/** Relative luminance, 0 … 1 (WCAG 2.2). */
function luminance(rgb: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(start => {
    const channel = Number.parseInt(rgb.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
