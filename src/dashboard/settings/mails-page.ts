import { html, nothing, type TemplateResult } from 'lit';
import type { Mail } from '../../api/dashboard/mail.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState } from '../controls/states.ts';
import { mailChip, mailStates } from './mail-words.ts';
import '../controls/data-table.ts';

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'State',
    kind: 'choice',
    options: Object.entries(mailStates).map(([value, [label]]) => [value, label] as const),
  },
];

const columns: readonly Column<Mail>[] = [
  { label: 'Subject', share: 2.2, cell: ({ subject }) => html`<bdi>${subject}</bdi>` },
  {
    label: 'To',
    share: 1.6,
    cell: ({ to, to_name: name }) =>
      html`<bdi>${name ?? to}</bdi>${name === null ? nothing : html`<div class="second-line">${to}</div>`}`,
  },
  { label: 'State', share: 0.9, inCard: 'value', cell: mailChip },
  { label: 'Attempts', share: 0.6, align: 'end', inCard: 'hidden', cell: ({ attempts }) => attempts },
  { label: 'Written', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

/** The mail outbox: mails to payers and customers, sent and waiting. */
class MailsPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #rows = new PagedRows<Mail>(this, (page, options) =>
    this.app.client.mails.list({ ...filtersIn(this.query, ['status']), ...page }, options),
  );

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Settings', path: '/settings' },
      title: 'Mail outbox',
      subtitle: 'Mails to payers and customers, kept for 90 days.',
      actions: html`<button class="second" type="button" @click=${() => void this.#rows.reload()}>Reload</button>`,
      body: html`
        ${filtersBar({ page: this, path: '/settings/mails', filters })}
        <section class="card" aria-label="Mails">
          <pay-data-table label="Mails" .columns=${columns} .rows=${this.#rows}
            .href=${({ id }: Mail) => pathTo(`/settings/mails/${id}`)}>
            <div slot="empty">${emptyState('No mails', 'Receipts, invoices and reminders are listed here.')}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

customElements.define('pay-mails-page', MailsPage);
