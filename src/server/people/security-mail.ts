import { randomText } from '../../core/id.ts';
import type { Tx } from '../platform/db/database.ts';
import { mailSweep } from '../platform/mail/mail.jobs.ts';
import { type NewMail, queueMails } from '../platform/mail/mail.ts';
import { isLiveOnly, type PeopleDeps } from './people-deps.ts';
import { emailKey, findMemberships, type Membership, type PersonRow } from './person.store.ts';
import { personMail } from './person-mail.ts';

/** The changes of an account that its person is told by mail, with the heading and the sentence of each mail. */
const notices = {
  owner: ['You are the owner of {merchant}', 'This e-mail address now belongs to the first owner of {merchant}.'],
  password: ['Your password was changed', 'The password of your account was changed. Other sessions were ended.'],
  email: ['Your e-mail address was changed', 'The e-mail address of your account was changed from {old} to {new}.'],
  codesOn: ['Codes were turned on', 'Signing in to your account now also takes a code of an authenticator app.'],
  codesOff: ['Codes were turned off', 'Signing in to your account no longer takes a code of an authenticator app.'],
  recoveryCodes: ['Your recovery codes were replaced', 'The earlier recovery codes of your account no longer work.'],
  passkeyAdded: ['A passkey was added', 'Your account can now also be signed in to with the passkey “{passkey}”.'],
  passkeyRemoved: ['A passkey was removed', 'The passkey “{passkey}” no longer signs in to your account.'],
  factorsRemoved: [
    'Your second factors were removed',
    'The operator removed the codes and the passkeys of your account. The password now signs in alone.',
  ],
} as const satisfies Record<string, readonly [heading: string, sentence: string]>;

export type SecurityNotice = keyof typeof notices;

interface SecurityChange {
  /** The person before the change. */
  readonly person: Pick<PersonRow, 'id' | 'name' | 'email'>;
  readonly notices: readonly SecurityNotice[];
  /** The address after the change, if the change sets it. */
  readonly newEmail?: string | undefined;
  /** The name of the passkey that was added or removed. */
  readonly passkey?: string;
  /** The account of which the person has become owner. Default: the first account of the person. */
  readonly merchant?: Pick<Membership, 'id' | 'name'>;
}

/**
 * Queues the mails about a change in the transaction of the change: to the old and to the new address, so that the
 * person learns of it even if a thief has changed the address. A person without an address or an account gets no mail.
 */
export async function queueSecurityMails(deps: PeopleDeps, tx: Tx, change: SecurityChange): Promise<void> {
  const { person, newEmail } = change;
  const merchant = change.merchant ?? (await findMemberships(tx, person.id))[0];
  const known = [person.email, newEmail ?? null].filter(email => email !== null);
  const addresses = [...new Map(known.map(email => [emailKey(email), email])).values()];
  if (merchant === undefined || addresses.length === 0) return;
  const values = { merchant: merchant.name, old: person.email, new: newEmail, passkey: change.passkey };
  const now = deps.clock.now();
  const mails = change.notices.flatMap(notice =>
    addresses.map(
      (email): NewMail => ({
        merchantId: merchant.id,
        livemode: isLiveOnly(deps),
        now,
        replyTo: null,
        attachments: [],
        resource: { type: 'person', id: person.id },
        to: { name: person.name, email },
        // Each change causes a mail, also when it repeats an earlier one.
        dedupeKey: `person.${notice}:${person.id}:${randomText(12)}`,
        ...noticeMail(deps, notice, values, now),
      }),
    ),
  );
  await queueMails(tx, mails);
}

/** Starts the sending of queued mails, after the transaction. */
export function wakeMails({ wake }: Pick<PeopleDeps, 'wake'>): void {
  wake(mailSweep);
}

function noticeMail(deps: PeopleDeps, notice: SecurityNotice, values: Readonly<Record<string, unknown>>, now: Date) {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
  const [heading, sentence] = notices[notice];
  return personMail({
    heading: fill(heading),
    paragraphs: [`${fill(sentence)} Time: ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC.`],
    action: { label: 'Open your account', url: `${deps.publicUrl()}/dashboard/account` },
    notes: ['If it was not you, choose a new password at once, and tell an owner of the account or the operator.'],
  });
}
