import { html, nothing, type TemplateResult } from 'lit';
import type { Approval } from '../../api/client.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { PagedRows, pageSize } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { type Filter, filterStyles, filtersBar } from '../controls/filters-bar.ts';
import { emptyState, roleNote } from '../controls/states.ts';
import { statusChip } from '../controls/status-chip.ts';
import { timeWords } from '../controls/values.ts';
import { approveAction, cancelApprovalAction, changesAccount } from './approval-actions.ts';
import { approvalStates, kindWords, worthWords } from './approval-words.ts';
import { type Askers, askerWords, readAskers } from './askers.ts';
import '../controls/data-table.ts';

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    none: 'Waiting',
    options: [
      ['approved', 'Approved'],
      ['canceled', 'Canceled'],
      ['released', 'Within the limit'],
      ['all', 'All'],
    ],
  },
];

/** Milliseconds between two reloads of the list while events arrive. */
const pauseMs = 500;

/** What waits for a second person, and what was decided. Without a filter, only what waits is shown. */
class ApprovalsPage extends ActionPage {
  static override readonly styles = [ActionPage.styles, filterStyles];

  readonly #askers = new Loaded(this, signal => readAskers(this.app, signal));
  readonly #rows = new PagedRows<Approval>(this, (page, options) => {
    const status = this.query.get('status') ?? 'awaiting_approval';
    return this.app.client.approvals.list({ ...(status !== 'all' && { status }), ...page }, options);
  });
  readonly #soon = new Soon(this, () => this.#rows.reload(), pauseMs);

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'approval.' }, () => {
      if (this.#rows.count <= pageSize) this.#soon.ask();
    });
  }

  /** The columns with the names that they show. A new array makes the table render all rows again. */
  #made: { readonly askers: Askers | null; readonly columns: readonly Column<Approval>[] } | null = null;

  get #columns(): readonly Column<Approval>[] {
    const askers = this.#askers.value;
    if (this.#made === null || this.#made.askers !== askers) this.#made = { askers, columns: this.#makeColumns() };
    return this.#made.columns;
  }

  #makeColumns(): readonly Column<Approval>[] {
    return [
      {
        label: 'What',
        share: 3,
        cell: approval => html`${approval.description}
          <div class="second-line whole">${subjectLink(approval)}</div>`,
      },
      {
        label: 'Worth',
        share: 1.1,
        align: 'end',
        inCard: 'value',
        cell: approval => html`<bdi class="figure">${worthWords(approval) ?? '–'}</bdi>`,
      },
      { label: 'Asked by', share: 1.4, cell: ({ requested_by: id }) => askerWords(this.#askers.value, id) },
      { label: 'When', share: 0.8, cell: ({ created_at: time }) => agoText(time) },
      { label: 'State', share: 1.4, cell: approval => this.#state(approval) },
      { label: 'Action', share: 2, align: 'end', inCard: 'last', cell: approval => this.#buttons(approval) },
    ];
  }

  #state(approval: Approval): TemplateResult {
    const { status, decided_by: by, requested_by: asker } = approval;
    const isOwn = status === 'awaiting_approval' && asker === this.app.session?.person.id;
    return html`${statusChip(status, approvalStates)}
      ${by === null ? nothing : html`<div class="second-line whole">by ${askerWords(this.#askers.value, by)}</div>`}
      ${isOwn ? html`<div class="second-line whole">Another person must approve this.</div>` : nothing}`;
  }

  #buttons(approval: Approval): TemplateResult | string {
    const { id, kind, status, description: about, requested_by: asker } = approval;
    if (status !== 'awaiting_approval' || !this.app.may(changesAccount(kind) ? 'manage' : 'money')) return '';
    const acting = {
      client: this.app.client,
      asked: { id, kind, facts: this.#facts(approval) },
      done: (text: string) => {
        this.app.toast({ text, tone: 'good' });
        void this.#rows.reload();
      },
    };
    return html`${actionButtons(this, [
      asker !== this.app.session?.person.id && {
        label: 'Approve',
        about,
        style: 'plain',
        start: () => approveAction(acting),
      },
      { label: 'Cancel', about, style: 'plain', start: () => cancelApprovalAction(acting) },
    ])}`;
  }

  #facts(approval: Approval) {
    const { description, requested_by: asker, created_at: time } = approval;
    const worth = worthWords(approval);
    return [
      { what: 'What', result: description },
      ...(worth === null ? [] : [{ what: 'Worth', result: worth }]),
      { what: 'Asked by', result: `${askerWords(this.#askers.value, asker)}, ${timeWords(time)}` },
    ];
  }

  override render(): TemplateResult {
    return html`${pageFrame({
      above: { label: 'Balance', path: '/balance' },
      title: 'Approvals',
      subtitle: 'Money above the approval limit is sent once a second person approves it.',
      actions: html`<a class="second" href=${pathTo(limitPath)}>Approval limit</a>`,
      body: html`${roleNote(this.app, 'money')}
        ${filtersBar({ page: this, path: '/approvals', filters })}
        <section class="card" aria-label="Approvals">
          <pay-data-table label="Approvals" .columns=${this.#columns} .rows=${this.#rows}>
            <div slot="empty">${this.#empty()}</div>
          </pay-data-table>
        </section>`,
    })}
    ${actionDialog(this)}`;
  }

  #empty(): TemplateResult {
    if (this.query.has('status')) return emptyState('No approvals', 'None has this status.');
    return emptyState('Nothing waits', 'What needs a second person appears here.');
  }
}

const limitPath = '/settings?field=payouts.approval_above.amount';

/** The object that waits, as a link to its page or list. */
function subjectLink({ kind, subject }: Approval): TemplateResult | string {
  const path = subjectPaths[kind]?.(subject);
  return path === undefined ? kindWords[kind] : html`<a href=${pathTo(path)}>${kindWords[kind]}</a>`;
}

const subjectPaths: Partial<Readonly<Record<Approval['kind'], (id: string) => string>>> = {
  payout_batch: id => `/payouts/batches/${id}`,
  withdrawal: () => '/balance/movements',
  return: () => '/balance/unmatched',
  approval_limit: () => limitPath,
  settlement_destination: () => '/settings/settlement',
};

customElements.define('pay-approvals-page', ApprovalsPage);
