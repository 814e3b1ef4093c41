import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../../../api/schema.ts';
import { PayError } from '../../../../core/error.ts';
import { type Db, type Executor, type Tx, transact } from '../../db/database.ts';
import { createGroupWriter } from '../../db/group-writer.ts';
import { isDatabaseOutage } from '../../db/outage.ts';
import type { Secrets } from '../../secrets.ts';
import { type Caller, callerOf, pathOf, scopeOf } from '../access/caller.ts';
import { visitorOf } from '../access/visitor.ts';
import { errorBody } from '../errors.ts';
import { canonicalJson } from './canonical-json.ts';
import {
  type Claim,
  type ClaimedAnswer,
  claimKeys,
  deleteExpiredKeys,
  findCall,
  type IdempotencyScope,
  keepAnswers,
  keepUnclaimed,
  nameOfKey,
  releaseKey,
} from './idempotency.store.ts';
import {
  type Answer,
  answerSeconds,
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

/**
 * The scope in which the answer is stored, or null without an `Idempotency-Key`. Throws PayError
 * `invalid_idempotency_key`.
 */
export function idempotencyScope(request: FastifyRequest): IdempotencyScope | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key) || key.trim() === '') {
    throw new PayError('invalid_idempotency_key', 'Idempotency-Key takes 1 to 255 printable ASCII characters.', {
      param: 'Idempotency-Key',
    });
  }
  const caller = callerOf(request);
  const path = credentialPrefix(caller, request) + routeOf(request);
  const { keepsAnswersDays: days } = request.routeOptions.config;
  return {
    ...{ ...scopeOf(caller), path, key, fingerprint: fingerprintOf(request) },
    ...(days !== undefined && { keptSeconds: days * secondsADay }),
  };
}

const secondsADay = 86_400;

/** The decoded path in one spelling, because the router treats `/v1/%70ayments` like `/v1/payments`. */
function routeOf(request: FastifyRequest): string {
  const path = pathOf(request);
  if (!path.includes('%')) return path;
  return path
    .split('/')
    .map(part => encodeURIComponent(decodeURIComponent(part)))
    .join('/');
}

/** SHA-256 of method, path and body. JSON bodies are compared as values, so the order of keys does not matter. */
function fingerprintOf(request: FastifyRequest): Buffer {
  const hash = createHash('sha256').update(`${request.method} ${routeOf(request)}\n`);
  const { rawBody } = request;
  if (rawBody === null) return hash.digest();
  return hash.update(request.hasJsonBody ? canonicalJson(JSON.parse(rawBody.toString('utf8'))) : rawBody).digest();
}

/**
 * A prefix of the path. It separates the keys of each payer and visitor from those of the merchant's server, because
 * answers may contain secrets. Visitors with a publishable key or a link's id are identified by network and browser. A
 * repetition from another network creates a second payment, which is harmless unless it is paid.
 */
function credentialPrefix({ kind, keyId, paymentId }: Caller, request: FastifyRequest): string {
  if (kind === 'secret') return '';
  if (kind === 'payer') return `${kind} ${paymentId} `;
  const visitor = createHash('sha256').update(visitorOf(request).browser).digest('base64url').slice(0, 22);
  return `${kind} ${keyId} ${visitor} `;
}

/**
 * The stored answer, or null. Throws for a key that was used with another body, and for a call that is still running.
 * The answer of a bulk creation lacks the client secret, which is not stored. The caller adds it.
 */
export async function findAnswer(
  db: Executor,
  secrets: Pick<Secrets, 'open'>,
  scope: IdempotencyScope,
): Promise<RenderedAnswer | null> {
  const call = await findCall(db, scope);
  if (call === null) return null;
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
    ...{ ...limits, keyOf: nameOfKey },
    write: scopes => claimKeys(db, scopes, answerSeconds),
  });
  const answers = createGroupWriter<ClaimedAnswer, boolean>({
    ...{ ...limits, keyOf: ({ scope }) => nameOfKey(scope) },
    write: batch => keepAnswers(db, batch),
  });
  return { claim: claims.write, store: answers.write };
}

