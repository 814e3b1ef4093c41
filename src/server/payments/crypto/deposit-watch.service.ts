import type { Clock } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { CryptoRail } from '../../chains/chain.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import type { DepositReadings, PaymentDeps } from '../payment-deps.ts';
import {
  claimDueAccounts,
  findWatched,
  listWatched,
  noteReading,
  type WatchedRow,
  watchAccount,
} from './chain-cursor.store.ts';
import { readDeposits } from './deposit.service.ts';

/** The sweep that reads what payers sent on chains. */
export const depositSweep = 'payments.deposits';

/** How long an account is left alone when no hint came: what hints miss is found that much later, nothing is lost. */
const pollSeconds = 5;
/** Most accounts looked at in one turn, and at once. */
const mostAccounts = 20;
/** Most accounts that are followed by a stream; the others are polled alone. */
const mostFollowed = 50;
/** How often to see which accounts are to be followed, in milliseconds. */
const refreshMs = 10_000;

/**
 * Reads the watched accounts: at a hint at once, otherwise every few seconds. Any number of processes may do so; each
 * page is booked by one of them. A chain that cannot be asked holds up no other account, and nothing of it is passed
 * over: the next look begins where the last one ended.
 */
export function createDepositSweep(deps: PaymentDeps): Sweep {
  const hints = createHints(deps);
  return {
    name: depositSweep,
    everyMs: 1_000,
    run: async () => {
      const read = await Promise.all(deps.crypto.map(rail => sweepRail(deps, rail, hints)));
      return read.reduce((sum, count) => sum + count, 0);
    },
    stop: async () => hints.stop(),
  };
}

async function sweepRail(deps: PaymentDeps, rail: CryptoRail, hints: Hints): Promise<number> {
  await hints.refresh(rail);
  const now = deps.clock.now();
  const { network } = rail.chain;
  const due = await claimDueAccounts(deps.db, {
    network,
    now,
    nextSeconds: pollSeconds,
    limit: mostAccounts,
  });
  const known = new Set(due.map(({ account }) => account));
  const hinted = hints.take(rail).filter(account => !known.has(account));
  const found = await Promise.all(hinted.map(account => findWatched(deps.db, { network, account })));
  const accounts = [...due, ...found.filter(row => row !== null)];
  const counts = await Promise.all(accounts.map(watched => readQuietly(deps, rail, watched)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function readQuietly(deps: PaymentDeps, rail: CryptoRail, watched: WatchedRow): Promise<number> {
  try {
    const read = await readDeposits(deps, rail, watched);
    if (watched.account === rail.account) await noteOwnReading(deps, rail, watched);
    return read;
  } catch (error) {
    if (!isAway(error)) throw error;
    const { account } = watched;
    deps.log.warn(
      { err: error, chain: rail.chain.id, account },
      'a chain cannot be asked for deposits; it will be again',
    );
    return 0;
  }
}

async function noteOwnReading({ db, clock, readings }: PaymentDeps, { chain }: CryptoRail, own: WatchedRow) {
  const now = clock.now();
  await noteReading(db, own, now);
  readings.note(chain.id, now);
}

/** Whether a chain could not be asked, which says nothing but that it is to be asked again. */
export function isAway(error: unknown): boolean {
  return error instanceof PayError && error.code === 'unavailable';
}

/** Reads an account at once, for who knows that something reached it. False: nobody is paid there. */
export async function readAccountNow(deps: PaymentDeps, rail: CryptoRail, account: string): Promise<boolean> {
  const watched = await findWatched(deps.db, { network: rail.chain.network, account });
  if (watched !== null) await readQuietly(deps, rail, watched);
  return watched !== null;
}

/** Streams that say where it is worth looking. */
interface Hints {
  /** Follows the accounts that are watched now. */
  refresh(rail: CryptoRail): Promise<void>;
  /** The accounts of which something was heard since the last time. */
  take(rail: CryptoRail): string[];
  stop(): void;
}

function createHints(deps: PaymentDeps): Hints {
  const followers = new Map<string, AbortController>();
  const heard = new Map<CryptoRail, Set<string>>();
  const refreshedAt = new Map<CryptoRail, number>();

  function follow(rail: CryptoRail, { account }: WatchedRow): void {
    const follower = new AbortController();
    followers.set(`${rail.chain.network} ${account}`, follower);
    const onHint = () => {
      heard.set(rail, (heard.get(rail) ?? new Set()).add(account));
      deps.wake(depositSweep);
    };
    rail.chain.follow(account, onHint, follower.signal);
  }

  return {
    refresh: async rail => {
      const last = refreshedAt.get(rail);
      if (last !== undefined && performance.now() - last < refreshMs) return;
      if (!(await watchOwnAccount(deps, rail))) return;
      refreshedAt.set(rail, performance.now());
      const watched = await listWatched(deps.db, rail.chain.network, deps.clock.now(), mostFollowed);
      const wanted = new Map(watched.map(row => [`${row.network} ${row.account}`, row]));
      for (const [key, follower] of followers) {
        if (!key.startsWith(`${rail.chain.network} `) || wanted.has(key)) continue;
        follower.abort();
        followers.delete(key);
      }
      for (const [key, row] of wanted) if (!followers.has(key)) follow(rail, row);
    },
    take: rail => {
      const accounts = [...(heard.get(rail) ?? [])];
      heard.delete(rail);
      return accounts;
    },
    stop: () => {
      for (const follower of followers.values()) follower.abort();
      followers.clear();
    },
  };
}

/** The service's own account is watched from the first time the chain can be asked; false: it could not. */
async function watchOwnAccount(deps: PaymentDeps, rail: CryptoRail): Promise<boolean> {
  const { network, id: chain } = rail.chain;
  const { account } = rail;
  const own = await findWatched(deps.db, { network, account });
  deps.readings.note(chain, own?.read_at ?? null);
  if (own !== null) return true;
  try {
    const cursor = await rail.chain.latestCursor();
    const due = deps.clock.now();
    await watchAccount(deps.db, { network, account, chain, cursor, custodial: true, watch_until: null, due_at: due });
    return true;
  } catch (error) {
    if (isAway(error)) return false;
    throw error;
  }
}

/** After this many seconds without a reading something is wrong: an account is read every few. */
const stalledSeconds = 60;

/** Begins with nothing known. A process that reads no deposits knows nothing, and says nothing. */
export function createDepositReadings(clock: Clock): DepositReadings {
  const last = new Map<string, Date>();
  const ages = () =>
    new Map([...last].map(([chain, at]) => [chain, Math.max(0, (clock.now().getTime() - at.getTime()) / 1000)]));
  return {
    note: (chain, readAt) => {
      const known = last.get(chain);
      const at = readAt ?? known ?? clock.now();
      if (known === undefined || at > known) last.set(chain, at);
    },
    ages,
    remarks: () =>
      [...ages()]
        .filter(([, seconds]) => seconds >= stalledSeconds)
        .map(([chain, seconds]) => {
          return `deposits: what payers sent on ${chain} has not been read for ${Math.floor(seconds)} s; the log says why`;
        }),
  };
}
