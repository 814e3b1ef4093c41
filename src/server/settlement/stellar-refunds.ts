import type { CryptoRefundRequest, CryptoRefunds } from '../chains/chain.ts';
import type { Db } from '../db/database.ts';
import type { Log, Sweep } from '../jobs/sweeper.ts';
import type { RefundOutcome } from '../rails/rail.ts';
import type { TransactionMemo } from '../stellar/network.ts';
import { accountOf } from '../submission/batch.ts';
import { memoOf, type OutgoingRow } from '../submission/outgoing.store.ts';
import { failure } from '../submission/outgoing.ts';
import type { Submission } from '../submission/submission.ts';
import { buildSweep } from '../submission/submission-deps.ts';

/** What refunds on Stellar need. */
export interface StellarRefundDeps {
  readonly db: Db;
  readonly log: Log;
  readonly submission: Pick<Submission, 'queue' | 'find' | 'takeEnded'>;
  readonly treasury: string;
  readonly livemode: boolean;
  readonly wake: (sweep: string) => void;
  /** Has the refund with the id (a part of one) looked at again soon: it has ended. */
  readonly onEnded: (merchantId: string, refundId: string) => Promise<void>;
}

/** The sweep that tells refunds that they have been sent. */
export const refundedSweep = 'refunds.ended';

/**
 * Sends payers’ money back out of the treasury, in the asset that came. Each refund is sent once: a further address is
 * taken only after the transfer to the one before has failed for good.
 */
export function createStellarRefunds(deps: StellarRefundDeps): CryptoRefunds & { readonly sweeps: readonly Sweep[] } {
  const { db, submission } = deps;
  return {
    id: 'stellar',
    refund: async request => {
      const last = await submission.find(db, 'refund', request.refundId);
      if (last !== null && !isElsewhere(last, request)) return outcomeOf(last);
      const problem = accountOf(request.destination.address) === deps.treasury ? failure('own_account') : null;
      if (problem !== null) return { state: 'failed', ...problem };
      const queued = await queue(deps, request, (last?.attempt ?? 0) + 1);
      deps.wake(buildSweep);
      return outcomeOf(queued);
    },
    refundStatus: async refundId => {
      const last = await submission.find(db, 'refund', refundId);
      return last === null ? null : outcomeOf(last);
    },
    sweeps: [{ name: refundedSweep, everyMs: 1_000, run: () => tellEnded(deps) }],
  };
}

/** Whether the last attempt failed for good and this is asked to go to another place. */
function isElsewhere(last: OutgoingRow, { destination }: CryptoRefundRequest): boolean {
  if (last.state !== 'failed') return false;
  const [before, now] = [memoOf(last), memoIn(destination)];
  return last.destination !== destination.address || before?.type !== now?.type || before?.value !== now?.value;
}

function memoIn({ memo, memo_type: type }: CryptoRefundRequest['destination']): TransactionMemo | null {
  if (memo === undefined || memo === '') return null;
  const types: Readonly<Record<string, TransactionMemo['type']>> = { id: 'id', hash: 'hash', return: 'return' };
  return { type: types[type ?? ''] ?? 'text', value: memo };
}

async function queue(deps: StellarRefundDeps, request: CryptoRefundRequest, attempt: number): Promise<OutgoingRow> {
  const { destination, amount, currency } = request;
  return await deps.submission.queue(deps.db, {
    merchantId: request.merchantId,
    livemode: deps.livemode,
    purpose: 'refund',
    resourceId: request.refundId,
    attempt,
    delivery: 'payment',
    destination: destination.address,
    memo: memoIn(destination),
    asset: currency,
    amount,
    sourceAsset: currency,
    sendMax: amount,
    path: [],
    now: request.now,
  });
}

function outcomeOf(row: OutgoingRow): RefundOutcome {
  if (row.state === 'applied') return { state: 'completed', railReference: row.tx_hash ?? row.id };
  if (row.state === 'failed') {
    return { state: 'failed', code: row.failure_code ?? 'refused', message: row.failure_message ?? '' };
  }
  return { state: 'pending', railReference: row.id };
}

/** Tells refunds that they have ended. Returns how many. */
async function tellEnded({ db, submission, onEnded }: StellarRefundDeps): Promise<number> {
  const ended = await db.transaction().execute(tx => submission.takeEnded(tx, 'refund'));
  if (ended === null) return 0;
  await onEnded(ended.merchant_id, ended.resource_id);
  return 1;
}
