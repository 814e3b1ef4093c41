import { html, type Markup } from './page-html.ts';

/** Numbers of characters for which the pages' style sheet has a size. */
const lengths = [14, 16, 18, 22, 28];

/** How long an amount is, as a class of the style sheet: a long one is set smaller, so that it stays on one line. */
export function lengthClass(amount: string): string {
  const { length } = amount.replace(/\p{Cf}/gu, '');
  if (length <= 12) return '';
  return `to-${lengths.find(most => length <= most) ?? lengths.at(-1)}`;
}

/** A sum at the end of a row. */
export function figure(amount: string): Markup {
  return html`<bdi class="figure ${lengthClass(amount)}">${amount}</bdi>`;
}
