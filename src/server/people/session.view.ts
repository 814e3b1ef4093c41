import type { Person, Session } from '../../api/people/person.ts';
import { PayError } from '../../core/error.ts';
import type { Executor } from '../platform/db/database.ts';
import { listPasskeys } from './factors/passkey.store.ts';
import { findMemberships, requirePerson } from './person.store.ts';
import { findSession } from './session/session.store.ts';

/** The person in its wire form. */
export async function readPerson(db: Executor, personId: string): Promise<Person> {
  const [person, passkeys] = await Promise.all([requirePerson(db, personId), listPasskeys(db, personId)]);
  const { id, email, email_verified_at: verified, name, password_hash: hash, totp_confirmed_at: totp } = person;
  const factors = { has_password: hash !== null, two_factor: totp !== null, passkeys: passkeys.length };
  return { id, object: 'person', email, email_verified: verified !== null, name, ...factors };
}

/** The ids of a session, and its data that the database does not store. */
export interface SessionView {
  readonly id: string;
  readonly personId: string;
  /** Null: the person's first merchant. */
  readonly merchantId: string | null;
  readonly livemode: boolean;
  readonly isLiveOnly: boolean;
  readonly testDataScopes: readonly string[];
  readonly csrfToken: string;
  readonly isOpenSandbox: boolean;
  /** The id of the operator's own merchant. */
  readonly operatorId: string;
  /** Reads the current time on the clock of a merchant, in the session's mode. */
  readonly nowOf: (merchantId: string) => Promise<Date>;
}

/** The session in its wire form. */
export async function readSession(db: Executor, view: SessionView): Promise<Session> {
  const [session, person, { is_operator: isOperator }, merchants] = await Promise.all([
    findSession(db, view.id),
    readPerson(db, view.personId),
    requirePerson(db, view.personId),
    findMemberships(db, view.personId),
  ]);
  const merchant = merchants.find(({ id }) => id === view.merchantId) ?? merchants[0];
  if (session === null || merchant === undefined) throw new PayError('invalid_session', 'You have no merchant here.');
  return {
    id: session.id,
    object: 'session',
    person,
    merchant: { id: merchant.id, name: merchant.name, is_operator: merchant.id === view.operatorId },
    role: merchant.role,
    merchants: [...merchants],
    livemode: view.livemode,
    now: (await view.nowOf(merchant.id)).toISOString(),
    modes: view.isLiveOnly ? ['live'] : ['test', 'live'],
    test_data_scopes: [...view.testDataScopes],
    is_operator: isOperator,
    csrf_token: view.csrfToken,
    sandbox: view.isOpenSandbox,
    expires_at: session.expires_at.toISOString(),
  };
}
