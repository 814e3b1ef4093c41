import type { Clock } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { CryptoRail } from '../../chains/chain.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import type { DepositReadings, PaymentDeps } from '../payment-deps.ts';
import {
  claimDueAccounts,
  dueAccounts,
  findWatched,
  listWatched,
  recordReading,
  type WatchedRow,
  watchAccount,
} from './chain-cursor.store.ts';
import { readDeposits } from './deposit.service.ts';

/** Name of the sweep that reads deposits. */
export const depositSweep = 'payments.deposits';

/**
 * Seconds between two readings of an account without a hint while a payment is open or a deposit waits for
 * confirmations. A lost hint delays its deposit by at most this time.
 */
const pollSeconds = 5;
/** Maximum number of accounts read in one run. */
const mostAccounts = 20;
/** Maximum number of accounts with a stream. All other accounts are only polled. */
const mostFollowed = 50;
/** Milliseconds between two updates of the followed accounts. */
const refreshMs = 30_000;

/**
 * Reads the watched accounts: at once after a hint, otherwise every few seconds while a payment is open. Several
 * processes may read, but only one of them books a page. A chain that does not respond does not block other accounts.
 */
export function createDepositSweep(deps: PaymentDeps): Sweep {
  const hints = createHints(deps);
  return {
    name: depositSweep,
    due: [dueAccounts(pollSeconds)],
    everyMs: refreshMs,
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
  const due = await claimDueAccounts(deps.db, network, { now, pollSeconds, limit: mostAccounts });
  const known = new Set(due.map(({ account }) => account));
  const hinted = hints.take(rail).filter(account => !known.has(account));
  const found = await Promise.all(hinted.map(account => findWatched(deps.db, { network, account })));
  const accounts = [...due, ...found.filter(row => row !== null)];
  const counts = await Promise.all(accounts.map(watched => readUnlessAway(deps, rail, watched)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function readUnlessAway(deps: PaymentDeps, rail: CryptoRail, watched: WatchedRow): Promise<number> {
  try {
    const read = await readDeposits(deps, rail, watched);
    if (watched.account === rail.account) {
      const now = deps.clock.now();
      await recordReading(deps.db, watched, now);
      deps.readings.note(rail.chain.id, now);
    }
    return read;
  } catch (error) {
    if (!isAway(error)) throw error;
    const place = { err: error, chain: rail.chain.id, account: watched.account };
    deps.log.warn(place, 'the deposits on a chain could not be read and will be tried again');
    return 0;
  }
}

/** Whether the error means that the chain does not respond now. */
export function isAway(error: unknown): boolean {
  return error instanceof PayError && error.code === 'unavailable';
}

/** Reads an account now, for a caller that expects a deposit. Returns false if the account is not watched. */
export async function readAccountNow(deps: PaymentDeps, rail: CryptoRail, account: string): Promise<boolean> {
  const watched = await findWatched(deps.db, { network: rail.chain.network, account });
  if (watched !== null) await readUnlessAway(deps, rail, watched);
  return watched !== null;
}

/** Streams that hint at accounts with new deposits. */
interface Hints {
  /** Updates the followed accounts. */
  refresh(rail: CryptoRail): Promise<void>;
  /** The accounts with hints since the last call. */
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
    rail.chain.receive.follow(account, onHint, follower.signal);
  }

  return {
    refresh: async rail => {
      const last = refreshedAt.get(rail);
      if (last !== undefined && performance.now() - last < refreshMs) return;
      const list = () => listWatched(deps.db, rail.chain.network, deps.clock.now(), mostFollowed);
      let watched = await list();
      const own = watched.find(({ account }) => account === rail.account);
      if (own !== undefined) deps.readings.note(rail.chain.id, own.read_at);
      else if (await watchOwnAccount(deps, rail)) watched = await list();
      else return;
      refreshedAt.set(rail, performance.now());
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

/** Watches the service's own account as soon as the chain responds. Returns false before that. */
export async function watchOwnAccount(
  deps: Pick<PaymentDeps, 'db' | 'clock' | 'readings'>,
  rail: CryptoRail,
): Promise<boolean> {
  const { network, id: chain } = rail.chain;
  const { account } = rail;
  const own = await findWatched(deps.db, { network, account });
  deps.readings.note(chain, own?.read_at ?? null);
  if (own !== null) return true;
  try {
    const cursor = await rail.chain.receive.start();
    const due = deps.clock.now();
    await watchAccount(deps.db, { network, account, chain, cursor, custodial: true, watch_until: null, due_at: due });
    return true;
  } catch (error) {
    if (isAway(error)) return false;
    throw error;
  }
}

/** Seconds without a reading until the operator is warned. */
const stalledSeconds = 60;

/** Keeps the newest known reading of each chain. A process without a deposit sweep has none. */
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
    remarks: () => [...ages()].filter(([, seconds]) => seconds >= stalledSeconds).map(remarkOn),
  };
}

function remarkOn([chain, seconds]: readonly [string, number]): string {
  return `deposits: payments on ${chain} have not been read for ${Math.floor(seconds)} s; the log says why`;
}
