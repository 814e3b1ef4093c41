/** Markup that is safe to send: made by `html` only. */
export interface Markup {
  readonly markup: string;
}

/** What may stand in a template: text is escaped, markup is not, nothing stays nothing. */
export type Insert = string | number | Markup | readonly Insert[] | null | undefined | false;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text as it may stand between tags and inside quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? '');
}

/**
 * A piece of a page. Every inserted text is escaped, so whatever a person typed stays text; attributes must be quoted.
 * Indentation is left out.
 */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Markup {
  const markup = parts.reduce(
    (text, part, index) => text + render(inserts[index - 1]) + part.replace(/\n\s*/g, '\n'),
    '',
  );
  return { markup };
}

function render(insert: Insert): string {
  if (insert === null || insert === undefined || insert === false) return '';
  if (typeof insert === 'string') return escapeHtml(insert);
  if (typeof insert === 'number') return String(insert);
  if (Array.isArray(insert)) return insert.map(render).join('');
  return (insert as Markup).markup;
}
