import { css, html, nothing, type TemplateResult } from 'lit';
import type { PayoutBatch } from '../../api/payout.ts';
import { pathTo } from '../app/router.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { type StateTable, statusChip } from '../controls/status-chip.ts';
import { timeWords } from '../controls/values.ts';
import { unitWords } from './payout-words.ts';

/** A batch that is stored, unlike the result of a dry run. */
export type StoredBatch = PayoutBatch & { readonly id: string };

/** Words and tones of the states of a batch. */
export const batchStates: StateTable = {
  awaiting_approval: ['To approve', 'warn'],
  scheduled: ['Scheduled', 'plain'],
  processing: ['Sending', 'busy'],
  completed: ['Completed', 'good'],
  partially_completed: ['Completed in part', 'warn'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', 'plain'],
};

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The debits of a batch, without fees, in words. */
export const totalsWords = ({ totals }: Pick<PayoutBatch, 'totals'>): string =>
  totals.map(({ amount, currency }) => unitWords(amount, currency)).join(' + ') || 'Nothing';

export const batchTitle = ({ description, counts }: PayoutBatch): string =>
  description ?? counted(counts.accepted, 'payout');

/** The time at which the payouts of a batch are sent, in words. */
export function scheduleWords({ schedule, next_runs: runs }: Pick<PayoutBatch, 'schedule' | 'next_runs'>): string {
  if (schedule.type === 'immediate') return 'At once';
  if (schedule.type === 'scheduled') return timeWords(schedule.at, 'full');
  return runs[0] === undefined ? 'Repeated' : `Repeated, next ${timeWords(runs[0], 'full')}`;
}

/** The columns of lists of batches. */
export const batchColumns: readonly Column<StoredBatch>[] = [
  {
    label: 'Batch',
    share: 2,
    cell: batch => html`${batchTitle(batch)}<div class="second-line">${scheduleWords(batch)}</div>`,
  },
  { label: 'Done', share: 1.2, cell: doneWords },
  { label: 'State', share: 1, inCard: 'last', cell: ({ status }) => statusChip(status, batchStates) },
  { label: 'Amount', share: 1.4, align: 'end', inCard: 'value', cell: totalsWords },
  { label: 'When', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

function doneWords({ counts: { accepted, pending, failed } }: PayoutBatch): string {
  const done = `${(accepted - pending).toLocaleString('en')} of ${accepted.toLocaleString('en')}`;
  return failed === 0 ? done : `${done}, ${failed.toLocaleString('en')} failed`;
}

/** Styles of `progressBar`. Add them to `static styles` of the page. */
export const progressStyles = css`
  progress {
    display: block;
    inline-size: 100%;
    block-size: 8px;
    border: 0;
    border-radius: 4px;
    overflow: hidden;
    appearance: none;
    background: var(--line);
  }
  progress::-webkit-progress-bar {
    background: var(--line);
  }
  progress::-webkit-progress-value {
    background: var(--accent);
  }
  progress::-moz-progress-bar {
    background: var(--accent);
  }
`;

/** The progress of a batch. `left`: the remaining time in words. */
export function progressBar(batch: PayoutBatch, left: string | null = null): TemplateResult {
  const { accepted, pending } = batch.counts;
  return html`<div class="card-head">
      <span>${doneWords(batch)}</span>
      ${left === null ? nothing : html`<span class="hint num">${left}</span>`}
    </div>
    <progress max=${Math.max(1, accepted)} value=${accepted - pending} aria-label="Payouts that have ended"></progress>`;
}

/** Batches in progress or waiting for an approval. Each has its progress and a link to its page. */
export function underWay(batches: readonly StoredBatch[]): TemplateResult | typeof nothing {
  if (batches.length === 0) return nothing;
  return html`<section class="card" aria-labelledby="under-way">
    <h2 id="under-way">Under way</h2>
    ${batches.map(
      batch => html`<div class="stack">
        <div class="card-head">
          <a href=${pathTo(`/payouts/batches/${batch.id}`)}>${batchTitle(batch)}</a>
          ${statusChip(batch.status, batchStates)}
        </div>
        ${progressBar(batch)}
      </div>`,
    )}
  </section>`;
}
