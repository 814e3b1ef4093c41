import type { Executor, Tx } from '../../platform/db/database.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { StellarUnavailable } from '../network.ts';
import { type BuildDeps, buildTransactions } from './build.service.ts';
import { createWaitingWatch, type WaitingWatch } from './outbound-backlog.ts';
import { committedAmounts, findOutgoing, insertOutgoing, type OutgoingRow, takeEnded } from './outgoing.store.ts';
import type { NewTransfer, Purpose } from './outgoing.ts';
import { createSender } from './send.service.ts';
import { createSequenceWatch, type SequenceWatch, type SequenceWatchDeps } from './sequence-watch.service.ts';
import { buildSweep } from './treasury-deps.ts';
import { setUpTreasury, type TreasurySetupDeps, type TreasuryStatus } from './treasury-setup.service.ts';
import { type TreasuryHoldings, type TreasuryWatchDeps, watchTreasury } from './treasury-watch.service.ts';

/** What is told of transfers that have ended, by what they were for. */
export type EndedSweeps = Readonly<Record<Purpose, string>>;

/** What the engine is made of. */
export interface SubmissionEngineDeps extends TreasurySetupDeps, TreasuryWatchDeps, SequenceWatchDeps {
  /** The sweeps that book transfers which have ended. */
  readonly endedSweeps: EndedSweeps;
}

/**
 * Sends money out of the treasury on Stellar: each sum once, whatever the network answers and whenever a server dies.
 * What is queued in a transaction of the database is sent when that commits; how it ended is taken from here by whoever
 * queued it, and booked in a transaction of its own.
 */
export interface Submission {
  /** Queues money, or finds what was queued for the same thing before. Wake `buildSweep` when the transaction has committed. */
  queue(tx: Executor, transfer: NewTransfer): Promise<OutgoingRow>;
  /** The last attempt to send money for a resource, or null. */
  find(db: Executor, purpose: Purpose, resourceId: string): Promise<OutgoingRow | null>;
  /** Takes one transfer that has ended and was not booked yet; the caller books it in the same transaction. */
  takeEnded(tx: Tx, purpose: Purpose): Promise<OutgoingRow | null>;
  /** What the treasury could still send, in stroops by asset: what is queued or on its way is taken off. Throws `StellarUnavailable`. */
  available(): Promise<ReadonlyMap<string, bigint>>;
  /** What the operator should see to. */
  readonly remarks: () => readonly string[];
  /** Channels of the treasury that have sent what is not known here. */
  readonly channelsAhead: () => number;
  /** Transfers that wait to leave: their number by state and reason, and how long the oldest has waited, in seconds. */
  readonly waiting: Pick<WaitingWatch, 'counts' | 'oldestSeconds'>;
  /** What the treasury held when it was last looked at; empty before. */
  readonly holdings: () => TreasuryHoldings;
  readonly sweeps: readonly Sweep[];
}

/** The sweep that sets the treasury up and watches it. */
export const treasurySweep = 'treasury';

/** Puts the engine together. */
export function createSubmission(deps: SubmissionEngineDeps): Submission {
  const sequences = createSequenceWatch(deps);
  const keeper = createTreasuryKeeper(deps, sequences);
  const waiting = createWaitingWatch(deps);
  const onEnded = () => {
    for (const sweep of Object.values(deps.endedSweeps)) deps.wake(sweep);
  };
  return {
    queue: insertOutgoing,
    find: findOutgoing,
    takeEnded,
    available: async () => {
      const spendable = (await deps.treasury.spendable()) ?? new Map<string, bigint>();
      const committed = await committedAmounts(deps.db, ['queued', 'held', 'assigned', 'submitted']);
      const left = [...spendable].map(([asset, amount]) => [asset, amount - (committed.get(asset) ?? 0n)] as const);
      return new Map(left.filter(([, amount]) => amount > 0n));
    },
    remarks: () => [...keeper.status().missing, ...sequences.remarks(), ...waiting.remarks()],
    channelsAhead: sequences.ahead,
    waiting,
    holdings: keeper.holdings,
    sweeps: [
      keeper.sweep,
      waiting.sweep,
      createBuilder({ ...deps, sequences }, keeper.onShortage, onEnded),
      createSender(deps, { onEnded }),
    ],
  };
}

/**
 * Builds at once what comes after a pause, and then what has gathered in a while: a channel carries one transaction a
 * ledger, so a few that carry many leave channels free for what comes later in the same ledger.
 */
function createBuilder(deps: BuildDeps, onShortage: (missing: number) => void, onEnded: () => void): Sweep {
  let builtAt = Number.NEGATIVE_INFINITY;
  return {
    name: buildSweep,
    everyMs: deps.pollMs,
    run: async () => {
      const toWait = builtAt + deps.pollMs / 2 - performance.now();
      if (toWait > 0) {
        setTimeout(() => deps.wake(buildSweep), toWait).unref();
        return 0;
      }
      const done = await buildTransactions(deps, onShortage);
      if (done > 0) {
        builtAt = performance.now();
        onEnded();
      }
      return done;
    },
  };
}

/** How often the treasury is looked at: when nothing is missing, when work waits for channels, and else. In milliseconds. */
const calmMs = 30_000;
const growMs = 5_000;
const setUpMs = 2_000;

/** Looks after the treasury. */
function createTreasuryKeeper(deps: SubmissionEngineDeps, sequences: SequenceWatch) {
  let status: TreasuryStatus = { ready: false, missing: [] };
  let holdings: TreasuryHoldings = new Map();
  let missingChannels = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function say(next: TreasuryStatus): void {
    const isNews = next.ready !== status.ready || next.missing.join() !== status.missing.join();
    status = next;
    if (!isNews) return;
    if (next.missing.length === 0) deps.log.info({ treasury: deps.signer.treasury }, 'the treasury is ready');
    else deps.log.warn({ treasury: deps.signer.treasury, missing: next.missing }, 'the treasury lacks something');
  }

  async function look(): Promise<void> {
    const wanted = missingChannels;
    missingChannels = 0;
    say(await setUpTreasury(deps, wanted));
    holdings = await watchTreasury(deps);
    await sequences.inStep();
    if (status.ready) deps.wake(buildSweep);
  }

  const sweep: Sweep = {
    name: treasurySweep,
    everyMs: setUpMs,
    run: async () => {
      const pauseMs = !status.ready ? 0 : missingChannels > 0 ? growMs : calmMs;
      if (performance.now() - lookedAt < pauseMs) return 0;
      lookedAt = performance.now();
      try {
        await look();
      } catch (error) {
        if (!(error instanceof StellarUnavailable)) throw error;
        say({ ready: status.ready, missing: ['treasury: the Stellar network cannot be reached'] });
      }
      return 0;
    },
  };
  return {
    sweep,
    status: () => status,
    holdings: () => holdings,
    onShortage: (missing: number) => {
      missingChannels = Math.max(missing, missingChannels);
    },
  };
}
