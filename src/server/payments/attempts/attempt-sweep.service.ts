import { createFailingWork } from '../../platform/jobs/failing-work.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import { claimAtRails } from '../payment.store.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { type AttemptRow, dueAttempts, moveAttempt } from './attempt.store.ts';
import type { Acting } from './attempt.ts';
import { attemptSweep, followAttempt, newsOf } from './attempt-follow.service.ts';
import { type AttemptWriter, createAttemptWriter } from './attempt-writer.ts';

/**
 * Attempts that one claim reads. A rail with as many unanswered queries is asked about no more, so a rail has at most
 * twice as many queries under way.
 */
const mostAtOnce = 32;

/**
 * Queries the rails about attempts that are due. `run` does not wait for the answers: a rail or an attempt without an
 * answer delays no other. Outcomes that arrive at the same time share a commit.
 */
export function createAttemptSweep(deps: PaymentDeps): Sweep {
  const running = new Map<string, Running>();
  const writer = createAttemptWriter(deps);
  const failing = createFailingWork();

  async function follow(attempt: AttemptRow, acting: Promise<Acting>): Promise<void> {
    const { id, rail } = attempt;
    try {
      await (isOpenPrompt(attempt) ? followPrompt(deps, writer, await acting, attempt) : followAttempt(deps, attempt));
      failing.succeeded(id);
    } catch (err) {
      failing.failed(id);
      deps.log.error({ err, rail, attempt: id }, 'an attempt could not be followed and will be tried again');
    } finally {
      const wasBusy = queriesOf(running, rail) >= mostAtOnce;
      running.delete(id);
      if (wasBusy) deps.wake(attemptSweep);
    }
  }

  return {
    name: attemptSweep,
    due: [dueAttempts],
    failing: failing.seconds,
    run: async () => {
      const due = await claimIdle(deps, running);
      const actingFor = createActing(deps);
      for (const attempt of due) {
        // A query may outlast its lease. The attempt is then claimed again, and the query still runs.
        if (running.has(attempt.id)) continue;
        running.set(attempt.id, { rail: attempt.rail, done: follow(attempt, actingFor(attempt)) });
      }
      return due.length;
    },
    settled: async () => void (await Promise.all([...running.values()].map(({ done }) => done))),
  };
}

interface Running {
  readonly rail: string;
  readonly done: Promise<void>;
}

function queriesOf(running: ReadonlyMap<string, Running>, rail: string): number {
  return [...running.values()].filter(each => each.rail === rail).length;
}

/** Claims due attempts of the rails that answer. Cards and phones have a claim each. */
async function claimIdle(
  { db, clock, rails }: PaymentDeps,
  running: ReadonlyMap<string, Running>,
): Promise<AttemptRow[]> {
  const claims = [rails.cards, rails.phones].map(async of => {
    const idle = of.map(({ id }) => id).filter(rail => queriesOf(running, rail) < mostAtOnce);
    if (idle.length === 0) return [];
    const request = { rails: [...new Set(idle)], now: clock.now(), limit: mostAtOnce };
    return await claimAtRails<AttemptRow>(db, dueAttempts, request);
  });
  return (await Promise.all(claims)).flat();
}

function isOpenPrompt({ method, state }: AttemptRow): boolean {
  return method === 'mobile_money' && state !== 'abandoned' && state !== 'declined';
}

/** Reads each merchant of a batch once. */
function createActing({ findMerchant, clock }: PaymentDeps): (attempt: AttemptRow) => Promise<Acting> {
  const merchants = new Map<string, Promise<Merchant>>();
  return async ({ merchant_id: id, livemode }) => {
    const finding = merchants.get(id) ?? findMerchant(id);
    merchants.set(id, finding);
    const merchant = await finding;
    return { merchant, now: merchantNow(merchant, livemode, clock.now()) };
  };
}

/** Queries the operator about an open prompt, and books its outcome. */
async function followPrompt(
  deps: PaymentDeps,
  writer: AttemptWriter,
  acting: Acting,
  attempt: AttemptRow,
): Promise<void> {
  const news = await newsOf(deps, acting, attempt, false);
  if ('askAt' in news) await moveAttempt(deps.db, attempt, news.askAt);
  else await writer.book({ acting, attempt, outcome: news });
}
