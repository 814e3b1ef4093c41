import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { PayError } from '../../../core/error.ts';
import { newId, randomText } from '../../../core/id.ts';
import { hashKey, sameText } from '../../platform/secrets.ts';
import { useToken } from '../guard/sign-in-guard.store.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { lockPerson, type PersonRow } from '../person.store.ts';
import { queueSecurityMails, wakeMails } from '../security-mail.ts';
import {
  deletePasskeys,
  findPasskey,
  insertPasskey,
  listPasskeys,
  notePasskeyUse,
  type PasskeyRow,
} from './passkey.store.ts';

/** The library is loaded at the first use, so that the server starts faster. */
const webAuthn = () => import('@simplewebauthn/server');

/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812). Authenticators support at least one of these algorithms. */
const algorithms = [-8, -7, -257] as const;

/** Seconds for which a challenge may be answered. */
const challengeSeconds = 300;

/** Options with which a browser creates a passkey (WebAuthn §5.4). */
export async function registrationOptions(deps: PeopleDeps, person: PersonRow) {
  const { generateRegistrationOptions } = await webAuthn();
  const known = await listPasskeys(deps.db, person.id);
  const { rpID } = placeOf(deps);
  return await generateRegistrationOptions({
    rpName: 'pay-checkout',
    rpID,
    challenge: newChallenge(deps, person.id),
    userName: person.email ?? 'owner',
    userDisplayName: person.name ?? person.email ?? 'Owner',
    userID: Buffer.from(person.id),
    attestationType: 'none',
    supportedAlgorithmIDs: [...algorithms],
    excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** Stores the passkey that the browser created. Throws `invalid_passkey`. */
export async function addPasskey(
  deps: PeopleDeps,
  person: PersonRow,
  { response, name }: { readonly response: unknown; readonly name: string },
): Promise<PasskeyRow> {
  const { verifyRegistrationResponse } = await webAuthn();
  const answer = response as RegistrationResponseJSON;
  const { registrationInfo: info } = await orInvalid(
    verifyRegistrationResponse({
      response: answer,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...algorithms],
      ...expected(deps, person.id),
    }),
  );
  if (info === undefined) throw invalidPasskey();
  const { id, publicKey, counter, transports = [] } = info.credential;
  const passkey = {
    id: newId('passkey'),
    person_id: person.id,
    credential_id: id,
    public_key: Buffer.from(publicKey),
    counter: BigInt(counter),
    transports: [...transports],
    name,
    created_at: deps.clock.now(),
    last_used_at: null,
  };
  await deps.db.transaction().execute(async tx => {
    if (!(await insertPasskey(tx, passkey))) throw invalidPasskey();
    await queueSecurityMails(deps, tx, { person, passkey: name, notices: ['passkeyAdded'] });
  });
  wakeMails(deps);
  return passkey;
}

/** Removes a passkey. Throws `resource_missing`, or `illegal_state` if the person could not sign in without it. */
export async function removePasskey(deps: PeopleDeps, personId: string, id: string): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const person = await lockPerson(tx, personId);
    const known = await listPasskeys(tx, personId);
    const removed = known.find(passkey => passkey.id === id);
    if (person === null || removed === undefined) {
      throw new PayError('resource_missing', 'You have no passkey with this id.', { param: 'id' });
    }
    if (person.password_hash === null && known.length === 1) {
      const message = 'This passkey is your only way to sign in. Set a password or add another passkey first.';
      throw new PayError('illegal_state', message);
    }
    await deletePasskeys(tx, personId, id);
    await queueSecurityMails(deps, tx, { person, passkey: removed.name, notices: ['passkeyRemoved'] });
  });
  wakeMails(deps);
}

/** Options with which a browser signs in. They name no passkey: the device offers all its passkeys for this server. */
export async function signInOptions(deps: PeopleDeps) {
  const { generateAuthenticationOptions } = await webAuthn();
  const { rpID } = placeOf(deps);
  return await generateAuthenticationOptions({ rpID, challenge: newChallenge(deps, ''), userVerification: 'required' });
}

/** The person whose passkey signed the response. Throws `invalid_passkey`. */
export async function personOfPasskey(deps: PeopleDeps, response: unknown): Promise<string> {
  const { verifyAuthenticationResponse } = await webAuthn();
  const answer = response as AuthenticationResponseJSON;
  const passkey = typeof answer.id === 'string' ? await findPasskey(deps.db, answer.id) : null;
  if (passkey === null) throw invalidPasskey();
  const { rpID, ...rest } = { rpID: placeOf(deps).rpID, ...expected(deps, '') };
  const { verified, authenticationInfo: info } = await orInvalid(
    verifyAuthenticationResponse({
      response: answer,
      requireUserVerification: true,
      ...rest,
      expectedRPID: rpID,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
        transports: [...passkey.transports],
      },
    }),
  );
  if (!verified) throw invalidPasskey();
  await notePasskeyUse(deps.db, passkey.id, BigInt(info.newCounter), deps.clock.now());
  return passkey.person_id;
}

function placeOf({ publicUrl }: PeopleDeps) {
  const { hostname, origin } = new URL(publicUrl());
  return { rpID: hostname, origin };
}

/** The values that a genuine response contains. `personId` is blank for a sign-in. */
function expected(deps: PeopleDeps, personId: string) {
  const { rpID, origin } = placeOf(deps);
  return {
    expectedRPID: rpID,
    expectedOrigin: origin,
    expectedChallenge: (challenge: string) => takeChallenge(deps, personId, challenge),
  };
}

/** A challenge that the server recognizes without storing it, because visitors may request any number of challenges. */
function newChallenge({ clock, secrets }: PeopleDeps, personId: string): string {
  const nonce = randomText(22);
  const end = Math.floor(clock.now().getTime() / 1000) + challengeSeconds;
  return `${nonce}.${secrets.timedToken(`passkey ${personId}`, nonce, end)}`;
}

/** Whether the challenge is genuine, fresh and unused. Marks it as used. */
async function takeChallenge({ db, clock, secrets }: PeopleDeps, personId: string, challenge: string) {
  const text = Buffer.from(challenge, 'base64url').toString();
  const [nonce = '', token = ''] = text.split('.');
  const end = Number.parseInt(token.split('-')[0] ?? '', 36);
  const isOwn = Number.isSafeInteger(end) && sameText(secrets.timedToken(`passkey ${personId}`, nonce, end), token);
  if (!isOwn || end * 1000 < clock.now().getTime()) return false;
  return await useToken(db, hashKey(text), new Date(end * 1000));
}

/**
 * Turns the library's errors into `invalid_passkey`: the response is malformed, forged or for another server. Rethrows
 * database errors, which have codes of five characters.
 */
async function orInvalid<Result>(verified: Promise<Result>): Promise<Result> {
  return await verified.catch(error => {
    throw 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
      ? error
      : invalidPasskey();
  });
}

function invalidPasskey(): PayError {
  return new PayError('invalid_passkey', 'This passkey is unknown here, or its answer is too old. Try again.');
}
