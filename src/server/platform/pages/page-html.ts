import { escapeHtml } from '../../../core/escape-html.ts';
import { lengthClass } from '../../../core/locale/length-class.ts';

/** Markup that is safe to send. Only `html` creates it. */
export interface Markup {
  readonly markup: string;
}

/** Values that a template accepts. Text is escaped, and markup is not. Null, undefined and false become empty text. */
export type Insert = string | number | Markup | readonly Insert[] | null | undefined | false;

/** A piece of a page, without indentation. Escapes every inserted text. Attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Markup {
  const pieces = unindented(parts);
  let markup = pieces[0] ?? '';
  for (const [index, insert] of inserts.entries()) markup += render(insert) + (pieces[index + 1] ?? '');
  return { markup };
}

/** Cache of templates without indentation. JavaScript passes the same array at each call of a template. */
const known = new WeakMap<TemplateStringsArray, readonly string[]>();

function unindented(parts: TemplateStringsArray): readonly string[] {
  const done = known.get(parts) ?? parts.map(part => part.replace(/\n\s*/g, '\n'));
  known.set(parts, done);
  return done;
}

function render(insert: Insert): string {
  if (insert === null || insert === undefined || insert === false) return '';
  if (typeof insert === 'string') return escapeHtml(insert);
  if (typeof insert === 'number') return String(insert);
  if (Array.isArray(insert)) return insert.map(render).join('');
  return (insert as Markup).markup;
}

/** An amount of money at the end of a row. */
export function figure(amount: string): Markup {
  return html`<bdi class="figure ${lengthClass(amount)}">${amount}</bdi>`;
}
