import { PayApiError } from '../../api/client.ts';
import type { Role, Session } from '../../api/people/person.ts';
import { type Clock, systemClock } from '../../core/clock.ts';

export type { Role, Session };

import { dropSelection } from './selection.ts';
import type { Calls } from './service-client.ts';

/** Kinds of calls that only some roles may make. The server checks the role. The dashboard hides refused actions. */
export type Right = 'money' | 'develop' | 'manage';

const rights: Readonly<Record<Role, readonly Right[]>> = {
  owner: ['money', 'develop', 'manage'],
  admin: ['money', 'develop', 'manage'],
  developer: ['develop'],
  finance: ['money'],
  viewer: [],
};

/** Whether the server allows calls of this kind for the role. */
export const hasRight = (role: Role, right: Right): boolean => rights[role].includes(right);

const path = '/v1/session';

/** Milliseconds by which the merchant's clock is ahead of the browser's. The merchant may have moved the test clock. */
let leadMs = 0;

const leadOf = (time: string): number => Date.parse(time) - systemClock.now().getTime();

/** The merchant's clock, which all objects of the merchant use. Sign-ins and logs use the machine's clock. */
export const merchantClock: Clock = { now: () => new Date(systemClock.now().getTime() + leadMs) };

/** Takes over a time that the merchant's clock has reached, for example of a new event. The clock never goes back. */
export function noticeTime(time: string): void {
  leadMs = Math.max(leadMs, leadOf(time));
}

/** The session of the browser's cookie, or null. Drops a selection that the server refuses. */
export async function readSession(calls: Calls): Promise<Session | null> {
  const read = async () => {
    const session = await calls.get<Session>(path);
    leadMs = leadOf(session.now);
    return session;
  };
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PayApiError)) throw error;
    if (error.status === 401) return null;
    if (error.status !== 403 && error.status !== 404) throw error;
    dropSelection();
    return await read();
  }
}

/** Ends the session on the server. */
export const endSession = (calls: Calls): Promise<unknown> => calls.remove(path);
