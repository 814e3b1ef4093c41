import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { createLedger, type Ledger } from '../core/ledger.ts';
import type { ClosedLedger } from '../core/ledger-close.ts';
import { recordsOf } from '../history/ledger-records.ts';
import { ledgerId } from '../history/total-order-id.ts';
import { envelopesFrom, writeHistory } from '../history/write-history.store.ts';
import type { StellarDb } from '../tables.ts';
import {
  dequeue,
  forgetDeletions,
  lockGenesis,
  readChanges,
  readEntries,
  readHeader,
  readQueue,
  type StoredHeader,
  writeEntries,
  writeHeader,
} from './ledger.store.ts';
import { genesisLedger, noHeader, type SealedHeader, sealHeader } from './ledger-header.ts';

/**
 * Keeps the ledger in memory equal to the stored ledger. `open` and `close` run in a database transaction, in which
 * `open` locks the stored header. If that transaction fails, the memory is ahead of the database, and the caller must
 * call `forget`.
 */
export interface LedgerKeeper {
  /**
   * Brings the ledger in memory up to date, including pending transactions. Creates the network if none exists. Reports
   * ledgers that other processes closed. `null`: the changes are unknown, so all entries must be read again.
   */
  open(tx: StellarDb, report: ReportStep): Promise<OpenLedger>;
  /** Closes and stores the next ledger. */
  close(tx: StellarDb, open: OpenLedger, closeTime: bigint): Promise<ClosedLedger>;
  forget(): void;
  /** Returns the ledger in memory, which may be outdated, or null. */
  inMemory(): Ledger | null;
}

/** The changes of one or several closed ledgers. */
export type LedgerStep = Pick<ClosedLedger, 'header' | 'changes'>;

type ReportStep = (step: LedgerStep | null) => void;

/** A ledger that the current work may change. */
interface OpenLedger {
  readonly ledger: Ledger;
  /** The header of the last closed ledger. */
  sealed: SealedHeader;
  /** Time since the last ledger closed, by the database’s clock, in milliseconds. */
  readonly ageMs: number;
}

export interface KeeperOptions {
  /** Returns the current time. A new network starts at this time. */
  readonly now: () => Date;
  /** The first transactions of a new network. Each group becomes one ledger. */
  readonly firstTransactions: (ledger: Ledger) => Iterable<readonly string[]>;
}

/** Deleted entries stay recorded for at least this many ledgers, so that other processes can catch up. */
const deletionLedgers = 200;

export function createLedgerKeeper({ now, firstTransactions }: KeeperOptions): LedgerKeeper {
  let ledger: Ledger | null = null;
  /** Hashes of stored pending transactions that the ledger in memory already contains. */
  const pending = new Set<string>();

  async function open(tx: StellarDb, report: ReportStep): Promise<OpenLedger> {
    const stored = await readHeader(tx, true);
    if (stored === null) return await begin(tx, report);
    ledger = await caughtUp({ tx, stored, pending, report }, ledger);
    await submitPending(tx, ledger, pending);
    return { ledger, sealed: stored, ageMs: stored.ageMs };
  }

  async function begin(tx: StellarDb, report: ReportStep): Promise<OpenLedger> {
    await lockGenesis(tx);
    // Another process may have created the network before the lock was taken.
    if ((await readHeader(tx, true)) !== null) return await open(tx, report);
    const first = genesisLedger(now());
    ledger = createLedger({ networkPassphrase: testPassphrase, header: first.header, entries: first.changes });
    pending.clear();
    const opened: OpenLedger = { ledger, sealed: noHeader, ageMs: 0 };
    await store(tx, opened, first);
    for (const group of firstTransactions(ledger)) {
      for (const envelope of group) requirePending(ledger, envelope);
      await close(tx, opened, first.header.closeTime);
    }
    report(null);
    return opened;
  }

  async function close(tx: StellarDb, opened: OpenLedger, closeTime: bigint): Promise<ClosedLedger> {
    const closed = opened.ledger.close(closeTime);
    await store(tx, opened, closed);
    const gone = [...closed.transactions.map(({ hash }) => hash), ...closed.dropped];
    await dequeue(tx, gone);
    for (const hash of gone) pending.delete(hash);
    const { sequence } = closed.header;
    if (sequence % deletionLedgers === 0) await forgetDeletions(tx, sequence - deletionLedgers);
    return closed;
  }

  return {
    open,
    close,
    forget: () => {
      ledger = null;
      pending.clear();
    },
    inMemory: () => ledger,
  };
}

function requirePending(ledger: Ledger, envelope: string): void {
  const { status, resultXdr } = ledger.submit(envelope);
  if (status !== 'PENDING')
    throw new Error(`one of the first transactions of the sandbox network is ${status}: ${resultXdr}`);
}

interface CatchUp {
  readonly tx: StellarDb;
  readonly stored: StoredHeader;
  readonly pending: Set<string>;
  readonly report: ReportStep;
}

/**
 * Loads ledgers that other processes closed. Loads all entries if no ledger is in memory, or if that ledger is older
 * than the stored deletions.
 */
async function caughtUp({ tx, stored, pending, report }: CatchUp, known: Ledger | null): Promise<Ledger> {
  const { header } = stored;
  if (known !== null && known.header.sequence === header.sequence) return known;
  if (known === null || known.header.sequence < stored.deletionsSince) {
    pending.clear();
    report(null);
    return createLedger({ networkPassphrase: testPassphrase, header, entries: await readEntries(tx) });
  }
  const since = known.header.sequence;
  const changes = await readChanges(tx, since);
  known.load({ header, changes, transactions: await envelopesFrom(tx, ledgerId(since + 1)) });
  report({ header, changes });
  for (const hash of pending) if (!known.queued(hash)) pending.delete(hash);
  return known;
}

/** Submits stored transactions that are new to the ledger in memory. Removes refused transactions from the queue. */
async function submitPending(tx: StellarDb, ledger: Ledger, pending: Set<string>): Promise<void> {
  const refused: string[] = [];
  for (const { hash, envelope } of await readQueue(tx, ledger.header.sequence + 1)) {
    if (pending.has(hash)) continue;
    const { status } = ledger.submit(envelope);
    if (status === 'PENDING' || status === 'DUPLICATE') pending.add(hash);
    else refused.push(hash);
  }
  await dequeue(tx, refused);
}

async function store(tx: StellarDb, opened: OpenLedger, closed: ClosedLedger): Promise<void> {
  const { header, changes, transactions } = closed;
  const sealed = sealHeader(closed, opened.sealed);
  await writeHeader(tx, { header, ...sealed });
  await writeEntries(tx, header.sequence, changes);
  await writeHistory(tx, {
    header,
    sealed,
    previousHash: opened.sealed.hash,
    closedAt: new Date(Number(header.closeTime) * 1000),
    records: recordsOf(header.sequence, transactions),
  });
  opened.sealed = sealed;
}
