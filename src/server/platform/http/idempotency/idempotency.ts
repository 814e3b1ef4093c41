import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../../../api/schema.ts';
import { addSeconds, systemClock } from '../../../../core/clock.ts';
import { PayError } from '../../../../core/error.ts';
import { type Db, type Executor, transact } from '../../db/database.ts';
import { isDatabaseOutage } from '../../db/outage.ts';
import type { Secrets } from '../../secrets.ts';
import { callerOf } from '../access/caller.ts';
import { errorBody } from '../errors.ts';
import {
  type Claim,
  type ClaimedAnswer,
  type ClaimedKey,
  claimKey,
  deleteExpiredKeys,
  findCall,
  type IdempotencyScope,
  keepAnswers,
  keepUnclaimed,
  moveClaim,
  noteStarted,
  releaseKey,
} from './idempotency.store.ts';
import { idempotencyScope } from './idempotency-scope.ts';
import { type Answer, claimSeconds, type Execution, type Once, type RenderedAnswer } from './idempotent-execution.ts';

export type { IdempotencyScope } from './idempotency.store.ts';
export type { RenderedAnswer } from './idempotent-execution.ts';

/** Statuses of errors that come from executed work. A repeated call gets the same error. */
const executedStatuses: ReadonlySet<number> = new Set([402, 404, 409, 410, 424]);

/** Codes of conflicts that end without the caller's doing. A repetition runs again, so these are never stored. */
const passingCodes: ReadonlySet<string> = new Set([
  'payment_in_flight',
  'prompt_open',
  'payout_in_flight',
  'link_used',
  'no_liquidity',
]);

/** Whether a repeated call gets this error again. `link_used` passes while it answers 409, and stays once it is 410. */
function isOutcome({ status, code }: PayError): boolean {
  return executedStatuses.has(status) && !(status === 409 && passingCodes.has(code));
}

/**
 * The stored answer, or null. Throws for a key that another caller used, or that was used with another body, and for a
 * call that is still running. Another caller never gets the answer, because it may show what that caller may not read.
 * The answer of a bulk creation lacks the client secret, which is not stored. The caller adds it.
 */
export async function findAnswer(
  db: Executor,
  secrets: Pick<Secrets, 'open'>,
  scope: IdempotencyScope,
): Promise<RenderedAnswer | null> {
  const call = await findCall(db, scope);
  if (call === null) return null;
  if (call.caller !== null && call.caller !== scope.caller) {
    const message =
      'Another API key or person used this Idempotency-Key. Nothing was done. Repeat the request with the key that sent ' +
      'it first. If that key is gone, check whether its request succeeded, then use a new Idempotency-Key.';
    throw new PayError('idempotency_key_reused', message, { param: 'Idempotency-Key' });
  }
  if (!call.fingerprint.equals(scope.fingerprint)) {
    const message = 'This Idempotency-Key was used with another body. Use a new key for a new request.';
    throw new PayError('idempotency_key_reused', message, { param: 'Idempotency-Key' });
  }
  const { answer } = call;
  const text = answer?.text ?? (answer?.body && secrets.open(answer.body));
  if (answer === null || text == null) throw stillRunning();
  return { status: answer.status, location: answer.location, text };
}

/** The error of a call whose key another call has claimed. */
export function stillRunning(): PayError {
  const message =
    'The first request with this Idempotency-Key is still running. Ask again with the same key in a moment.';
  return new PayError('idempotency_in_progress', message, { param: 'Idempotency-Key', retryAfterSeconds: 1 });
}

/**
 * Sends an answer. A repeated answer has the header `Idempotent-Replayed`. The request log gets the reason of an error,
 * because stored errors do not pass through the error handler.
 */
export function sendAnswer(reply: FastifyReply, answer: RenderedAnswer, isReplayed = false): FastifyReply {
  if (executedStatuses.has(answer.status)) reply.request.refusal = (JSON.parse(answer.text) as ErrorBody).error;
  reply.code(answer.status).header('content-type', 'application/json; charset=utf-8');
  if (answer.location !== null) reply.header('location', answer.location);
  if (isReplayed) reply.header('idempotent-replayed', 'true');
  return reply.send(answer.text);
}

interface IdempotencyDeps {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  readonly publicUrl: () => string;
  /** Milliseconds between two renewals of a claim. Default: a third of `claimSeconds`. */
  readonly renewMs?: number;
}

/** Creates the function that runs POSTs at most once. */
export function createOnce(deps: IdempotencyDeps): Once {
  return async (request, reply, work, claims = 'first') => {
    const scope = idempotencyScope(request);
    const call = createCall(deps, scope);
    try {
      if (claims === 'first') call.hold(scope && (await claimKey(deps.db, scope, claimSeconds)));
      const answer = await work(call);
      const sent = call.committed() ?? ('text' in answer ? answer : await call.keep(deps.db, answer));
      return sendAnswer(reply, withDerived(reply, sent));
    } catch (error) {
      if (scope === null || call.committed() !== null) throw error;
      return await answerError(deps, scope, { request, reply, claim: call.claim(), error });
    } finally {
      call.end();
    }
  };
}

