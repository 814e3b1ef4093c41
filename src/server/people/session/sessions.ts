import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { newId, randomText } from '../../../core/id.ts';
import type { Db, Executor } from '../../platform/db/database.ts';
import type { Live } from '../../platform/events/live.ts';
import { networkOf } from '../../platform/http/access/rate-limit.ts';
import type { OpenSession, Sessions } from '../../platform/http/access/session-access.ts';
import type { WatchCredential } from '../../platform/http/sse.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { hashKey, type Secrets } from '../../platform/secrets.ts';
import { findOpenSession, insertSession, topicOfSession, touchSession } from './session.store.ts';

const hourMs = 3_600_000;
/** Milliseconds without a request after which a session ends. */
const idleMs = 7 * 24 * hourMs;
/** Maximum lifetime of a session in milliseconds, however often it is used. */
const longestMs = 30 * 24 * hourMs;
/** Minimum milliseconds between two records of a session's use. */
const touchEveryMs = 300_000;

/** Lifetime of the cookie in seconds. The server may end the session earlier. */
export const cookieSeconds = longestMs / 1000;

export interface SessionDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'csrfToken'>;
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
}

/** Creates the directory of sessions. It reads the database at each request, so an ended session is refused at once. */
export function createSessions({ db, clock, secrets, findMerchant }: SessionDeps): Sessions {
  return {
    open: async (token, merchantId): Promise<OpenSession | null> => {
      const now = clock.now();
      const found = await findOpenSession(db, hashKey(token), merchantId, now);
      if (found === null) return null;
      const merchant = await findMerchant(found.merchant_id);
      if (merchant === null || (merchantId !== null && found.merchant_id !== merchantId)) throw noSuchMerchant();
      if (now.getTime() - found.last_seen_at.getTime() >= touchEveryMs) {
        await touchSession(db, found, now, endOf(found.created_at, now));
      }
      const { id, person_id: personId, is_operator: isOperator, role } = found;
      return { id, personId, isOperator, role, merchant };
    },
    csrfToken: secrets.csrfToken,
  };
}

/** Milliseconds between two checks of an open stream. They find expired sessions, which cause no notice. */
const checkMs = 5_000;

/**
 * Creates the watch that ends the streams of a signed-in person. They end at once when the session is deleted, also by
 * the person's removal from the team. They end within seconds when the session expires.
 */
export function createSessionWatch(deps: Pick<SessionDeps, 'db' | 'clock'> & { readonly live: Live }): WatchCredential {
  return (request, close) => {
    const session = request.caller?.person;
    if (session === undefined) return () => undefined;
    const check = async () => {
      // A failed check counts as open and is repeated, because the database may be unreachable for a moment.
      if (!(await isSessionOpen(deps, request).catch(() => true))) close();
    };
    const timer = setInterval(() => void check(), checkMs);
    const unsubscribe = deps.live.subscribe(topicOfSession(session.id), () => void check());
    return () => {
      clearInterval(timer);
      unsubscribe();
    };
  };
}

/** Whether the session of an earlier request is open, and its person still belongs to the merchant. */
async function isSessionOpen(
  { db, clock }: Pick<SessionDeps, 'db' | 'clock'>,
  { caller }: Pick<FastifyRequest, 'caller'>,
): Promise<boolean> {
  const merchantId = caller?.merchant.id ?? '';
  const found = await findOpenSession(db, hashKey(caller?.person?.token ?? ''), merchantId, clock.now());
  return found?.merchant_id === merchantId;
}

/** When a session ends if it is used now. */
function endOf(createdAt: Date, now: Date): Date {
  return new Date(Math.min(now.getTime() + idleMs, createdAt.getTime() + longestMs));
}

function noSuchMerchant(): PayError {
  return new PayError('resource_missing', 'You have no merchant with this id.', { param: 'Pay-Merchant' });
}

/** Starts a session of the person. Returns its id, and the token for the cookie. Only the token's hash is stored. */
export async function startSession(db: Executor, personId: string, request: FastifyRequest, now: Date) {
  const token = randomText(43);
  const id = newId('session');
  await insertSession(db, {
    id,
    hash: hashKey(token),
    person_id: personId,
    network: networkOf(request.ip),
    user_agent: (request.headers['user-agent'] ?? '').slice(0, 300),
    created_at: now,
    last_seen_at: now,
    expires_at: endOf(now, now),
    confirmed_at: now,
  });
  return { id, token };
}
