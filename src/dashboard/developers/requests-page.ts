import { html, nothing, type TemplateResult } from 'lit';
import type { ApiRequest } from '../../api/dashboard/request.ts';
import { systemClock } from '../../core/clock.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { agoText } from '../controls/ago-text.ts';
import { copyButton } from '../controls/copy-button.ts';
import type { Column } from '../controls/data-table.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { chip } from '../controls/status-chip.ts';
import '../controls/data-table.ts';

const filters: readonly Filter[] = [
  {
    name: 'answer',
    label: 'Answer',
    kind: 'choice',
    options: [
      ['refused', 'Refused (4xx)'],
      ['failed', 'Failed (5xx)'],
      ['done', 'Done (2xx)'],
    ],
  },
  {
    name: 'by',
    label: 'By',
    kind: 'choice',
    none: 'Keys',
    options: [
      ['dashboard', 'Dashboard'],
      ['all', 'All'],
    ],
  },
];

/**
 * The parameter `via` for each value of the filter `by`. By default, the list omits the dashboard's own calls, because
 * they would outnumber the others.
 */
const ways: Readonly<Record<string, string | undefined>> = { '': 'api', dashboard: 'dashboard' };

const ranges: Readonly<Record<string, { readonly gte: number; readonly lte: number }>> = {
  done: { gte: 200, lte: 299 },
  refused: { gte: 400, lte: 499 },
  failed: { gte: 500, lte: 599 },
};

const columns: readonly Column<ApiRequest>[] = [
  {
    label: 'Call',
    share: 2.2,
    cell: ({ method, path, id }) => html`<span class="mono">${method} ${path}</span>
      <div class="second-line whole mono">${id} ${copyButton(id, `request id ${id}`)}</div>`,
  },
  { label: 'Answer', share: 0.6, inCard: 'value', cell: ({ status }) => chip(String(status), toneOf(status)) },
  { label: 'Reason', share: 1.6, cell: reasonOf },
  {
    label: 'By',
    share: 1,
    inCard: 'hidden',
    cell: ({ key, person }) => html`<span class="mono">${(key ?? person ?? '').slice(0, 12)}</span>`,
  },
  { label: 'Time', share: 0.6, align: 'end', cell: ({ duration_ms: ms }) => `${ms} ms` },
  { label: 'When', share: 0.7, align: 'end', cell: ({ created_at: time }) => agoText(time, systemClock) },
];

const toneOf = (status: number) => (status < 400 ? 'good' : status < 500 ? 'warn' : 'bad');

/** The error's code, as a link to its page in the documentation, and the wrong field. */
function reasonOf({ error }: ApiRequest): TemplateResult | typeof nothing {
  if (error === null) return nothing;
  const field =
    error.param === null ? nothing : html`<div class="second-line">at <span class="mono">${error.param}</span></div>`;
  return html`<a href=${`/docs/errors/${error.code}`}>${error.code}</a>${field}`;
}

/** The calls of the last thirty days. A refused or failed call shows its error. */
class RequestsPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #rows = new PagedRows<ApiRequest>(this, async (page, options) => {
    const path = this.query.get('path') ?? '';
    if (/^req_\w+$/.test(path)) {
      const request = await this.app.client.requests.retrieve(path, options);
      return { object: 'list', url: '', has_more: false, data: [request] };
    }
    const range = ranges[this.query.get('answer') ?? ''];
    const via = ways[this.query.get('by') ?? ''];
    const params = {
      ...filtersIn(this.query, ['path']),
      ...(range && { status: range }),
      ...(via && { via }),
      ...page,
    };
    return await this.app.client.requests.list(params, options);
  });

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Developers', path: '/developers' },
      title: 'Request log',
      subtitle: 'Calls of the last 30 days. Bodies and secrets are not kept.',
      actions: html`<button class="second" type="button" @click=${() => void this.#rows.reload()}>Reload</button>`,
      body: html`
        ${filtersBar({
          page: this,
          path: '/developers/requests',
          filters,
          search: { name: 'path', label: 'Path, for example /v1/payments, or request id' },
        })}
        <section class="card" aria-label="Requests">
          <pay-data-table label="Requests" .columns=${columns} .rows=${this.#rows}>
            <div slot="empty">${emptyState('No calls', 'Calls with your keys are listed here, newest first. Those of the dashboard have a filter.')}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

customElements.define('pay-requests-page', RequestsPage);