/** Renews the claim of a running call until the returned function ends it. */
function keepClaim({ db, renewMs = (claimSeconds * 1000) / 3 }: IdempotencyDeps, call: ClaimedKey): () => void {
  const renew = () => moveClaim(db, call, addSeconds(systemClock.now(), claimSeconds)).catch(() => undefined);
  const timer = setInterval(() => void renew(), renewMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Sends the answer of the call that claimed the key. */
async function replay({ db, secrets }: IdempotencyDeps, scope: IdempotencyScope, reply: FastifyReply) {
  const answer = await findAnswer(db, secrets, scope);
  // The call that claimed the key has released it a moment ago.
  if (answer === null) throw stillRunning();
  if (scope.shownOnce !== undefined && answer.status < 300) reply.header('pay-secret-omitted', scope.shownOnce);
  return sendAnswer(reply, withDerived(reply, answer), true);
}

/** A successful answer with the fields that the route derives (`derives`). */
function withDerived({ request }: FastifyReply, answer: RenderedAnswer): RenderedAnswer {
  const { derives } = request.routeOptions.config;
  if (derives === undefined || answer.status >= 300) return answer;
  const body = JSON.parse(answer.text) as { readonly id: string };
  return { ...answer, text: JSON.stringify({ ...body, ...derives(body, callerOf(request)) }) };
}

/** Another call has claimed the key. The caller gets that call's answer. */
class KeyTaken extends Error {}

interface Call extends Execution {
  readonly claim: () => Claim | null;
  /** The answer that `commit` has stored, or null. */
  readonly committed: () => RenderedAnswer | null;
  /** Stores an answer. Throws if another call has claimed the key. */
  readonly keep: (db: Executor, answer: Answer) => Promise<RenderedAnswer>;
  readonly end: () => void;
}

function createCall(deps: IdempotencyDeps, scope: IdempotencyScope | null): Call {
  let claim: Claim | null = null;
  let committed: RenderedAnswer | null = null;
  let end = () => {};
  const render: Execution['render'] = answer => {
    const sent = rendered(answer);
    const kept = scope && claim && { scope, claim, answer: keptOf(deps.secrets, scope, answer, sent) };
    return { sent, kept };
  };
  const keep: Call['keep'] = async (db, answer) => {
    const { sent, kept } = render(answer);
    if (kept !== null) {
      if (!(await keepAnswers(db, [kept]))[0]) throw stillRunning();
    } else if (scope !== null) {
      if (!(await keepUnclaimed(db, { scope, answer: keptOf(deps.secrets, scope, answer, sent) })))
        throw new KeyTaken();
    }
    return sent;
  };
  return {
    claim: () => claim,
    committed: () => committed,
    keep,
    render,
    end: () => end(),
    get unclaimed() {
      return claim === null ? scope : null;
    },
    get resumedId() {
      return claim?.startedId ?? null;
    },
    hold: held => {
      if (scope === null) return;
      if (held === null) throw new KeyTaken();
      claim = held;
      end();
      end = keepClaim(deps, { scope, claim: held });
    },
    started: async (tx, id) => {
      if (scope !== null && claim !== null && !(await noteStarted(tx, { scope, claim }, id))) throw stillRunning();
    },
    commit: async effect => {
      const [answer, sent] = await transact(deps.db, async tx => {
        const answer = await effect(tx);
        return [answer, await keep(tx, answer)] as const;
      });
      committed = sent;
      return answer;
    },
  };
}

interface FailedCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The call's claim, or null before its first write. */
  readonly claim: Claim | null;
  readonly error: unknown;
}

/**
 * Answers a call that failed. If the key is taken, sends its stored answer. Stores and sends the error of an executed
 * call. After other errors, releases the key and throws the error.
 */
async function answerError(
  deps: IdempotencyDeps,
  scope: IdempotencyScope,
  { request, reply, claim: held, error }: FailedCall,
): Promise<FastifyReply> {
  if (error instanceof KeyTaken) return await replay(deps, scope, reply);
  if (held === null && isDatabaseOutage(error)) throw error;
  const claim = held ?? (await claimKey(deps.db, scope, claimSeconds));
  if (claim === null) return await replay(deps, scope, reply);
  const call = { scope, claim };
  if (!(error instanceof PayError && isOutcome(error))) {
    await giveBack(deps, call, error);
    throw error;
  }
  const answer = { status: error.status, body: errorBody(error, request.id, deps.publicUrl()) };
  const sent = rendered(answer);
  const [isKept] = await keepAnswers(deps.db, [{ ...call, answer: keptOf(deps.secrets, scope, answer, sent) }]);
  if (!isKept) throw stillRunning();
  return sendAnswer(reply, sent);
}

function keptOf(
  { seal }: Pick<Secrets, 'seal'>,
  { shownOnce }: IdempotencyScope,
  { resourceId, body }: Answer,
  { status, location, text }: RenderedAnswer,
): ClaimedAnswer['answer'] {
  const stored = shownOnce === undefined ? text : JSON.stringify({ ...(body as object), [shownOnce]: undefined });
  return { status, location, body: seal(stored), resourceId: resourceId ?? null };
}

function rendered({ status, location, body }: Answer): RenderedAnswer {
  return { status, location: location ?? null, text: JSON.stringify(body) };
}

/**
 * Tries to release the claim. A refused request leaves no trace. After a failure, the key still names the attempt that
 * the call may have started. During a database outage, the caller does not wait for this, because the claim ends after
 * `claimSeconds`.
 */
async function giveBack({ db }: IdempotencyDeps, call: ClaimedKey, error: unknown): Promise<void> {
  const isRefused = error instanceof PayError && error.status < 500;
  const release = isRefused ? releaseKey(db, call) : moveClaim(db, call, systemClock.now());
  const released = release.catch(() => undefined);
  if (!isDatabaseOutage(error)) await released;
}

/** Deletes expired answers in batches. Returns their number. */
export async function sweepIdempotencyKeys(db: Db): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteExpiredKeys(db, 1000);
    total += deleted;
    if (deleted < 1000) return total;
  }
}
