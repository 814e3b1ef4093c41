import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PayError } from '../../../../core/error.ts';
import type { Db, Executor } from '../../db/database.ts';
import type { Secrets } from '../../secrets.ts';
import { type Caller, callerOf, pathOf } from '../access/caller.ts';
import { visitorOf } from '../access/visitor.ts';
import { errorText } from '../errors.ts';
import { isDatabaseOutage } from '../outage.ts';
import {
  claimKey,
  deleteExpiredKeys,
  findKey,
  type IdempotencyScope,
  type Lease,
  releaseKey,
  rememberAnswer,
  type SealedAnswer,
} from './idempotency.store.ts';
import type { Answer, Once } from './idempotent-execution.ts';

export type { IdempotencyScope } from './idempotency.store.ts';

/** An answer as it goes over the wire. */
export interface RenderedAnswer {
  readonly status: number;
  readonly location: string | null;
  /** The body's JSON text. */
  readonly text: string;
}

/** What is known of a call: never seen, still running, seen with another body, or answered. */
export type Remembered =
  | { readonly state: 'none' | 'running' | 'reused' }
  | { readonly state: 'answered'; readonly answer: RenderedAnswer; readonly resourceId: string | null };

/** Errors that come from doing the work, not from asking wrongly: repeating the call repeats them. */
const executedStatuses: ReadonlySet<number> = new Set([402, 404, 409, 410, 424]);

/** A call that says nothing for this long has crashed; a retry takes over. Longer than any outside call may take. */
const leaseSeconds = 40;

/** SHA-256 of method, path and the body's bytes. */
function fingerprintOf(request: FastifyRequest): Buffer {
  const hash = createHash('sha256').update(`${request.method} ${pathOf(request)}\n`);
  return (request.rawBody === null ? hash : hash.update(request.rawBody)).digest();
}

/** What the request is remembered under, or null without an `Idempotency-Key`. Throws PayError `invalid_idempotency_key`. */
export function idempotencyScope(request: FastifyRequest): IdempotencyScope | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key) || key.trim() === '') {
    throw new PayError('invalid_idempotency_key', 'Idempotency-Key takes 1 to 255 printable ASCII characters.', {
      param: 'Idempotency-Key',
    });
  }
  const caller = callerOf(request);
  const path = credentialPrefix(caller, request) + pathOf(request);
  return { merchantId: caller.merchant.id, livemode: caller.livemode, path, key, fingerprint: fingerprintOf(request) };
}

/**
 * Keeps browsers out of the keys of the merchant's server, and out of each other's payments: what a secret key was
 * answered is more than a payer may see, and a page must not be able to take a key before the server does. Guests of a
 * link show no credential, and a publishable key is everybody's: each is known by network and browser. One who repeats a
 * call from another network makes another payment, which costs nobody anything until it is paid.
 */
function credentialPrefix({ kind, keyId, paymentId }: Caller, request: FastifyRequest): string {
  if (kind === 'secret') return '';
  if (kind === 'payer') return `${kind} ${paymentId} `;
  return `${kind} ${keyId} ${guestOf(request)} `;
}

function guestOf(request: FastifyRequest): string {
  return createHash('sha256').update(visitorOf(request).browser).digest('base64url').slice(0, 22);
}

/** Looks the call up. Costs one indexed read. An answer that was kept without its secret comes without it. */
export async function readRemembered(db: Executor, secrets: Secrets, scope: IdempotencyScope): Promise<Remembered> {
  const row = await findKey(db, scope);
  if (row === null) return { state: 'none' };
  if (!row.fingerprint.equals(scope.fingerprint)) return { state: 'reused' };
  const text = row.text ?? (row.body && secrets.open(row.body));
  if (row.status === null || text === null) return { state: row.running ? 'running' : 'none' };
  return {
    state: 'answered',
    answer: { status: row.status, location: row.location, text },
    resourceId: row.resourceId,
  };
}

/** The error of a call that may not run now: its key is running elsewhere, or stands for another body. */
export function refusedRepeat(state: 'none' | 'running' | 'reused'): PayError {
  return state === 'reused'
    ? new PayError(
        'idempotency_key_reused',
        'This Idempotency-Key was used with another body. Use a new key for a new request.',
        { param: 'Idempotency-Key' },
      )
    : new PayError(
        'idempotency_in_progress',
        'The first request with this Idempotency-Key is still running. Ask again with the same key in a moment.',
        { param: 'Idempotency-Key', retryAfterSeconds: 1 },
      );
}

