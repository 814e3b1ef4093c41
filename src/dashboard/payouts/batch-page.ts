import { html, nothing, type TemplateResult } from 'lit';
import type { Payout } from '../../api/payout.ts';
import { systemClock } from '../../core/clock.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { type NamedFile, SavedFile } from '../app/download.ts';
import { Loaded } from '../app/loaded.ts';
import { PagedRows, pageSize } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { keyValues } from '../controls/key-values.ts';
import { emptyState, note } from '../controls/states.ts';
import { statusChip } from '../controls/status-chip.ts';
import { shortened, timeText } from '../controls/values.ts';
import { batchActions, isOwnToApprove } from './batch-actions.ts';
import {
  batchStates,
  batchTitle,
  progressBar,
  progressStyles,
  type StoredBatch,
  scheduleWords,
} from './batch-words.ts';
import { checkTable } from './check-table.ts';
import { payoutColumns, payoutStates, unitWords } from './payout-words.ts';
import { mayNotSend } from './roles.ts';
import '../controls/data-table.ts';

/** Milliseconds between two readings of the counts while payouts change. */
const pauseMs = 500;

/** One batch: its progress, its payouts by state, refused rows and actions. */
class BatchPage extends ActionPage {
  static override readonly styles = [ActionPage.styles, filterStyles, progressStyles];

  /** The time at which the page first saw the batch in progress, and the number of payouts that had ended by then. */
  #start: { readonly at: number; readonly ended: number } | null = null;

