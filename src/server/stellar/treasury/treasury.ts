import type { CarrierSender } from '../../outbound/carrier.ts';
import { createOutboundBacklog, type OutboundBacklog } from '../../outbound/outbound.service.ts';
import { committedAmounts } from '../../outbound/outbound.store.ts';
import { buildSweep } from '../../outbound/sender.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { StellarUnavailable } from '../network.ts';
import { buildEnvelopes, checkTransfer, freeChannelCount } from './envelope-build.service.ts';
import { findEnvelope, submitEnvelope } from './envelope-send.service.ts';
import { createSequenceWatch, type SequenceWatch, type SequenceWatchDeps } from './sequence-watch.service.ts';
import { treasuryRail } from './treasury-deps.ts';
import { mostChannels, setUpTreasury, type TreasurySetupDeps, type TreasuryStatus } from './treasury-setup.service.ts';
import { type TreasuryHoldings, type TreasuryWatchDeps, watchTreasury } from './treasury-watch.service.ts';

export interface TreasuryPartsDeps extends TreasurySetupDeps, TreasuryWatchDeps, SequenceWatchDeps {}

/** The account that sends the service's money on Stellar. */
export interface Treasury {
  /**
   * Stroops by asset, minus the money of queued and running transfers. A held transfer spends nothing until it is queued
   * again, and one that is too large must not stop the others. Throws `StellarUnavailable`.
   */
  available(): Promise<ReadonlyMap<string, bigint>>;
  /** Problems for the operator to fix, one sentence each. */
  readonly remarks: () => readonly string[];
  /** Number of channel accounts with transactions that this database does not know. */
  readonly channelsAhead: () => number;
  readonly backlog: Pick<OutboundBacklog, 'counts' | 'oldestSeconds'>;
  /** The balances at the last check. Empty before the first check. */
  readonly holdings: () => TreasuryHoldings;
  /** Sends outbound transfers of the lane `stellar`. */
  readonly sender: CarrierSender;
  readonly sweeps: readonly Sweep[];
  /** Resolves after this process has checked the treasury once. On a test network, the check also funds it. */
  setUp(): Promise<void>;
}

export function createTreasury(deps: TreasuryPartsDeps): Treasury {
  const sequences = createSequenceWatch(deps);
  const keeper = createTreasuryKeeper(deps, sequences);
  const backlog = createOutboundBacklog(deps.db, treasuryRail);
  const building = { ...deps, sequences, onShortage: keeper.onShortage };
  return {
    available: async () => {
      const spendable = (await deps.view.spendable()) ?? new Map<string, bigint>();
      const committed = await committedAmounts(deps.db, treasuryRail, ['queued', 'sending']);
      const left = [...spendable].map(([asset, amount]) => [asset, amount - (committed.get(asset) ?? 0n)] as const);
      return new Map(left.filter(([, amount]) => amount > 0n));
    },
    sender: {
      lane: treasuryRail,
      pollMs: deps.pollMs,
      room: () => freeChannelCount(building),
      check: row => checkTransfer(deps, row),
      funds: async () => (await deps.view.spendable()) ?? new Map(),
      build: orders => {
        keeper.onSpent();
        return buildEnvelopes(building, orders);
      },
      submit: carrier => submitEnvelope(deps, carrier),
      status: (carrier, hashes) => findEnvelope(deps, carrier, hashes),
    },
    remarks: () => [...keeper.status().missing, ...sequences.remarks(), ...backlog.remarks()],
    channelsAhead: sequences.ahead,
    backlog,
    holdings: keeper.holdings,
    setUp: keeper.setUp,
    sweeps: [keeper.sweep, backlog.sweep],
  };
}

/** Milliseconds between two checks of a ready treasury that sends. */
const readyMs = 30_000;
/** Milliseconds between two checks of a ready treasury that sends nothing. */
const idleMs = 300_000;
/** Milliseconds until the next check while channels are missing. */
const channelsMissingMs = 1_000;
/** Milliseconds between two checks before the treasury is ready. */
const setUpMs = 2_000;

const keeperSweep = 'treasury';

/** Sets the treasury up and checks it regularly. */
function createTreasuryKeeper(deps: TreasuryPartsDeps, sequences: SequenceWatch) {
  const state = createTreasuryState(deps);
  let holdings: TreasuryHoldings = new Map();
  let missingChannels = 0;
  let hasSpent = true;
  let checkedAt = Number.NEGATIVE_INFINITY;

  async function check(): Promise<void> {
    const wanted = missingChannels;
    missingChannels = 0;
    state.set(await setUpTreasury(deps, wanted));
    holdings = await watchTreasury(deps);
    await sequences.inStep();
    if (state.get().ready) deps.wake(buildSweep(treasuryRail));
  }

  const checks = createChecks(async () => {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof StellarUnavailable)) throw error;
      state.set({ ...state.get(), missing: ['treasury: the Stellar network cannot be reached'] });
    }
  });

  const sweep: Sweep = {
    name: keeperSweep,
    everyMs: setUpMs,
    run: async () => {
      const restingMs = hasSpent ? readyMs : idleMs;
      const pauseMs = !state.get().ready ? 0 : missingChannels > 0 ? channelsMissingMs : restingMs;
      if (performance.now() - checkedAt < pauseMs) return 0;
      checkedAt = performance.now();
      hasSpent = false;
      await checks.run();
      return 0;
    },
  };
  return {
    sweep,
    setUp: checks.first,
    status: state.get,
    holdings: () => holdings,
    /** The balances change: the next check is soon. */
    onSpent: () => {
      hasSpent = true;
    },
    onShortage: (missing: number) => {
      if (state.get().channels >= mostChannels) return;
      missingChannels = Math.max(missing, missingChannels);
      deps.wake(keeperSweep);
    },
  };
}

/** Stores the state of the treasury in memory, and logs its changes. */
function createTreasuryState({ log, signer: { treasury } }: TreasuryPartsDeps) {
  let status: TreasuryStatus = { ready: false, missing: [], channels: 0 };
  return {
    get: () => status,
    set: (next: TreasuryStatus) => {
      const hasChanged = next.ready !== status.ready || next.missing.join() !== status.missing.join();
      status = next;
      if (!hasChanged) return;
      if (next.missing.length === 0) log.info({ treasury }, 'the treasury is ready');
      else log.warn({ treasury, missing: next.missing }, 'the treasury is not ready');
    },
  };
}

/** Runs one check at a time. `first` resolves after the first check. `run` rejects if the check fails. */
function createChecks(check: () => Promise<void>) {
  let running: Promise<void> | null = null;
  let isFirstDone = false;
  function run(): Promise<void> {
    running ??= check().finally(() => {
      running = null;
      isFirstDone = true;
    });
    return running;
  }
  return { run, first: async () => (isFirstDone ? undefined : await run().catch(() => undefined)) };
}
