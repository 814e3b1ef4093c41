import { apiPurpose } from '../../server/platform/http/openapi/openapi-text.ts';
import type { DocPage } from './page.ts';

/** The documentation's index for assistants (llmstxt.org). Links are paths, and the server adds its address. */
export function llmsText(pages: readonly DocPage[], markdownPath: (page: DocPage) => string): string {
  const sections = Map.groupBy(pages, ({ section }) => section);
  const lists = [...sections].map(([section, listed]) => {
    const lines = listed.map(page => `- [${page.title}](${markdownPath(page)}): ${page.description}`);
    return `## ${section}\n\n${lines.join('\n')}`;
  });
  const intro = [
    '# pay-checkout',
    `> ${apiPurpose}, on your own server.`,
    '- [OpenAPI 3.1](/openapi.json): every call with its fields\n- [Element](/custom-elements.json): attributes, events, methods, slots and styles of `<pay-checkout>`',
  ];
  return `${[...intro, ...lists].join('\n\n')}\n`;
}
