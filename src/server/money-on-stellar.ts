import type { CryptoRail } from './chains/chain.ts';
import { createStellarChain } from './chains/stellar-chain.ts';
import { createStellarWallets } from './chains/stellar-wallets.ts';
import type { Sweep } from './jobs/sweeper.ts';
import type { Log } from './logging.ts';
import { createMoneyOut, type MoneyOut, type MoneyOutDeps } from './money-out.ts';
import type { Stellar } from './stellar/create-stellar.ts';
import type { Faucet } from './submission/treasury-setup.service.ts';

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
}

/** Below this the treasury is reported as low: 100 units of any asset. */
const floorUnits = 100n * 10n ** 7n;

/** Puts it together. */
export function createMoneyOnStellar(deps: MoneyOnStellarDeps): MoneyOnStellar {
  const { payments, log, stellar, isReachable } = deps;
  const { network, signer, assets, feeCap, livemode, links, friendbot } = stellar;
  const out = createMoneyOut({
    ...{ payments, log, network, signer, assets, feeCap, livemode },
    faucet: deps.faucet ?? (friendbot === null ? null : { open: friendbot.open, fill: nothingToFill }),
    floors: () => floorUnits,
  });
  const rail: CryptoRail = {
    chain: createStellarChain({ network, payUri: links.payUri }),
    livemode,
    account: signer.treasury,
    wallets: createStellarWallets(network),
    refunds: out.refunds,
    suppliers: deps.faucet === null ? [] : [deps.faucet.address],
  };
  return { rail, out, sweeps: out.sweeps.map(sweep => whenReachable(sweep, isReachable)) };
}

/** Testnet’s friendbot gives XLM alone. */
async function nothingToFill(): Promise<void> {}

function whenReachable(sweep: Sweep, isReachable: () => boolean): Sweep {
  return { ...sweep, run: async () => (isReachable() ? await sweep.run() : 0) };
}
