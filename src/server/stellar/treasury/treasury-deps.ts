import type { Db } from '../../platform/db/database.ts';
import type { Log } from '../../platform/jobs/sweeper.ts';
import type { StellarNetwork } from '../network.ts';
import type { StellarSigner } from '../signing/signer.ts';
import type { Destinations } from './destination.ts';
import type { LedgerView, TreasuryView } from './treasury-view.ts';

/** What sending needs. */
export interface SubmissionDeps {
  readonly db: Db;
  readonly network: Pick<StellarNetwork, 'passphrase' | 'submit' | 'status' | 'latestLedger' | 'fees' | 'account'>;
  readonly signer: StellarSigner;
  readonly destinations: Destinations;
  readonly treasury: TreasuryView;
  readonly ledger: LedgerView;
  readonly log: Log;
  /** The most that is offered per operation, in stroops. */
  readonly feeCap: bigint;
  /** How often a transaction that waits for a ledger is asked after, in milliseconds. */
  readonly pollMs: number;
  /** Runs the named sweep soon. */
  readonly wake: (sweep: string) => void;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
}

/** The sweep that puts queued transfers into transactions. */
export const buildSweep = 'submission.build';
/** The sweep that hands transactions in and follows them. */
export const sendSweep = 'submission.send';
