import { type ClaimableBalanceIdWire, LedgerEntry, LedgerKey } from '@stellar/stellar-sdk/xdr';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { createLedger, type Ledger } from '../core/ledger.ts';
import type { ClosedLedger } from '../core/ledger-close.ts';
import type { LiquidityPool } from '../core/state/entries.ts';
import { assetText, balanceIdText } from '../core/state/identifiers.ts';
import { balancesUsed, openApplied, recordsOf } from '../history/ledger-records.ts';
import type { Held } from '../history/movements.ts';
import { ledgerId } from '../history/total-order-id.ts';
import { appliedAfter, writeHistory } from '../history/write-history.store.ts';
import type { StellarDb } from '../tables.ts';
import {
  dequeue,
  entriesByKey,
  forgetDeletions,
  type KeptHeader,
  lockGenesis,
  readChanges,
  readEntries,
  readHeader,
  readQueue,
  writeEntries,
  writeHeader,
} from './ledger.store.ts';
import { genesisLedger, noHeader, type SealedHeader, sealHeader } from './ledger-header.ts';

/**
 * Keeps the ledger in memory and the one in the database the same. Everything here happens inside the caller's
 * transaction, which holds the lock of the header; when that transaction fails the memory is ahead of the database, and
 * the caller must `forget` it.
 */
interface LedgerKeeper {
  /**
   * The ledger as the database has it, with all in its queue that waits; makes the network when there is none. Tells
   * what others closed since it was opened last; `null` where that cannot be told apart any more.
   */
  open(tx: StellarDb, tell: (step: LedgerStep | null) => void): Promise<OpenLedger>;
  /** Closes the next ledger and writes it down. */
  close(tx: StellarDb, open: OpenLedger, closeTime: bigint): Promise<ClosedLedger>;
  forget(): void;
  /** The ledger in memory as it was last opened; null before, and after it was forgotten. */
  inMemory(): Ledger | null;
}

/** What one ledger, or several together, brought about. */
export type LedgerStep = Pick<ClosedLedger, 'header' | 'changes'>;

/** A ledger that may be changed. */
interface OpenLedger {
  readonly ledger: Ledger;
  /** What seals the ledger that was closed last. */
  sealed: SealedHeader;
  /** How long ago it was closed by the database’s clock, in milliseconds. */
  readonly ageMs: number;
}

/** How a keeper makes a network that does not exist yet. */
export interface KeeperOptions {
  /** The moment at which a new network begins. */
  readonly now: () => Date;
  /** Envelopes that a new network begins with: each group fills a ledger of its own. */
  readonly firstTransactions: (ledger: Ledger) => Iterable<readonly string[]>;
}

/** Deletions of entries are remembered for this many ledgers. */
const deletionsKept = 200;

/** Makes a keeper that has nothing in memory yet. */
export function createLedgerKeeper({ now, firstTransactions }: KeeperOptions): LedgerKeeper {
  let ledger: Ledger | null = null;
  /** Waiting transactions that the ledger in memory knows. */
  const fed = new Set<string>();

  async function open(tx: StellarDb, tell: (step: LedgerStep | null) => void): Promise<OpenLedger> {
    const kept = await readHeader(tx, true);
    if (kept === null) return await begin(tx, tell);
    ledger = await caughtUp({ tx, kept, fed, tell }, ledger);
    await feed(tx, ledger, fed);
    return { ledger, sealed: kept, ageMs: kept.ageMs };
  }

  async function begin(tx: StellarDb, tell: (step: LedgerStep | null) => void): Promise<OpenLedger> {
    await lockGenesis(tx);
    // Another process may have been faster.
    if ((await readHeader(tx, true)) !== null) return await open(tx, tell);
    const first = genesisLedger(now());
    ledger = createLedger({ networkPassphrase: testPassphrase, header: first.header, entries: first.changes });
    fed.clear();
    const opened: OpenLedger = { ledger, sealed: noHeader, ageMs: 0 };
    await writeDown(tx, opened, first, []);
    for (const group of firstTransactions(ledger)) {
      for (const envelope of group) mustBePending(ledger, envelope);
      await close(tx, opened, first.header.closeTime);
    }
    tell(null);
    return opened;
  }

  async function close(tx: StellarDb, opened: OpenLedger, closeTime: bigint): Promise<ClosedLedger> {
    const pools = opened.ledger.pools();
    const closed = opened.ledger.close(closeTime);
    await writeDown(tx, opened, closed, pools);
    const gone = [...closed.transactions.map(({ hash }) => hash), ...closed.dropped];
    await dequeue(tx, gone);
    for (const hash of gone) fed.delete(hash);
    const { sequence } = closed.header;
    if (sequence % deletionsKept === 0) await forgetDeletions(tx, sequence - deletionsKept);
    return closed;
  }

  return {
    open,
    close,
    forget: () => {
      ledger = null;
      fed.clear();
    },
    inMemory: () => ledger,
  };
}

