import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../../../api/schema.ts';
import { addSeconds, systemClock } from '../../../../core/clock.ts';
import { PayError } from '../../../../core/error.ts';
import { type Db, type Executor, type Tx, transact } from '../../db/database.ts';
import { createGroupWriter } from '../../db/group-writer.ts';
import { isDatabaseOutage } from '../../db/outage.ts';
import type { Secrets } from '../../secrets.ts';
import { errorBody } from '../errors.ts';
import {
  type Claim,
  type ClaimedAnswer,
  type ClaimedKey,
  claimKeys,
  deleteExpiredKeys,
  findCall,
  type IdempotencyScope,
  keepAnswers,
  keepUnclaimed,
  moveClaim,
  nameOfKey,
  noteStarted,
  releaseKey,
} from './idempotency.store.ts';
import { idempotencyScope } from './idempotency-scope.ts';
import {
  type Answer,
  claimSeconds,
  type Execution,
  type GroupedCall,
  type Once,
  type OnceGrouped,
  type OnceInTransaction,
  type RenderedAnswer,
} from './idempotent-execution.ts';

export type { IdempotencyScope } from './idempotency.store.ts';
export type { RenderedAnswer } from './idempotent-execution.ts';

/** Statuses of errors that come from executed work. A repeated call gets the same error. */
const executedStatuses: ReadonlySet<number> = new Set([402, 404, 409, 410, 424]);

/** Codes of conflicts that end without the caller's doing. A repetition runs again, so these are never stored. */
const passingCodes: ReadonlySet<string> = new Set(['payment_in_flight', 'payout_in_flight', 'link_used']);

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

/** Creates the functions that run POSTs at most once. */
export function createCalls(idempotency: IdempotencyDeps): {
  readonly once: Once;
  readonly onceGrouped: OnceGrouped;
  readonly onceInTransaction: OnceInTransaction;
} {
  const deps = { ...idempotency, ...createKeyWriter(idempotency) };
  return {
    once: createOnce(deps),
    onceGrouped: createOnceGrouped(deps),
    onceInTransaction: createOnceInTransaction(deps),
  };
}

/** Claims keys, and stores answers outside the transactions of calls. Concurrent calls share commits. */
function createKeyWriter({ db }: IdempotencyDeps) {
  const limits = { maxBatch: 64, maxParallel: 2 };
  const claims = createGroupWriter<IdempotencyScope, Claim | null>({
    ...limits,
    keyOf: nameOfKey,
    write: scopes => claimKeys(db, scopes, claimSeconds),
  });
  const answers = createGroupWriter<ClaimedAnswer, boolean>({
    ...limits,
    keyOf: ({ scope }) => nameOfKey(scope),
    write: batch => keepAnswers(db, batch),
  });
  return { claim: claims.write, store: answers.write };
}

type CallDeps = IdempotencyDeps & ReturnType<typeof createKeyWriter>;

