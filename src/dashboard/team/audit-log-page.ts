import { html, type TemplateResult } from 'lit';
import type { Page } from '../../api/client.ts';
import { withParams } from '../../api/pages.ts';
import type { AuditEntry } from '../../api/people/team.ts';
import { systemClock } from '../../core/clock.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { emptyState } from '../controls/states.ts';
import { chip } from '../controls/status-chip.ts';
import '../controls/data-table.ts';

const columns: readonly Column<AuditEntry>[] = [
  { label: 'Person', share: 1.2, cell: ({ person }) => person.name ?? person.email ?? 'Owner' },
  {
    label: 'Did',
    share: 2,
    cell: ({ action, path }) => html`${action}<div class="second-line mono">${path}</div>`,
  },
  { label: 'Result', share: 0.8, inCard: 'value', cell: ({ status }) => resultChip(status) },
  { label: 'From', share: 1, cell: ({ network, user_agent: agent }) => html`<span title=${agent}>${network}</span>` },
  {
    label: 'When',
    share: 0.8,
    align: 'end',
    inCard: 'last',
    cell: ({ created_at: time }) => agoText(time, systemClock),
  },
];

function resultChip(status: number | null): TemplateResult {
  if (status === null) return chip('unknown', 'warn');
  return status < 400 ? chip('done', 'good') : chip(`refused ${status}`, 'bad');
}

/** The changes that people made in the dashboard, newest first. */
class AuditLogPage extends DashboardPage {
  readonly #rows = new PagedRows<AuditEntry>(this, (page, options) =>
    this.app.calls.get<Page<AuditEntry>>(withParams('/v1/audit-log', page), options),
  );

  override render(): TemplateResult {
    return pageFrame({
      title: 'Audit log',
      above: { label: 'Team', path: '/team' },
      subtitle: 'Every change that a person made here: who, what, when and from where.',
      body: html`<section class="card" aria-label="Audit log">
        <pay-data-table label="Audit log" .columns=${columns} .rows=${this.#rows}>
          <div slot="empty">${emptyState('Nothing was changed yet', 'Changes that people make in the dashboard appear here.')}</div>
        </pay-data-table>
      </section>`,
    });
  }
}

customElements.define('pay-audit-log-page', AuditLogPage);
