import { createCssVariablesTheme, createHighlighter } from 'shiki';
import { escapeHtml } from '../../core/escape-html.ts';

const prefix = '--code-';

/** Languages of code blocks. A block in another language stays plain text. */
const languages = [
  ...(['sh', 'ts', 'tsx', 'html', 'json', 'http', 'python', 'php'] as const),
  ...(['sql', 'csv', 'ini', 'yaml', 'docker', 'svelte', 'vue'] as const),
] as const;
type Language = (typeof languages)[number];

/** Colours code. The HTML has classes, because the strict content policy forbids inline styles. */
export type Highlight = (code: string, language: string) => string;

const isKnown = (language: string): language is Language => (languages as readonly string[]).includes(language);

/** Loads the grammars. Each class has the name of its variable in the theme: `keyword`, `string`, `comment` … */
export async function createHighlight(): Promise<Highlight> {
  const theme = createCssVariablesTheme({ name: 'classes', variablePrefix: prefix, fontStyle: false });
  const highlighter = await createHighlighter({ themes: [theme], langs: [...languages] });
  return (code, language) => {
    if (!isKnown(language)) return escapeHtml(code);
    const lines = highlighter.codeToTokensBase(code, { lang: language, theme });
    return lines.map(tokens => tokens.map(token => span(token.content, token.color)).join('')).join('\n');
  };
}

function span(text: string, color = ''): string {
  const name = /^var\(--code-token-([a-z-]+)/.exec(color)?.[1];
  return name === undefined || text.trim() === '' ? escapeHtml(text) : `<i class="${name}">${escapeHtml(text)}</i>`;
}
