/** How a page dresses the element without a style sheet: `{ accent: '#0a7', radius: '8px' }` sets `--pay-accent`, `--pay-radius`. */
export type Appearance = Readonly<Record<string, string>>;

/** Scheme that the page asks for. Without a theme the page's own `color-scheme` decides, so that the card never stands out. */
export type CheckoutTheme = 'light' | 'dark' | 'auto';

/** `radiusControl` → `radius-control`. */
export const kebabCase = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

/**
 * Writes the page's appearance and, below it, the merchant's colour (`#rrggbb`) into a style sheet of the element. It
 * goes through the CSS object model: no text of a page or a merchant is ever parsed as a rule.
 */
export function paint(sheet: CSSStyleSheet, appearance: Appearance = {}, brand: string | null = null): void {
  sheet.replaceSync(':host{}');
  const { style } = sheet.cssRules[0] as CSSStyleRule;
  for (const [name, value] of Object.entries(appearance)) {
    style.setProperty(`--pay-${kebabCase(name)}`, value);
  }
  if (brand && /^#[0-9a-f]{6}$/i.test(brand)) style.setProperty('--brand', brand);
}

/** Whether the payer's device asks for dark pages. */
export const darkMedia = () => matchMedia('(prefers-color-scheme: dark)');
