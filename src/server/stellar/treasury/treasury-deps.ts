import type { Clock } from '../../../core/clock.ts';
import { createAnswerCache } from '../../platform/answer-cache.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Log } from '../../platform/jobs/sweeper.ts';
import type { StellarMarket, StellarNetwork, StellarSubmission } from '../network.ts';
import type { StellarSigner } from '../signing/signer.ts';
import type { Destinations } from './destination.ts';

export interface TreasuryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly network: Pick<StellarNetwork, 'passphrase' | 'submit' | 'status' | 'latestLedger' | 'fees' | 'account'>;
  readonly signer: StellarSigner;
  readonly destinations: Destinations;
  readonly view: TreasuryView;
  readonly ledger: LedgerView;
  readonly log: Log;
  /** The highest fee per operation, in stroops. */
  readonly feeCap: bigint;
  /** Milliseconds between two looks for a submitted transaction. */
  readonly pollMs: number;
  readonly wake: (sweep: string) => void;
}

/** The rail of outbound transfers that the treasury sends. */
export const treasuryRail = 'stellar';

/** Milliseconds to cache an answer: less than the time of a ledger, so an answer is at most one ledger old. */
const holdMs = 2_000;

export type TreasuryView = ReturnType<typeof createTreasuryView>;

/**
 * Reads the treasury's balances (stroops by asset), at most once in `holdMs`. Omits assets that the treasury is not
 * authorized to send. Null if the account does not exist. `forget` makes the next call ask the network.
 */
export function createTreasuryView(market: Pick<StellarMarket, 'account'>, treasury: string) {
  const cache = createAnswerCache({ holdMs }, async (address: string) => {
    const account = await market.account(address);
    if (account === null) return null;
    return new Map(account.balances.filter(line => line.authorized).map(line => [line.asset, line.spendable]));
  });
  return { spendable: () => cache.read(treasury), forget: cache.clear };
}

export type LedgerView = ReturnType<typeof createLedgerView>;

/** Reads the newest ledger and its fees, at most once in `holdMs`. */
export function createLedgerView(network: Pick<StellarSubmission, 'latestLedger' | 'fees'>) {
  const cache = createAnswerCache({ holdMs }, async () => {
    const [ledger, market] = await Promise.all([network.latestLedger(), network.fees()]);
    return { ledger, market };
  });
  return { read: () => cache.read('newest') };
}
