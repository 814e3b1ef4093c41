import { bookSweep, createOutboundBacklog, type OutboundBacklog } from '../../outbound/outbound.service.ts';
import { committedAmounts } from '../../outbound/outbound.store.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { StellarUnavailable } from '../network.ts';
import { type BuildDeps, buildTransactions } from './build.service.ts';
import { createSender } from './send.service.ts';
import { createSequenceWatch, type SequenceWatch, type SequenceWatchDeps } from './sequence-watch.service.ts';
import { buildSweep, treasuryRail } from './treasury-deps.ts';
import { setUpTreasury, type TreasurySetupDeps, type TreasuryStatus } from './treasury-setup.service.ts';
import { type TreasuryHoldings, type TreasuryWatchDeps, watchTreasury } from './treasury-watch.service.ts';

/** The parts of the treasury. */
export interface TreasuryPartsDeps extends TreasurySetupDeps, TreasuryWatchDeps, SequenceWatchDeps {}

/** Sends outbound transfers of the rail `stellar`, each once, even when the network gives no answer or a server dies. */
export interface Treasury {
  /** Unreserved money in stroops by asset: queued and sent transfers are deducted. Throws `StellarUnavailable`. */
  available(): Promise<ReadonlyMap<string, bigint>>;
  /** Sentences for the operator. */
  readonly remarks: () => readonly string[];
  /** Number of channel accounts with transactions that this database does not know. */
  readonly channelsAhead: () => number;
  /** Transfers that are not sent yet. */
  readonly backlog: Pick<OutboundBacklog, 'counts' | 'oldestSeconds'>;
  /** The balances at the last reading; empty before it. */
  readonly holdings: () => TreasuryHoldings;
  readonly sweeps: readonly Sweep[];
}

/** Makes the treasury. */
export function createTreasury(deps: TreasuryPartsDeps): Treasury {
  const sequences = createSequenceWatch(deps);
  const keeper = createTreasuryKeeper(deps, sequences);
  const backlog = createOutboundBacklog(deps.db, treasuryRail);
  const onEnded = () => deps.wake(bookSweep);
  return {
    available: async () => {
      const spendable = (await deps.view.spendable()) ?? new Map<string, bigint>();
      const committed = await committedAmounts(deps.db, treasuryRail, ['queued', 'held', 'sending']);
      const left = [...spendable].map(([asset, amount]) => [asset, amount - (committed.get(asset) ?? 0n)] as const);
      return new Map(left.filter(([, amount]) => amount > 0n));
    },
    remarks: () => [...keeper.status().missing, ...sequences.remarks(), ...backlog.remarks()],
    channelsAhead: sequences.ahead,
    backlog,
    holdings: keeper.holdings,
    sweeps: [
      keeper.sweep,
      backlog.sweep,
      createBuilder({ ...deps, sequences }, keeper.onShortage, onEnded),
      createSender(deps, onEnded),
    ],
  };
}

/**
 * Builds at once after a pause, then at most twice a poll. A channel carries one transaction a ledger, so fewer and larger
 * transactions leave channels free for transfers that come later in the same ledger.
 */
function createBuilder(deps: BuildDeps, onShortage: (missing: number) => void, onEnded: () => void): Sweep {
  let builtAt = Number.NEGATIVE_INFINITY;
  return {
    name: buildSweep,
    everyMs: deps.pollMs,
    run: async () => {
      const waitMs = builtAt + deps.pollMs / 2 - performance.now();
      if (waitMs > 0) {
        setTimeout(() => deps.wake(buildSweep), waitMs).unref();
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

/** How often the treasury is set up and watched, in milliseconds: usually, while channels are missing, and before it is ready. */
const calmMs = 30_000;
const growMs = 5_000;
const setUpMs = 2_000;

/** Sets the treasury up and watches it. */
function createTreasuryKeeper(deps: TreasuryPartsDeps, sequences: SequenceWatch) {
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
    name: 'treasury',
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
