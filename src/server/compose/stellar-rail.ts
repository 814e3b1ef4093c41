import { formatUnits, stellarDecimals } from '../../core/money.ts';
import type { CryptoRail } from '../chains/chain.ts';
import { createStellarChain } from '../chains/stellar-chain.ts';
import { createStellarWallets } from '../chains/stellar-wallets.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import type { Log } from '../platform/logging.ts';
import type { Gauge } from '../platform/metrics.ts';
import type { Faucet } from '../stellar/treasury/treasury-setup.service.ts';
import type { Stellar } from './create-stellar.ts';
import { createMoneyOut, type MoneyOut, type MoneyOutDeps } from './stellar-outbound.ts';

/** What taking and sending money on Stellar is put together from. */
export interface MoneyOnStellarDeps {
  readonly payments: MoneyOutDeps['payments'];
  readonly log: Log;
  readonly stellar: Stellar;
  /** Who gives money away on the sandbox network; null elsewhere. */
  readonly faucet: (Faucet & { readonly address: string }) | null;
  /** Whether the network can be asked yet: the sandbox’s is served by this process. */
  readonly isReachable: () => boolean;
}

/** The service’s money on Stellar: how it comes in, and how it goes out. */
export interface MoneyOnStellar {
  readonly rail: CryptoRail;
  readonly out: MoneyOut;
  readonly sweeps: readonly Sweep[];
  /** What the metrics page shows of it. */
  readonly gauges: readonly Gauge[];
  /** What the operator should see to. */
  readonly remarks: () => readonly string[];
}

/**
 * How often a transaction that waits for a ledger is asked after, in milliseconds. Ledgers of the real networks are five
 * seconds apart, and their servers count requests.
 */
const publicPollMs = 2_000;
const sandboxPollMs = 250;

/** Below this the treasury is reported as low: 100 units of any asset. */
const floorUnits = 100n * 10n ** 7n;

/** Puts it together. */
export function createMoneyOnStellar(deps: MoneyOnStellarDeps): MoneyOnStellar {
  const { payments, log, stellar, isReachable } = deps;
  const { network, signer, assets, feeCap, resumeCode, livemode, links, friendbot } = stellar;
  const out = createMoneyOut({
    ...{ payments, log, network, signer, assets, feeCap, resumeCode, livemode },
    faucet: deps.faucet ?? (friendbot === null ? null : { open: friendbot.open, fill: nothingToFill }),
    floors: () => floorUnits,
    pollMs: deps.faucet === null ? publicPollMs : sandboxPollMs,
  });
  const rail: CryptoRail = {
    chain: createStellarChain({ network, payUri: links.payUri }),
    livemode,
    account: signer.treasury,
    wallets: createStellarWallets(network),
    refunds: out.refunds,
    suppliers: deps.faucet === null ? [] : [deps.faucet.address],
  };
  return {
    ...{ rail, out },
    sweeps: out.sweeps.map(sweep => whenReachable(sweep, isReachable)),
    gauges: gaugesOf(out),
    remarks: out.submission.remarks,
  };
}

function gaugesOf({ submission }: MoneyOut): Gauge[] {
  return [
    {
      name: 'pay_treasury_spendable',
      help: 'What the treasury could send, in whole units, when it was last looked at.',
      label: 'asset',
      read: () => wholeUnits(submission.holdings()),
    },
    {
      name: 'pay_treasury_channels_ahead',
      help: 'Channel accounts that have sent what the database does not know; above 0 nothing is sent.',
      read: submission.channelsAhead,
    },
    {
      name: 'pay_transfers_waiting',
      help: 'Settlements and refunds that wait to leave the treasury.',
      label: 'state',
      read: submission.waiting.counts,
    },
    {
      name: 'pay_transfers_waiting_seconds',
      help: 'How long the oldest of them has waited.',
      read: submission.waiting.oldestSeconds,
    },
  ];
}

/** Testnet’s friendbot gives XLM alone. */
async function nothingToFill(): Promise<void> {}

function wholeUnits(stroops: ReadonlyMap<string, bigint>): ReadonlyMap<string, number> {
  return new Map([...stroops].map(([asset, amount]) => [asset, Number(formatUnits(amount, stellarDecimals))]));
}

function whenReachable(sweep: Sweep, isReachable: () => boolean): Sweep {
  return { ...sweep, run: async () => (isReachable() ? await sweep.run() : 0) };
}