function mustBePending(ledger: Ledger, envelope: string): void {
  const { status, resultXdr } = ledger.submit(envelope);
  if (status !== 'PENDING') throw new Error(`a first transaction of the sandbox network is ${status}: ${resultXdr}`);
}

interface CatchUp {
  readonly tx: StellarDb;
  readonly kept: KeptHeader;
  readonly fed: Set<string>;
  readonly tell: (step: LedgerStep | null) => void;
}

/** Takes over what other processes closed since; all of it when that is too long ago to be told apart. */
async function caughtUp({ tx, kept, fed, tell }: CatchUp, known: Ledger | null): Promise<Ledger> {
  const { header } = kept;
  if (known !== null && known.header.sequence === header.sequence) return known;
  if (known === null || known.header.sequence < kept.deletionsSince) {
    fed.clear();
    tell(null);
    return createLedger({ networkPassphrase: testPassphrase, header, entries: await readEntries(tx) });
  }
  const since = known.header.sequence;
  const [changes, transactions] = [await readChanges(tx, since), await appliedAfter(tx, ledgerId(since + 1))];
  known.load({ header, changes, transactions });
  tell({ header, changes });
  for (const hash of fed) if (!known.queued(hash)) fed.delete(hash);
  return known;
}

/** Takes over what other processes queued, and drops what the ledger does not take any more. */
async function feed(tx: StellarDb, ledger: Ledger, fed: Set<string>): Promise<void> {
  const refused: string[] = [];
  for (const { hash, envelope } of await readQueue(tx, ledger.header.sequence + 1)) {
    if (fed.has(hash)) continue;
    const { status } = ledger.submit(envelope);
    if (status === 'PENDING' || status === 'DUPLICATE') fed.add(hash);
    else refused.push(hash);
  }
  await dequeue(tx, refused);
}

/** Writes down a closed ledger: header, entries, history. */
async function writeDown(
  tx: StellarDb,
  opened: OpenLedger,
  closed: ClosedLedger,
  pools: Iterable<LiquidityPool>,
): Promise<void> {
  const { header, changes } = closed;
  const sealed = sealHeader(closed, opened.sealed);
  const applied = openApplied(closed);
  // Their entries are gone from the ledger, but not yet from the database.
  const balances = await readBalances(tx, balancesUsed(applied));
  await writeHeader(tx, { header, ...sealed });
  await writeEntries(tx, header.sequence, changes);
  await writeHistory(tx, {
    ...{ header, sealed, previousHash: opened.sealed.hash },
    closedAt: new Date(Number(header.closeTime) * 1000),
    records: recordsOf(header.sequence, applied, { pools, balances }),
  });
  opened.sealed = sealed;
}

/** What claimable balances hold, by their id, as far as the database has them. */
async function readBalances(db: StellarDb, ids: readonly ClaimableBalanceIdWire[]): Promise<ReadonlyMap<string, Held>> {
  if (ids.length === 0) return new Map();
  const keys = ids.map(balanceId => LedgerKey.schema.encode({ type: 4, claimableBalance: { balanceId } }));
  const entries = await entriesByKey(
    db,
    keys.map(key => Buffer.from(key).toString('base64')),
  );
  return new Map(
    entries.flatMap(({ entryXdr }) => {
      const { data } = LedgerEntry.schema.decode(Buffer.from(entryXdr, 'base64'));
      if (data.type !== 4) return [];
      const { balanceId, asset, amount } = data.claimableBalance;
      return [[balanceIdText(balanceId), { asset: assetText(asset), amount }] as const];
    }),
  );
}
