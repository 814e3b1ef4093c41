import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PayError } from '../../core/error.ts';

const saltBytes = 16;

/** Parameters of scrypt; N is a power of two. */
interface Cost {
  readonly log2: number;
  readonly r: number;
  readonly p: number;
}

/** Cost of new hashes: 64 MiB of memory and two passes, as OWASP recommends (N = 2^16, r = 8, p = 2). */
const usualCost: Cost = { log2: 16, r: 8, p: 2 };

const hashBytes = 32;
/** Maximum number of concurrent hashes. Each takes 64 MiB and one of the four threads of Node's pool. */
const mostAtOnce = 2;
/** Maximum number of waiting calls. Further calls are refused unless they are urgent. This limits the used memory. */
const mostWaiting = 50;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Hashes and compares passwords, with a limited number at a time. */
export type Passwords = ReturnType<typeof createPasswords>;

/** Creates the password functions of this process. A stored hash names its own cost; `cost` is that of new hashes. */
export function createPasswords(cost: Cost = usualCost) {
  const inTurn = createTurns();
  const hashed = (password: string, salt: Buffer, { log2, r, p }: Cost, isUrgent = false) => {
    const N = 2 ** log2;
    return inTurn(() => derive(normal(password), salt, hashBytes, { N, r, p, maxmem: 256 * N * r }), isUrgent);
  };
  return {
    /** The text to store: `scrypt$16$8$2$<salt>$<hash>`. */
    hash: async (password: string): Promise<string> => {
      const salt = randomBytes(saltBytes);
      const hash = await hashed(password, salt, cost);
      return ['scrypt', cost.log2, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$');
    },
    /**
     * Whether the password is right. Without a stored hash, takes the same time and returns false. Urgent calls go
     * before other waiting calls.
     */
    verify: async (password: string, stored: string | null, isUrgent = false): Promise<boolean> => {
      const [, log2, r, p, salt = '', expected = ''] = (stored ?? '').split('$');
      if (stored === null) {
        await hashed(password, randomBytes(saltBytes), cost, isUrgent);
        return false;
      }
      const parameters = { log2: Number(log2), r: Number(r), p: Number(p) };
      const hash = await hashed(password, Buffer.from(salt, 'base64'), parameters, isUrgent);
      return timingSafeEqual(hash, Buffer.from(expected, 'base64'));
    },
  };
}

/** Runs at most `mostAtOnce` tasks at a time. Throws `unavailable` if too many wait and the task is not urgent. */
function createTurns() {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(task: () => Promise<Result>, isUrgent: boolean): Promise<Result> => {
    if (running >= mostAtOnce) {
      if (waiting.length >= mostWaiting && !isUrgent) {
        throw new PayError('unavailable', 'Too many people sign in at once. Try again.', { retryAfterSeconds: 2 });
      }
      await new Promise<void>(resolve => (isUrgent ? waiting.unshift(resolve) : waiting.push(resolve)));
    } else running++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // A waiting task takes over this turn, so the number of running tasks stays the same.
      if (next === undefined) running--;
      else next();
    }
  };
}

/** One form for a password that keyboards type in different ways (RFC 8265 §4.2). */
function normal(password: string): string {
  return password.normalize('NFC');
}

const shortest = 10;
const common = /^(.)\1*$|^(0?123456789\d*|9876543210?|qwertzuiop|qwertyuiop|abcdefghij\w*|pass ?word\d*|passw0rd\d*)$/i;

/** Throws `invalid_password` if the password is short, common, or the person's own e-mail address. */
export function assertPassword(password: string, email: string): void {
  const isGood = [...password].length >= shortest && !common.test(password) && !isLike(password, email);
  if (isGood) return;
  const message = `Choose a password of at least ${shortest} characters that is not a common one.`;
  throw new PayError('invalid_password', message, { param: 'password' });
}

function isLike(password: string, email: string): boolean {
  return password.toLowerCase() === email.toLowerCase();
}