type CallDeps = IdempotencyDeps & ReturnType<typeof createKeyWriter>;

function createOnce(deps: CallDeps): Once {
  return async (request, reply, work) => {
    const scope = idempotencyScope(request);
    if (scope === null) {
      const answer = await work({ commit: effect => transact(deps.db, effect) });
      return sendAnswer(reply, rendered(answer));
    }
    const claim = await deps.claim(scope);
    if (claim !== null) return sendAnswer(reply, await runClaimed(deps, { scope, claim }, request, work));
    return await replay(deps, scope, reply);
  };
}

/** Sends the answer of the call that claimed the key. */
async function replay({ db, secrets }: IdempotencyDeps, scope: IdempotencyScope, reply: FastifyReply) {
  const answer = await findAnswer(db, secrets, scope);
  // The call that claimed the key has released it a moment ago.
  if (answer === null) throw stillRunning();
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
        const kept = scope && { scope, answer: keptOf(deps.secrets, answer, sent) };
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
  const hold = (held: Claim | null) => {
    if (scope !== null && held === null) throw keyTaken();
    claim = held;
  };
  return {
    claim: () => claim,
    get unclaimed() {
      return claim === null ? scope : null;
    },
    claimFirst: async () => hold(scope && (await deps.claim(scope))),
    hold,
    render: (answer: Answer) => {
      const sent = rendered(answer);
      const kept = scope === null || claim === null ? null : { scope, claim, answer: keptOf(secrets, answer, sent) };
      return { sent, kept };
    },
    renderOnce: (answer: Answer) => {
      const sent = rendered(answer);
      return { sent, kept: scope && { scope, answer: keptOf(secrets, answer, sent) } };
    },
  } satisfies GroupedCall & { readonly claim: () => Claim | null };
}

interface ClaimedCall {
  readonly scope: IdempotencyScope;
  readonly claim: Claim;
}

async function runClaimed(
  deps: CallDeps,
  call: ClaimedCall,
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
    const answer = await work({ commit });
    return committed ?? (await keep(deps, deps.store, call, answer));
  } catch (error) {
    if (committed !== null) throw error;
    return await answerError(deps, call, request, error);
  }
}

/** Stores the error of an executed call as its answer. After other errors, releases the key and throws the error. */
async function answerError(
  deps: CallDeps,
  call: ClaimedCall,
  request: FastifyRequest,
  error: unknown,
): Promise<RenderedAnswer> {
  if (error instanceof PayError && executedStatuses.has(error.status)) {
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
  call: ClaimedCall,
  answer: Answer,
): Promise<RenderedAnswer> {
  const sent = rendered(answer);
  if (!(await store({ ...call, answer: keptOf(secrets, answer, sent) }))) throw stillRunning();
  return sent;
}

/** Stores an answer in the transaction of its effect. */
async function keepInside(tx: Tx, answer: ClaimedAnswer): Promise<boolean> {
  const [isKept = false] = await keepAnswers(tx, [answer]);
  return isKept;
}

function keptOf(
  { seal }: Pick<Secrets, 'seal'>,
  { resourceId }: Answer,
  { status, location, text }: RenderedAnswer,
): ClaimedAnswer['answer'] {
  return { status, location, body: seal(text), resourceId: resourceId ?? null };
}

function rendered({ status, location, body }: Answer): RenderedAnswer {
  return { status, location: location ?? null, text: JSON.stringify(body) };
}

/**
 * Tries to release the claim. During a database outage, the caller does not wait for this, because the claim ends after
 * `answerSeconds`.
 */
async function giveBack({ db }: IdempotencyDeps, { scope, claim }: ClaimedCall, error: unknown): Promise<void> {
  const released = releaseKey(db, scope, claim).catch(() => undefined);
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
