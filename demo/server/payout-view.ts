import type { PayClient } from '../../src/api/client.ts';
import type { PayoutBatch } from '../../src/api/payout.ts';
import type { Clock } from '../../src/core/clock.ts';

/** A run as the page shows it. */
export interface RunView {
  /** The id of its batch. */
  readonly id: string;
  readonly total: number;
  /** Payouts by state: not sent yet, sent, arrived, and failed or returned. */
  readonly waiting: number;
  readonly sending: number;
  readonly arrived: number;
  readonly failed: number;
  readonly ended: boolean;
  /** Milliseconds since the call that created the batch; after the end of the batch, its duration. */
  readonly elapsedMs: number;
  /** The first payouts that failed. */
  readonly failures: readonly { readonly name: string; readonly where: string; readonly reason: string }[];
  /** Whether the service offers the results as CSV. */
  readonly hasResults: boolean;
}

export interface RunViewDeps {
  /** Its calls do not appear in the panel. */
  readonly client: PayClient;
  /** The service's answer to a request for the results of a batch. */
  readonly fetchResults: (batchId: string) => Promise<Response>;
  readonly clock: Clock;
}

/** Data about a run that its batch does not contain. */
export interface RunProgress {
  /** When the shop sent the call that creates the batch. */
  readonly calledAt: Date;
  /** Ids of payouts that no longer wait: they were sent, have arrived, have failed or were canceled. */
  readonly sentIds: ReadonlySet<string>;
  /** The last view; null before the first view. */
  readonly view: RunView | null;
}

const shownFailures = 5;

/**
 * The batch as the page shows it. Without `run`, sent payouts count as waiting until they arrive or fail. Throws
 * PayApiError.
 */
export async function runView(deps: RunViewDeps, batch: PayoutBatch, run?: RunProgress): Promise<RunView> {
  const { counts, created_at: from, completed_at: to } = batch;
  const id = batch.id ?? '';
  const { total, pending, completed: arrived, failed } = counts;
  const sending = Math.min(Math.max((run?.sentIds.size ?? 0) - arrived - failed, 0), pending);
  const known = run?.view?.failures ?? [];
  const began = new Date(from);
  return {
    id,
    total,
    waiting: pending - sending,
    sending,
    arrived,
    failed,
    ended: to !== null,
    elapsedMs: to === null ? msSince(deps.clock, run?.calledAt ?? began) : Date.parse(to) - began.getTime(),
    failures: known.length < Math.min(failed, shownFailures) ? await failuresOf(deps, id) : known,
    hasResults: to !== null && (await hasResults(deps, id)),
  };
}

/** Milliseconds since `moment`, at least 0. */
export function msSince(clock: Clock, moment: Date): number {
  return Math.max(clock.now().getTime() - moment.getTime(), 0);
}

async function failuresOf({ client }: RunViewDeps, id: string): Promise<RunView['failures']> {
  const { data } = await client.payoutBatches.payouts(id, { status: 'failed', limit: shownFailures });
  return data.map(({ destination: to, metadata, failure }) => ({
    name: String(metadata?.['name'] ?? ''),
    where: (to.type === 'mobile_money' ? to.number : to.type === 'bank_account' ? to.iban : to.address) ?? '',
    reason: failure?.message ?? '',
  }));
}

async function hasResults({ fetchResults }: RunViewDeps, id: string): Promise<boolean> {
  const answer = await fetchResults(id).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}
