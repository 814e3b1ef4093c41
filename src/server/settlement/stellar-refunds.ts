import { PayError } from '../../core/error.ts';
import type { CryptoRefundRequest, CryptoRefunds } from '../chains/chain.ts';
import type { Db } from '../platform/db/database.ts';
import type { Log, Sweep } from '../platform/jobs/sweeper.ts';
import type { RefundOutcome } from '../rails/rail.ts';
import { StellarUnavailable, type TransactionMemo } from '../stellar/network.ts';
import { accountOf } from '../stellar/treasury/batch.ts';
import type { Destinations } from '../stellar/treasury/destination.ts';
import type { OutgoingRow } from '../stellar/treasury/outgoing.store.ts';
import { type FailureCode, failure } from '../stellar/treasury/outgoing.ts';
import type { Submission } from '../stellar/treasury/treasury.ts';
import { buildSweep } from '../stellar/treasury/treasury-deps.ts';

/** What refunds on Stellar need. */
export interface StellarRefundDeps {
  readonly db: Db;
  readonly log: Log;
  readonly submission: Pick<Submission, 'queue' | 'find' | 'takeEnded'>;
  readonly destinations: Destinations;
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
      const isAnother = last === null || (last.state === 'failed' && last.attempt <= request.directions);
      if (!isAnother) return outcomeOf(last);
      if (isOwn(deps, request.destination)) return { state: 'failed', ...failure('own_account') };
      const queued = await queue(deps, request, request.directions + 1);
      deps.wake(buildSweep);
      return outcomeOf(queued);
    },
    objection: async ({ destination, asset, amount }) => {
      if (isOwn(deps, destination)) return failure('own_account');
      const money = { destination: destination.address, asset, amount, hasMemo: memoIn(destination) !== null };
      const problem = await deps.destinations.problem(money).catch(unavailable);
      return problem === null ? null : failure(problem);
    },
    isAddressFault: code => addressFaults.has(code),
    sweeps: [{ name: refundedSweep, everyMs: 1_000, run: () => tellEnded(deps) }],
  };
}

const addressFaults: ReadonlySet<string> = new Set<FailureCode>([
  'destination_missing',
  'no_trustline',
  'not_authorized',
  'account_limit_reached',
  'memo_required',
  'own_account',
]);

/** What the network cannot say now, in the words of the API, as the contract of chains promises. */
function unavailable(error: unknown): never {
  if (!(error instanceof StellarUnavailable)) throw error;
  throw new PayError('unavailable', 'The network cannot be asked right now. Try again in a minute.', {
    retryAfterSeconds: error.retryAfterSeconds ?? 60,
    cause: error,
  });
}

function isOwn({ treasury }: StellarRefundDeps, destination: CryptoRefundRequest['destination']): boolean {
  return accountOf(destination.address) === treasury;
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
