import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Log } from '../../platform/jobs/sweeper.ts';
import type { StellarNetwork } from '../network.ts';
import type { StellarSigner } from '../signing/signer.ts';
import type { Destinations } from './destination.ts';
import type { LedgerView, TreasuryView } from './treasury-view.ts';

/** What sending from the treasury needs. */
export interface TreasuryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly network: Pick<StellarNetwork, 'passphrase' | 'submit' | 'status' | 'latestLedger' | 'fees' | 'account'>;
  readonly signer: StellarSigner;
  readonly destinations: Destinations;
  readonly view: TreasuryView;
  readonly ledger: LedgerView;
  readonly log: Log;
  /** The highest fee that is offered per operation, in stroops. */
  readonly feeCap: bigint;
  /** How often a submitted transaction is asked after, in milliseconds. */
  readonly pollMs: number;
  /** Runs the named sweep soon. */
  readonly wake: (sweep: string) => void;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
}

/** The rail of outbound transfers that the treasury sends. */
export const treasuryRail = 'stellar';
/** The sweep that puts queued transfers into transactions. */
export const buildSweep = 'treasury.build';
/** The sweep that submits transactions and follows them. */
export const submitSweep = 'treasury.submit';
