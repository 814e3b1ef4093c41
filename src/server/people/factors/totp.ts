import { randomInt } from 'node:crypto';
import { generateSecret, generateURI, verify } from 'otplib';
import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { PeopleDeps } from '../people-deps.ts';
import type { PersonRow } from '../person.store.ts';
import { queueSecurityMails, type SecurityNotice, wakeMails } from '../security-mail.ts';
import { deleteRecoveryCode, replaceRecoveryCodes, setTotp, useTotpStep } from './totp.store.ts';

const stepSeconds = 30;
const issuer = 'pay-checkout';

/** Stores a new secret and returns it for the person's app. The secret takes effect once a code has confirmed it. */
export async function startTotp({ db, secrets }: PeopleDeps, person: PersonRow) {
  if (person.totp_confirmed_at !== null) {
    throw new PayError('illegal_state', 'Codes are already on. Turn them off before you set up another app.');
  }
  const secret = generateSecret();
  await setTotp(db, person.id, { totp_secret: secrets.seal(secret), totp_confirmed_at: null, totp_last_step: null });
  return { secret, uri: generateURI({ issuer, label: person.email ?? person.id, secret }) };
}

/** Turns on codes for sign-ins. Returns the recovery codes, which are never shown again. */
export async function confirmTotp(deps: PeopleDeps, person: PersonRow, code: string): Promise<readonly string[]> {
  if (person.totp_confirmed_at !== null) throw new PayError('illegal_state', 'Codes are already on.');
  if (!(await isTotp(deps, person, code))) {
    throw new PayError('parameter_invalid', 'This code is wrong. Check the time of your phone.', { param: 'code' });
  }
  return await withNotice(deps, person, 'codesOn', async tx => {
    await setTotp(tx, person.id, { totp_confirmed_at: deps.clock.now() });
    return await newRecoveryCodes(deps, tx, person.id);
  });
}

/** Replaces the recovery codes of a person. Returns the new codes. */
export async function renewRecoveryCodes(deps: PeopleDeps, person: PersonRow): Promise<readonly string[]> {
  return await withNotice(deps, person, 'recoveryCodes', tx => newRecoveryCodes(deps, tx, person.id));
}

/** Turns off codes for sign-ins. */
export async function turnTotpOff(deps: PeopleDeps, person: PersonRow): Promise<void> {
  const notice = person.totp_confirmed_at === null ? null : 'codesOff';
  await withNotice(deps, person, notice, tx => removeTotp(tx, person.id));
}

/** Makes the change and queues its mail in one transaction. Null: no mail. */
async function withNotice<Result>(
  deps: PeopleDeps,
  person: PersonRow,
  notice: SecurityNotice | null,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const result = await deps.db.transaction().execute(async tx => {
    if (notice !== null) await queueSecurityMails(deps, tx, { person, notices: [notice] });
    return await change(tx);
  });
  wakeMails(deps);
  return result;
}

async function newRecoveryCodes({ secrets }: PeopleDeps, tx: Tx, personId: string): Promise<readonly string[]> {
  const codes = Array.from({ length: 10 }, recoveryCode);
  const hashes = codes.map(code => secrets.recoveryHash(personId, plain(code)));
  await replaceRecoveryCodes(tx, personId, hashes);
  return codes;
}

/** Removes the secret and the recovery codes. */
export async function removeTotp(db: Tx, personId: string): Promise<void> {
  await setTotp(db, personId, { totp_secret: null, totp_confirmed_at: null, totp_last_step: null });
  await replaceRecoveryCodes(db, personId, []);
}

/**
 * Checks the second factor of a sign-in with a password: a code of the app or a recovery code, each valid once. Throws
 * `two_factor_required` without a code, and `invalid_code`.
 */
export async function assertSecondFactor(deps: PeopleDeps, person: PersonRow, code: string | undefined): Promise<void> {
  if (person.totp_confirmed_at === null) return;
  if (code === undefined) {
    throw new PayError('two_factor_required', 'Send the code of your authenticator app as code.', { param: 'code' });
  }
  const isRight = /^\d{6}$/.test(code.trim())
    ? await isTotp(deps, person, code.trim())
    : await deleteRecoveryCode(deps.db, person.id, deps.secrets.recoveryHash(person.id, plain(code)));
  if (!isRight) throw new PayError('invalid_code', 'This code is wrong or was used before.', { param: 'code' });
}

/** Whether the code is unused and of this or a neighbouring half-minute (RFC 6238 §5.2). Marks a right code as used. */
async function isTotp({ db, clock, secrets }: PeopleDeps, person: PersonRow, code: string): Promise<boolean> {
  if (person.totp_secret === null || !/^\d{6}$/.test(code)) return false;
  const epoch = Math.floor(clock.now().getTime() / 1000);
  const secret = secrets.open(person.totp_secret);
  const result = await verify({ secret, token: code, epoch, epochTolerance: stepSeconds });
  return result.valid && (await useTotpStep(db, person.id, BigInt(Math.floor(epoch / stepSeconds) + result.delta)));
}

/** Letters and digits that cannot be mistaken for each other (Crockford). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A code of 50 random bits: `k3m9x-2p7qd`. */
function recoveryCode(): string {
  const text = Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${text.slice(0, 5)}-${text.slice(5)}`;
}

/** The code without blanks and hyphens that people add, and with commonly mistaken letters replaced. */
function plain(code: string): string {
  return code
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1');
}