  readonly #batch = new Loaded<StoredBatch>(this, async signal => {
    const batch = await this.app.client.payoutBatches.retrieve(this.#id, { signal });
    const ended = batch.counts.accepted - batch.counts.pending;
    if (batch.status === 'processing') this.#start ??= { at: systemClock.now().getTime(), ended };
    else this.#start = null;
    return batch;
  });
  readonly #rows = new PagedRows<Payout>(this, (page, options) =>
    this.app.client.payoutBatches.payouts(this.#id, { ...filtersIn(this.query, ['status']), ...page }, options),
  );
  /** Thousands of events may arrive. Reading the first page again shows the newest state with one call. */
  readonly #soon = new Soon(
    this,
    () => Promise.all([this.#batch.reload(), this.#isAtTop ? this.#rows.reload() : null]),
    pauseMs,
  );
  readonly #results = new SavedFile(this, () => this.#file('', `${this.#id}.csv`));
  readonly #failures = new SavedFile(this, () => this.#file('?status=failed', `${this.#id}-failed.csv`));

  get #id(): string {
    return this.params['id'] ?? '';
  }

  get #isAtTop(): boolean {
    return this.#rows.count <= pageSize;
  }

  #file(query: string, name: string): NamedFile {
    return { path: `/v1/payout-batches/${this.#id}/results.csv${query}`, name };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payout_batch.', object: this.#id }, () => this.#soon.ask());
    this.follow({ type: 'payout.' }, ({ data }) => {
      const { object } = data as { object: Payout };
      if (object.batch !== this.#id) return;
      if (!this.#isAtTop) this.#rows.replace(object);
      this.#soon.ask();
    });
  }

  override render(): TemplateResult {
    const batch = this.#batch.value;
    if (batch) this.app.setTitle(batchTitle(batch));
    return html`${pageFrame({
      title: batch ? html`${batchTitle(batch)} ${statusChip(batch.status, batchStates)}` : 'Batch',
      above: { label: 'Batches', path: '/payouts/batches' },
      ...(batch ? { subtitle: shortened(batch.id, 9, 4) } : {}),
      actions: batch ? this.#actions(batch) : nothing,
      body: html`${mayNotSend(this.app)} ${this.#results.note()} ${this.#failures.note()}
        ${this.#batch.render(value => this.#body(value))}
        ${this.#payouts(batch)}`,
    })}
    ${actionDialog(this)}`;
  }

  #actions(batch: StoredBatch): TemplateResult {
    const failed = (batch.statuses?.['failed'] ?? 0) > 0;
    const files = html`${this.#results.button('Results')}${failed ? this.#failures.button('Failed rows') : nothing}`;
    if (!this.app.may('money')) return files;
    const done = (_: StoredBatch, text: string) => {
      this.app.toast({ text, tone: 'good' });
      void Promise.all([this.#batch.reload(), this.#rows.reload()]);
    };
    const acting = { client: this.app.client, batch, personId: this.#person, done };
    return html`${files}${actionButtons(this, batchActions(acting))}`;
  }

  get #person(): string {
    return this.app.session?.person.id ?? '';
  }

  #body(batch: StoredBatch): TemplateResult {
    return html`${isOwnToApprove(batch, this.#person) ? ownBatch : nothing}
      <div class="beside">
        <section class="card" aria-labelledby="progress">
          <h2 id="progress">Progress</h2>
          ${progressBar(batch, this.#left(batch))}
          ${keyValues(
            Object.keys(payoutStates).map(state => ({
              label: payoutStates[state]?.[0] ?? state,
              value: batch.statuses?.[state]?.toLocaleString('en') ?? null,
            })),
          )}
        </section>
        ${moneyCard(batch)}
      </div>
      ${checkTable('Rows that were left out', batch)}`;
  }

  /** The expected remaining time, from the speed since `#start`. Null if the speed is not known. */
  #left({ counts: { accepted, pending } }: StoredBatch): string | null {
    if (this.#start === null || pending === 0) return null;
    const done = accepted - pending - this.#start.ended;
    const seconds = (systemClock.now().getTime() - this.#start.at) / 1000;
    if (done <= 0 || seconds < 1) return null;
    const left = Math.ceil((pending / done) * seconds);
    return left < 90 ? `about ${left} s left` : `about ${Math.round(left / 60)} min left`;
  }

  #payouts(batch: StoredBatch | null): TemplateResult | typeof nothing {
    if (batch?.schedule.type === 'recurring') return nothing;
    const present = Object.keys(payoutStates).filter(state => batch?.statuses?.[state] || this.query.has('status'));
    const options = present.map(state => [state, payoutStates[state]?.[0] ?? state] as const);
    const filters: readonly Filter[] = [{ name: 'status', label: 'Status', kind: 'choice', options }];
    return html`${filtersBar({ page: this, path: `/payouts/batches/${this.#id}`, filters })}
      <section class="card" aria-label="Payouts of the batch">
        <pay-data-table label="Payouts" .columns=${payoutColumns} .rows=${this.#rows}
          .href=${({ id }: Payout) => pathTo(`/payouts/${id}`)}>
          <div slot="empty">${emptyState('No payouts', 'No payout of the batch has this state.')}</div>
        </pay-data-table>
      </section>`;
  }
}

const ownBatch = note(
  html`<strong>Another person approves it.</strong> You made this batch, so an owner, an admin or a finance person other
    than you releases it. It waits until then.`,
  'warn',
  'status',
);

function moneyCard(batch: StoredBatch): TemplateResult {
  const { totals, counts, approval, completed_at: end, recurring_batch: source } = batch;
  return html`<section class="card" aria-labelledby="money">
    <h2 id="money">Money</h2>
    ${keyValues([
      ...totals.flatMap(({ currency, amount, fee }) => [
        { label: 'From your balance', value: unitWords(amount, currency) },
        fee > 0 && { label: 'Fees', value: unitWords(fee, currency) },
      ]),
      { label: 'Rows', value: counts.total.toLocaleString('en') },
      counts.rejected > 0 && { label: 'Left out', value: counts.rejected.toLocaleString('en') },
      { label: 'Sent', value: scheduleWords(batch) },
      approval !== null && {
        label: 'Approved',
        value: approval.approved_at ? timeText(approval.approved_at) : 'Not yet',
      },
      end !== null && { label: 'Ended', value: timeText(end) },
      source !== null && {
        label: 'Made by',
        value: html`<a href=${pathTo(`/payouts/batches/${source}`)}>a repeated batch</a>`,
      },
    ])}
  </section>`;
}

customElements.define('pay-batch-page', BatchPage);