function createOnce(deps: CallDeps): Once {
  return async (request, reply, work) => {
    const scope = idempotencyScope(request);
    if (scope === null) {
      const commit: Execution['commit'] = effect => transact(deps.db, effect);
      const answer = await work({ resumedId: null, started: async () => undefined, commit });
      return sendAnswer(reply, rendered(answer));
    }
    const claim = await deps.claim(scope);
    if (claim === null) return await replay(deps, scope, reply);
    const stopRenewing = keepClaim(deps, { scope, claim });
    try {
      return sendAnswer(reply, await runClaimed(deps, { scope, claim }, request, work));
    } finally {
      stopRenewing();
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
  return sendAnswer(reply, answer, true);
}

class KeyTaken extends Error {}

/** The error of a write whose key another call has claimed. The caller gets that call's answer. */
export function keyTaken(): Error {
  return new KeyTaken();
}

function createOnceGrouped(deps: CallDeps): OnceGrouped {
  return async (request, reply, work) => {
    const scope = idempotencyScope(request);
    const call = createGroupedCall(deps, scope);
    try {
      return sendAnswer(reply, await work(call));
    } catch (error) {
      return await answerUnfinished(deps, { scope, claim: call.claim() }, request, reply, error);
    } finally {
      call.end();
    }
  };
}

function createOnceInTransaction(deps: CallDeps): OnceInTransaction {
  return async (request, reply, prepare) => {
    const scope = idempotencyScope(request);
    try {
      const effect = await prepare();
      const sent = await transact(deps.db, async tx => {
        const answer = await effect(tx);
        const sent = rendered(answer);
        const kept = scope && { scope, answer: keptOf(deps.secrets, scope, answer, sent) };
        if (kept !== null && !(await keepUnclaimed(tx, kept))) throw keyTaken();
        return sent;
      });
      return sendAnswer(reply, sent);
    } catch (error) {
      return await answerUnfinished(deps, { scope, claim: null }, request, reply, error);
    }
  };
}

/** Answers a call that failed, perhaps before it claimed its key: with the key's stored answer, or with the error. */
async function answerUnfinished(
  deps: CallDeps,
  { scope, claim: held }: { readonly scope: IdempotencyScope | null; readonly claim: Claim | null },
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  if (scope === null) throw error;
  const isUnclaimed = held === null && !(error instanceof KeyTaken);
  if (isUnclaimed && isDatabaseOutage(error)) throw error;
  const claim = isUnclaimed ? await deps.claim(scope) : held;
  if (claim === null) return await replay(deps, scope, reply);
  return sendAnswer(reply, await answerError(deps, { scope, claim }, request, error));
}

function createGroupedCall({ secrets, ...deps }: CallDeps, scope: IdempotencyScope | null) {
  let claim: Claim | null = null;
  let end = () => {};
  const hold = (held: Claim | null) => {
    if (scope !== null && held === null) throw keyTaken();
    claim = held;
    end();
    if (scope !== null && held !== null) end = keepClaim({ secrets, ...deps }, { scope, claim: held });
  };
  return {
    claim: () => claim,
    end: () => end(),
    get unclaimed() {
      return claim === null ? scope : null;
    },
    claimFirst: async () => hold(scope && (await deps.claim(scope))),
    hold,
    started: async (tx: Tx, id: string) => {
      if (scope !== null && claim !== null && !(await noteStarted(tx, { scope, claim }, id))) throw stillRunning();
    },
    render: (answer: Answer) => {
      const sent = rendered(answer);
      const kept =
        scope === null || claim === null ? null : { scope, claim, answer: keptOf(secrets, scope, answer, sent) };
      return { sent, kept };
    },
    renderOnce: (answer: Answer) => {
      const sent = rendered(answer);
      return { sent, kept: scope && { scope, answer: keptOf(secrets, scope, answer, sent) } };
    },
  } satisfies GroupedCall & { readonly claim: () => Claim | null; readonly end: () => void };
}

async function runClaimed(
  deps: CallDeps,
  call: ClaimedKey,
  request: FastifyRequest,
  work: (execution: Execution) => Promise<Answer>,
): Promise<RenderedAnswer> {
  let committed: RenderedAnswer | null = null;
  const commit: Execution['commit'] = async effect => {
    const [answer, kept] = await transact(deps.db, async tx => {
      const answer = await effect(tx);
      return [answer, await keep(deps, kept => keepInside(tx, kept), call, answer)] as const;
    });
    committed = kept;
    return answer;
  };
  try {
    const started: Execution['started'] = async (tx, id) => {
      if (!(await noteStarted(tx, call, id))) throw stillRunning();
    };
    const answer = await work({ resumedId: call.claim.startedId, started, commit });
    return committed ?? (await keep(deps, deps.store, call, answer));
  } catch (error) {
    if (committed !== null) throw error;
    return await answerError(deps, call, request, error);
  }
}

/** Stores the error of an executed call as its answer. After other errors, releases the key and throws the error. */
async function answerError(
  deps: CallDeps,
  call: ClaimedKey,
  request: FastifyRequest,
  error: unknown,
): Promise<RenderedAnswer> {
  if (error instanceof PayError && isOutcome(error)) {
    const body = errorBody(error, request.id, deps.publicUrl());
    return await keep(deps, deps.store, call, { status: error.status, body });
  }
  await giveBack(deps, call, error);
  throw error;
}

/** Stores the answer for repetitions of the call. Returns exactly the stored text. */
async function keep(
  { secrets }: IdempotencyDeps,
  store: CallDeps['store'],
  call: ClaimedKey,
  answer: Answer,
): Promise<RenderedAnswer> {
  const sent = rendered(answer);
  if (!(await store({ ...call, answer: keptOf(secrets, call.scope, answer, sent) }))) throw stillRunning();
  return sent;
}

/** Stores an answer in the transaction of its effect. */
async function keepInside(tx: Tx, answer: ClaimedAnswer): Promise<boolean> {
  const [isKept = false] = await keepAnswers(tx, [answer]);
  return isKept;
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