/** The answer as wire text. The text that is sent is the text that is kept. */
export function renderAnswer(answer: Answer): RenderedAnswer {
  return { status: answer.status, location: answer.location ?? null, text: JSON.stringify(answer.body) };
}

/** The columns of `idempotency_keys` that keep an answer. */
function sealAnswer(secrets: Secrets, rendered: RenderedAnswer, resourceId: string | null): SealedAnswer {
  return { status: rendered.status, location: rendered.location, body: secrets.seal(rendered.text), resourceId };
}

/** Sends an answer; a replay says so in `Idempotent-Replayed`. */
export function sendAnswer(
  reply: FastifyReply,
  answer: RenderedAnswer,
  options: { replayed?: boolean } = {},
): FastifyReply {
  reply.code(answer.status).header('content-type', 'application/json; charset=utf-8');
  if (answer.location !== null) reply.header('location', answer.location);
  if (options.replayed === true) reply.header('idempotent-replayed', 'true');
  return reply.send(answer.text);
}

/** What `Once` needs. */
export interface IdempotencyDeps {
  readonly db: Db;
  readonly secrets: Secrets;
  readonly publicUrl: () => string;
}

/** Makes the `Once` of the service. */
export function createOnce(deps: IdempotencyDeps): Once {
  return async (request, reply, work) => {
    const scope = idempotencyScope(request);
    if (scope === null) {
      const answer = await work({ commit: effect => deps.db.transaction().execute(effect) });
      return sendAnswer(reply, renderAnswer(answer));
    }
    const lease = await claimKey(deps.db, scope, leaseSeconds);
    if (lease === null) {
      const remembered = await readRemembered(deps.db, deps.secrets, scope);
      if (remembered.state !== 'answered') throw refusedRepeat(remembered.state);
      return sendAnswer(reply, remembered.answer, { replayed: true });
    }
    return sendAnswer(reply, await runOnce(deps, { scope, lease }, request, work));
  };
}

type Work = Parameters<Once>[2];

interface Claim {
  readonly scope: IdempotencyScope;
  readonly lease: Lease;
}

async function runOnce(
  deps: IdempotencyDeps,
  claim: Claim,
  request: FastifyRequest,
  work: Work,
): Promise<RenderedAnswer> {
  const keep = async (executor: Executor, rendered: RenderedAnswer, resourceId: string | null) => {
    const sealed = sealAnswer(deps.secrets, rendered, resourceId);
    if (!(await rememberAnswer(executor, claim.scope, claim.lease, sealed))) throw refusedRepeat('running');
    return rendered;
  };
  let committed: RenderedAnswer | null = null;
  try {
    const answer = await work({
      commit: async effect => {
        const [answer, rendered] = await deps.db.transaction().execute(async tx => {
          const answer = await effect(tx);
          return [answer, await keep(tx, renderAnswer(answer), answer.resourceId ?? null)] as const;
        });
        committed = rendered;
        return answer;
      },
    });
    return committed ?? (await keep(deps.db, renderAnswer(answer), answer.resourceId ?? null));
  } catch (error) {
    if (committed === null && error instanceof PayError && executedStatuses.has(error.status)) {
      const text = errorText(error, request.id, deps.publicUrl());
      return await keep(deps.db, { status: error.status, location: null, text }, null);
    }
    if (committed === null) await letGo(deps, claim, error);
    throw error;
  }
}

/** Best effort: where the database is away, nobody waits for it once more, and the lease runs out by itself. */
async function letGo(deps: IdempotencyDeps, claim: Claim, error: unknown): Promise<void> {
  const released = releaseKey(deps.db, claim.scope, claim.lease).catch(() => undefined);
  if (!isDatabaseOutage(error)) await released;
}

/** Deletes answers older than 24 hours, in batches. Returns how many went; the sweeper calls it now and then. */
export async function sweepIdempotencyKeys(db: Db): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteExpiredKeys(db, 1000);
    total += deleted;
    if (deleted < 1000) return total;
  }
}
