import type { FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import { networkOf } from '../../platform/http/access/rate-limit.ts';
import { hashKey } from '../../platform/secrets.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { emailKey } from '../person.store.ts';
import { deviceToken } from './known-device.ts';
import { countAttempt, forgiveAttempts, isKnownDevice } from './sign-in-guard.store.ts';

/** The number of wrong attempts in a window, for one subject: a device, a network, an account, or two of these. */
interface Limit {
  readonly most: number;
  readonly seconds: number;
}

const quarter = 900;
/** For a known device of the person. Attempts from other devices do not count against this limit. */
const deviceLimit: Limit = { most: 10, seconds: quarter };
/** For one network and one account. This limit is checked first, so one network cannot exhaust the account's limit. */
const pairLimit: Limit = { most: 10, seconds: quarter };
/** For one network and all accounts, because attackers try leaked passwords on many accounts. */
const networkLimit: Limit = { most: 300, seconds: quarter };
/** For one account and all networks, for unknown devices only. One network alone cannot exhaust this limit. */
const accountLimit: Limit = { most: 100, seconds: 3_600 };

/** An attempt to sign in. It counts as wrong until `forgive` is called. */
export interface Attempt {
  /** Whether the device is a known device of the person. */
  readonly isKnownDevice: boolean;
  forgive(): Promise<void>;
}

/**
 * Counts an attempt before the password is compared, so that parallel attempts cannot exceed the limits. Throws
 * `too_many_attempts`. Unknown e-mail addresses count like known ones.
 */
export async function beginAttempt(deps: PeopleDeps, request: FastifyRequest, email: string): Promise<Attempt> {
  const { db, clock, secrets, publicUrl } = deps;
  const account = emailKey(email);
  const network = networkOf(request.ip);
  const device = deviceToken(request, publicUrl());
  const isKnown = await isKnownDevice(db, hashKey(device ?? ''), account);
  const limits: readonly (readonly [subject: string, limit: Limit])[] = isKnown
    ? [[`device ${device} ${account}`, deviceLimit]]
    : [
        [`pair ${network} ${account}`, pairLimit],
        [`network ${network}`, networkLimit],
        [`account ${account}`, accountLimit],
      ];
  const counted: Buffer[] = [];
  for (const [text, { most, seconds }] of limits) {
    const subject = secrets.visitorHash('sign-in', text);
    const { count, ends_at: endsAt } = await countAttempt(db, subject, seconds, clock.now());
    if (count > most) throw tooMany((endsAt.getTime() - clock.now().getTime()) / 1000);
    counted.push(subject);
  }
  return { isKnownDevice: isKnown, forgive: () => forgiveAttempts(db, counted) };
}

/**
 * Counts a mail that a visitor causes. Returns false if the address has had too many mails. Throws `too_many_attempts`
 * if the network has caused too many.
 */
export async function mayMail({ db, clock, secrets }: PeopleDeps, request: FastifyRequest, email: string) {
  const [network, address] = [
    secrets.visitorHash('mail', `network ${networkOf(request.ip)}`),
    secrets.visitorHash('mail', `address ${emailKey(email)}`),
  ];
  const byNetwork = await countAttempt(db, network, quarter, clock.now());
  if (byNetwork.count > 20) throw tooMany((byNetwork.ends_at.getTime() - clock.now().getTime()) / 1000);
  const byAddress = await countAttempt(db, address, 3_600, clock.now());
  return byAddress.count <= 3;
}

function tooMany(retryAfterSeconds: number): PayError {
  const minutes = Math.max(1, Math.round(retryAfterSeconds / 60));
  const message = `Too many attempts. Try again in ${minutes} min, with a passkey, or on a device you have used before.`;
  return new PayError('too_many_attempts', message, { retryAfterSeconds: Math.max(1, retryAfterSeconds) });
}
