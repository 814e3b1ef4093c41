import { html, type TemplateResult } from 'lit';
import type { AttentionItem } from '../../api/client.ts';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { pathTo } from '../app/router.ts';
import { sentenceCase } from '../controls/status-chip.ts';

/** The work that waits for a person, as links to pages that the dashboard has. */
export function attentionList(items: readonly AttentionItem[], app: DashboardContext): TemplateResult {
  if (items.length === 0) return html`<p class="hint">Nothing needs you.</p>`;
  return html`<ul class="attention">
    ${items.map(item => {
      const [words, path] = wordsOf(app, item);
      return html`<li>${path !== null && app.hasPage(path) ? html`<a href=${pathTo(path)}>${words}</a>` : words}</li>`;
    })}
  </ul>`;
}

function wordsOf({ attentionWords }: DashboardContext, { kind, count, has_more: more }: AttentionItem) {
  const [one, many, path] = attentionWords[kind] ?? [sentenceCase(kind), sentenceCase(kind), null];
  return [more ? `More than ${count} ${many}` : `${count} ${count === 1 ? one : many}`, path] as const;
}
