import { lengthClass } from '../../../core/locale/length-class.ts';
import { html, type Markup } from './page-html.ts';

/** A sum at the end of a row. */
export function figure(amount: string): Markup {
  return html`<bdi class="figure ${lengthClass(amount)}">${amount}</bdi>`;
}
