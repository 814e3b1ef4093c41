import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../../api/people/person.ts';
import { ownCookie, sessionToken } from '../../platform/http/access/session-access.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { hashKey } from '../../platform/secrets.ts';
import { rememberDevice } from '../guard/known-device.ts';
import { isLiveOnly, type PeopleDeps } from '../people-deps.ts';
import { readSession } from '../session.view.ts';
import { deleteSessionWith } from './session.store.ts';
import { cookieSeconds, startSession } from './sessions.ts';
import { isOpenSandbox } from './sign-in.service.ts';

/** A session with a known token, and the mode. A null `merchantId` means the person's first merchant. */
interface ShownSession {
  readonly id: string;
  readonly personId: string;
  readonly token: string;
  readonly merchantId: string | null;
  readonly livemode: boolean;
}

export async function showSession(deps: PeopleDeps, session: ShownSession): Promise<Session> {
  return await readSession(deps.db, {
    ...session,
    isLiveOnly: isLiveOnly(deps),
    testDataScopes: deps.scopes.testData,
    csrfToken: deps.secrets.csrfToken(session.token),
    isOpenSandbox: await isOpenSandbox(deps),
    operatorId: (await deps.testKeys()).merchantId,
    nowOf: async merchantId => {
      const merchant = await deps.findMerchant(merchantId);
      const now = deps.clock.now();
      return merchant === null ? now : merchantNow(merchant, session.livemode, now);
    },
  });
}

/** Starts a session of the person and sets the cookies of session and device. Ends this browser's earlier session. */
export async function startSessionOf(
  deps: PeopleDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  personId: string,
  merchantId: string | null = null,
): Promise<Session> {
  const earlier = sessionToken(request, deps.publicUrl());
  if (earlier !== undefined) await deleteSessionWith(deps.db, hashKey(earlier));
  const started = await startSession(deps.db, personId, request, deps.clock.now());
  const device = await rememberDevice(deps, request, personId);
  const session = await showSession(deps, { ...started, personId, merchantId, livemode: isLiveOnly(deps) });
  const cookie = ownCookie(deps.publicUrl(), 'session', started.token, cookieSeconds);
  reply.header('set-cookie', [cookie, device]);
  return session;
}
