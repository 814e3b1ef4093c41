import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { AcceptedInvitation, AcceptInvitation, CreateInvitation } from '../../../api/people/team.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { CallingPerson } from '../../platform/http/access/roles.ts';
import { sessionToken } from '../../platform/http/access/session-access.ts';
import { assertEmail, queueMail } from '../../platform/mail/mail.ts';
import { hashKey } from '../../platform/secrets.ts';
import { assertPassword } from '../password.ts';
import type { PeopleDeps } from '../people-deps.ts';
import {
  emailKey,
  findMemberships,
  findPerson,
  findPersonByEmail,
  insertMembership,
  insertPerson,
  lockPerson,
  type PersonRow,
  updatePerson,
} from '../person.store.ts';
import { personMail } from '../person-mail.ts';
import { findOpenSession } from '../session/session.store.ts';
import { startSessionOf } from '../session/signed-in.ts';
import { assertMayManage } from './team.service.ts';
import { deleteInvitation, findInvitation, type InvitationRow, replaceInvitation } from './team.store.ts';

const validSeconds = 7 * 86_400;

/** Checks an invitation. Returns the function that invites by mail, which ends an earlier invitation for the address. */
export async function invite(
  deps: PeopleDeps,
  { merchant, livemode }: Caller,
  person: CallingPerson,
  { email, role }: Static<typeof CreateInvitation>,
): Promise<(tx: Tx) => Promise<InvitationRow>> {
  assertEmail(email, 'email');
  assertMayManage(person, role);
  const now = deps.clock.now();
  const invitation = {
    merchant_id: merchant.id,
    id: newId('invitation'),
    email,
    email_key: emailKey(email),
    role,
    invited_by: person.personId,
    created_at: now,
    expires_at: addSeconds(now, validSeconds),
  };
  const known = await findPersonByEmail(deps.db, email);
  const merchants = known === null ? [] : await findMemberships(deps.db, known.id);
  if (merchants.some(({ id }) => id === merchant.id)) {
    throw new PayError('illegal_state', 'This person is in the team already. Change the role instead.', {
      param: 'email',
    });
  }
  const token = deps.secrets.objectToken('invitation', merchant.id, invitation.id);
  const inviter = await findPerson(deps.db, person.personId);
  const mail = personMail({
    heading: `${merchant.name}: you are invited to the dashboard`,
    paragraphs: [
      `${inviter?.name ?? inviter?.email ?? 'The owner'} invites you to ${merchant.name}, with the role ${role}.`,
    ],
    action: { label: 'Accept the invitation', url: `${deps.publicUrl()}/dashboard/invitation#token=${token}` },
    notes: ['The invitation is valid for seven days. If you do not expect it, ignore this mail.'],
  });
  return async tx => {
    await replaceInvitation(tx, invitation);
    await queueMail(tx, {
      merchantId: merchant.id,
      livemode,
      now,
      replyTo: null,
      attachments: [],
      resource: { type: 'invitation', id: invitation.id },
      dedupeKey: `invitation:${invitation.id}`,
      to: { name: null, email },
      ...mail,
    });
    return invitation;
  };
}

/** The invitation of a token, and the invited person if that person already exists. Throws `mail_link_expired`. */
export async function openInvitation(deps: PeopleDeps, token: string) {
  const opened = deps.secrets.openObjectToken('invitation', token);
  const found = opened && (await findInvitation(deps.db, opened.merchantId, opened.id));
  const merchant = found && (await deps.findMerchant(found.merchant_id));
  if (!found || !merchant || found.expires_at <= deps.clock.now()) {
    throw new PayError('mail_link_expired', 'This invitation was used, has expired or was withdrawn.', {
      param: 'token',
    });
  }
  return { invitation: found, merchant, person: await findPersonByEmail(deps.db, found.email) };
}

/**
 * Joins the merchant. A new person is signed in; a known person signs in as usual. An existing account must be signed
 * in or have a verified e-mail address. Otherwise a stranger could enter another person's address in an account and
 * wait for an invitation.
 */
export async function acceptInvitation(
  deps: PeopleDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Static<typeof AcceptInvitation>,
): Promise<Static<typeof AcceptedInvitation>> {
  const { invitation, merchant, person } = await openInvitation(deps, body.token);
  if (person !== null) await assertOwnMailbox(deps, request, person);
  const newcomer = person === null ? await draftPerson(deps, invitation.email, body) : null;
  const personId = await deps.db.transaction().execute(async tx => {
    if (!(await deleteInvitation(tx, merchant.id, invitation.id))) {
      throw new PayError('mail_link_expired', 'This invitation was used a moment ago.', { param: 'token' });
    }
    if (newcomer !== null) await insertPerson(tx, newcomer);
    const id = person?.id ?? newcomer?.id ?? '';
    if (person !== null) await verifyAddress(tx, person, deps.clock.now());
    await insertMembership(tx, merchant.id, id, invitation.role, deps.clock.now());
    return id;
  });
  return {
    object: 'accepted_invitation',
    merchant: { id: merchant.id, name: merchant.name },
    role: invitation.role,
    session: newcomer === null ? null : await startSessionOf(deps, request, reply, personId, merchant.id),
  };
}

/**
 * Throws `email_unverified` unless the address is verified or the person is signed in. The mail proves access to the
 * mailbox, and the session proves access to the account.
 */
async function assertOwnMailbox(deps: PeopleDeps, request: FastifyRequest, person: PersonRow): Promise<void> {
  if (person.email_verified_at !== null) return;
  const token = sessionToken(request, deps.publicUrl());
  const now = deps.clock.now();
  const session = token === undefined ? null : await findOpenSession(deps.db, hashKey(token), null, now);
  if (session?.person_id === person.id) return;
  const message =
    'An account has this e-mail address, and has not shown that it is its own. Sign in to the account, or choose a new password by mail. Then open this mail again.';
  throw new PayError('email_unverified', message);
}

/** Marks the address as verified. Throws `illegal_state` if the person has changed the address in the meantime. */
async function verifyAddress(tx: Tx, { id, email_key: key }: PersonRow, now: Date): Promise<void> {
  const locked = await lockPerson(tx, id);
  if (locked?.email_key !== key) {
    throw new PayError('illegal_state', 'The account has just changed its e-mail address. Open this mail again.');
  }
  await updatePerson(tx, id, { email_verified_at: now });
}

async function draftPerson(
  deps: PeopleDeps,
  email: string,
  { name, password }: Static<typeof AcceptInvitation>,
): Promise<Parameters<typeof insertPerson>[1]> {
  if (password === undefined) {
    throw new PayError('parameter_missing', 'Choose a password.', { param: 'password' });
  }
  assertPassword(password, email);
  return {
    id: newId('person'),
    email,
    email_key: emailKey(email),
    name: name?.trim() || null,
    password_hash: await deps.passwords.hash(password),
    created_at: deps.clock.now(),
    email_verified_at: deps.clock.now(),
  };
}
