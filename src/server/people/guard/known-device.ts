import type { FastifyRequest } from 'fastify';
import { randomText } from '../../../core/id.ts';
import { cookieName, ownCookie, readCookie } from '../../platform/http/access/session-access.ts';
import { hashKey } from '../../platform/secrets.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { keepDevice } from './sign-in-guard.store.ts';

/** Seconds after which an unused device is forgotten. */
export const deviceSeconds = 180 * 86_400;

/** The token that identifies a known browser, or undefined. */
export function deviceToken(request: FastifyRequest, publicUrl: string): string | undefined {
  const token = readCookie(request, cookieName(publicUrl, 'device'));
  return token !== undefined && /^[0-9A-Za-z]{43}$/.test(token) ? token : undefined;
}

/** Stores that the browser belongs to the person. Returns the cookie that identifies the browser. */
export async function rememberDevice(deps: PeopleDeps, request: FastifyRequest, personId: string): Promise<string> {
  const url = deps.publicUrl();
  const token = deviceToken(request, url) ?? randomText(43);
  await keepDevice(deps.db, hashKey(token), personId, deps.clock.now());
  return ownCookie(url, 'device', token, deviceSeconds);
}
