import type { Branding } from '../../../api/merchant.ts';
import { inkOn } from '../../../core/contrast.ts';

const color = /^#[0-9a-f]{6}$/i;

/** The path of the style sheet with the merchant's colours. Null without such colours. */
export function brandStylesPath({ primary_color: primary, background_color: background }: Branding): string | null {
  const query = new URLSearchParams();
  if (primary !== null && color.test(primary)) query.set('accent', primary.slice(1).toLowerCase());
  if (background !== null && color.test(background)) query.set('page', background.slice(1).toLowerCase());
  return query.size === 0 ? null : `/checkout/brand.css?${query}`;
}

/** A style sheet for two six-digit colours. It is a file, because the page's policy forbids inline styles. */
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
