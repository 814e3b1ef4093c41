/**
 * The element's look without a style sheet: `{ accent: '#0a7', radius: '8px' }` sets `--pay-accent` and `--pay-radius`.
 */
export type Appearance = Readonly<Record<string, string>>;

/** The requested colour scheme. Without a theme, the page's own `color-scheme` decides. */
export type CheckoutTheme = 'light' | 'dark' | 'auto';

/** Converts `radiusControl` to `radius-control`. */
export const kebabCase = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

/**
 * Writes the page's appearance and the merchant's colour (`#rrggbb`) into a style sheet. The appearance has priority.
 * Uses the CSS object model, so that no text of a page or a merchant is parsed as a rule.
 */
export function paint(sheet: CSSStyleSheet, appearance: Appearance = {}, brand: string | null = null): void {
  sheet.replaceSync(':host{}');
  const { style } = sheet.cssRules[0] as CSSStyleRule;
  for (const [name, value] of Object.entries(appearance)) {
    style.setProperty(`--pay-${kebabCase(name)}`, value);
  }
  if (brand && /^#[0-9a-f]{6}$/i.test(brand)) style.setProperty('--brand', brand);
}

/** Whether the payer's device prefers dark pages. */
export const darkMedia = () => matchMedia('(prefers-color-scheme: dark)');
