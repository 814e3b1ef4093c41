import type { FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import { queueMail } from '../../platform/mail/mail.ts';
import { sameText } from '../../platform/secrets.ts';
import { deletePasskeys } from '../factors/passkey.store.ts';
import { deleteDevices } from '../guard/sign-in-guard.store.ts';
import { mayMail } from '../guard/sign-in-guard.ts';
import { assertPassword } from '../password.ts';
import { isLiveOnly, type PeopleDeps } from '../people-deps.ts';
import {
  findMemberships,
  findPerson,
  findPersonByEmail,
  lockPerson,
  type PersonRow,
  updatePerson,
} from '../person.store.ts';
import { personMail } from '../person-mail.ts';
import { queueSecurityMails, wakeMails } from '../security-mail.ts';
import { deleteOtherSessions } from '../session/session.store.ts';
import { insertResetRequest, resetRequests, takeResetRequests } from './reset.store.ts';

export const resetSweep = 'people.resets';
const validSeconds = 3_600;
const batch = 50;

/** Stores a request for a new password. A sweep queues the mail, so known and unknown addresses take the same time. */
export async function requestReset(deps: PeopleDeps, request: FastifyRequest, email: string): Promise<void> {
  if (await mayMail(deps, request, email)) await insertResetRequest(deps.db, email, deps.clock.now());
  deps.wake(resetSweep);
}

/** Queues the mails of the requests for known people. */
export function sendResets(deps: PeopleDeps): Sweep {
  return {
    name: resetSweep,
    due: [resetRequests],
    run: async () => {
      const requests = await deps.db.transaction().execute(async tx => {
        const taken = await takeResetRequests(tx, batch);
        for (const { id, email } of taken) await queueResetMail(deps, tx, id, email);
        return taken;
      });
      if (requests.length > 0) deps.wake(mailSweep);
      return requests.length;
    },
  };
}

async function queueResetMail(deps: PeopleDeps, tx: Tx, requestId: string, email: string): Promise<void> {
  const person = await findPersonByEmail(tx, email);
  const [merchant] = person === null ? [] : await findMemberships(tx, person.id);
  if (person?.email == null || merchant === undefined) return;
  const mail = personMail({
    heading: 'Choose a new password',
    paragraphs: ['Somebody asked for a new password for your account. The button works for one hour, and once.'],
    action: {
      label: 'Choose a password',
      url: `${deps.publicUrl()}${resetPath(deps, person, 'mail')}`,
    },
    notes: ['If it was not you, ignore this mail: your password stays as it is.'],
  });
  await queueMail(tx, {
    merchantId: merchant.id,
    livemode: isLiveOnly(deps),
    now: deps.clock.now(),
    replyTo: null,
    attachments: [],
    resource: { type: 'person', id: person.id },
    dedupeKey: `person.reset:${requestId}`,
    to: { name: person.name, email: person.email },
    ...mail,
  });
}

/** How a person got the token. Only a mail proves that the person reads the mailbox. */
type Way = 'mail' | 'operator';

/** The path of the page where the person chooses a new password, below the public URL. */
export function resetPath(deps: Pick<PeopleDeps, 'secrets' | 'clock'>, person: PersonRow, way: Way): string {
  return `/dashboard/reset-password#token=${tokenOf(deps, person, way, endOf(deps.clock.now()))}`;
}

const purposes = { mail: 'reset', operator: 'reset by operator' } as const satisfies Record<Way, string>;

/**
 * The token contains the person's id. Its MAC depends on the stored password and the e-mail address, so a change of
 * either invalidates all earlier tokens.
 */
function tokenOf({ secrets }: Pick<PeopleDeps, 'secrets'>, person: PersonRow, way: Way, endsAt: number): string {
  const object = `${person.id} ${person.email_key} ${person.password_hash}`;
  return `${person.id.slice('person_'.length)}.${secrets.timedToken(purposes[way], object, endsAt)}`;
}

function endOf(now: Date): number {
  return Math.floor(now.getTime() / 1000) + validSeconds;
}

/**
 * Sets the password. Marks the e-mail address as verified if the token was mailed. Ends all sessions, and forgets the
 * known devices. Removes the passkeys if the address was unverified, because they may belong to a stranger who entered
 * it. Returns the person as it was before. Throws `mail_link_expired` or `invalid_password`.
 */
export async function confirmReset(deps: PeopleDeps, text: string, password: string): Promise<PersonRow> {
  const { person, way } = await openToken(deps, text);
  assertPassword(password, person.email ?? '');
  const hash = await deps.passwords.hash(password);
  await deps.db.transaction().execute(async tx => {
    const locked = await lockPerson(tx, person.id);
    // The same link may have changed the password in the meantime. The token is not proof of a new e-mail address.
    const isSame = locked?.password_hash === person.password_hash && locked.email_key === person.email_key;
    if (!isSame) throw expired();
    const verified = way === 'mail' ? { email_verified_at: deps.clock.now() } : {};
    await updatePerson(tx, person.id, { password_hash: hash, ...verified });
    if (locked.email_verified_at === null) await deletePasskeys(tx, person.id);
    await queueSecurityMails(deps, tx, { person, notices: ['password'] });
    await deleteOtherSessions(tx, person.id, null);
    await deleteDevices(tx, person.id);
  });
  wakeMails(deps);
  return person;
}

async function openToken(deps: PeopleDeps, text: string): Promise<{ readonly person: PersonRow; readonly way: Way }> {
  const [, body = '', end = ''] = /^([0-9A-Za-z]{22})\.([0-9a-z]{1,10})-[0-9A-Za-z]{44}$/.exec(text) ?? [];
  const person = body === '' ? null : await findPerson(deps.db, `person_${body}`);
  const endsAt = Number.parseInt(end, 36);
  if (person === null || endsAt * 1000 < deps.clock.now().getTime()) throw expired();
  const way = (['mail', 'operator'] as const).find(each => sameText(tokenOf(deps, person, each, endsAt), text));
  if (way === undefined) throw expired();
  return { person, way };
}

function expired(): PayError {
  const message = 'This address has expired or was used. Ask for a new mail.';
  return new PayError('mail_link_expired', message, { param: 'token' });
}
