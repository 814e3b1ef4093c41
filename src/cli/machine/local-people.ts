import { systemClock } from '../../core/clock.ts';
import { findFirstMerchant } from '../../server/merchants/merchant.store.ts';
import { deletePasskeys } from '../../server/people/factors/passkey.store.ts';
import { removeTotp } from '../../server/people/factors/totp.ts';
import { findMemberships, findPerson, findPersonByEmail, listEveryone } from '../../server/people/person.store.ts';
import { resetPath } from '../../server/people/reset/password-reset.ts';
import { deleteOtherSessions } from '../../server/people/session/session.store.ts';
import { loadRootSecret } from '../../server/platform/root-secret.store.ts';
import { createSecrets } from '../../server/platform/secrets.ts';
import { CliError } from '../cli-error.ts';
import { type Environment, withMachine } from './machine.ts';

/** A person who may sign in to the dashboard of this machine's service. */
interface LocalPerson {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  /** One text for each merchant, such as `owner of Nordlys Supply`. */
  readonly roles: readonly string[];
}

export function listPeople(environment: Environment): Promise<readonly LocalPerson[]> {
  return withMachine(environment, async ({ database: { db } }) => {
    const people = await listEveryone(db);
    return await Promise.all(
      people.map(async ({ id, email, name }) => {
        const roles = (await findMemberships(db, id)).map(merchant => `${merchant.role} of ${merchant.name}`);
        return { id, email, name, roles };
      }),
    );
  });
}

/**
 * Removes codes, passkeys and sessions of a person. Returns the URL at which the person chooses a new password. For a
 * person without an e-mail address, returns the start URL. The start URL works only while no person has a password or a
 * passkey.
 */
export function resetPerson(environment: Environment, named: string): Promise<{ id: string; url: string }> {
  return withMachine(environment, async ({ config, database: { db } }) => {
    const person = (await findPersonByEmail(db, named)) ?? (await findPerson(db, named));
    const merchant = await findFirstMerchant(db);
    if (person === null || merchant === null) throw new CliError(`There is no person ${named}. See "people list".`);
    const secrets = createSecrets(await loadRootSecret(db));
    await db.transaction().execute(async tx => {
      await removeTotp(tx, person.id);
      await deletePasskeys(tx, person.id);
      await deleteOtherSessions(tx, person.id, null);
    });
    const path =
      person.email === null
        ? `/dashboard/#start=${secrets.startToken(merchant.id)}`
        : resetPath({ secrets, clock: systemClock }, person, 'operator');
    return { id: person.id, url: `${config.publicUrl ?? `http://localhost:${config.port}`}${path}` };
  });
}
