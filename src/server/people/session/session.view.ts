import type { Person, Session } from '../../../api/people/person.ts';
import type { Executor } from '../../platform/db/database.ts';
import type { Role } from '../../platform/http/access/roles.ts';
import { findMemberships, findPerson, type PersonRow } from '../person.store.ts';
import { findSession } from './session.store.ts';

export function personToWire(person: PersonRow): Person {
  const { id, email, name, password_hash: hash } = person;
  return { id, object: 'person', email, name, has_password: hash !== null, two_factor: false, passkeys: 0 };
}

/** What a view of a session needs besides the rows. */
export interface SessionView {
  readonly id: string;
  readonly personId: string;
  /** Null: the person's first merchant. */
  readonly merchantId: string | null;
  readonly livemode: boolean;
  readonly isLiveOnly: boolean;
  readonly csrfToken: string;
  readonly isOpenSandbox: boolean;
}

/** The session in its wire form. */
export async function readSession(db: Executor, view: SessionView): Promise<Session> {
  const [session, person, merchants] = await Promise.all([
    findSession(db, view.id),
    findPerson(db, view.personId),
    findMemberships(db, view.personId),
  ]);
  const merchant = merchants.find(({ id }) => id === view.merchantId) ?? merchants[0];
  if (session === null || person === null || merchant === undefined) throw new Error('the session ended meanwhile');
  return {
    id: session.id,
    object: 'session',
    person: personToWire(person),
    merchant: { id: merchant.id, name: merchant.name },
    role: merchant.role satisfies Role,
    merchants: [...merchants],
    livemode: view.livemode,
    modes: view.isLiveOnly ? ['live'] : ['test', 'live'],
    is_operator: person.is_operator,
    csrf_token: view.csrfToken,
    sandbox: view.isOpenSandbox,
    expires_at: session.expires_at.toISOString(),
  };
}
