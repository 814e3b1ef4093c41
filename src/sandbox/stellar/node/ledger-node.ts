import type { Ledger, Submission } from '../core/ledger.ts';
import { transactionHash } from '../history/decoded-transaction.ts';
import { enqueue, isAnythingQueued, type QueuedTransaction } from './ledger.store.ts';
import { createLedgerAccess, type LedgerAccess, type LedgerAccessDeps } from './ledger-access.ts';
import { isIdleDue } from './ledger-header.ts';

/** A node of the sandbox network. It takes transactions, closes ledgers and loads ledgers of other processes. */
export interface LedgerNode extends Pick<LedgerAccess, 'current' | 'exclusively' | 'onLedger' | 'onStep'> {
  /** Like `current`, but first closes a ledger if a ledger is due even without transactions. */
  latest(): Promise<Ledger>;
  /**
   * Submits a transaction. `delay`: ledgers that close before the transaction is checked. Throws `MalformedEnvelope`.
   */
  submit(envelopeXdr: string, delay?: number): Promise<Submission>;
  /** Looks for ledgers and pending transactions of other processes. Never throws. */
  look(): void;
  /** Stops closing ledgers. Resolves after the current work. */
  stop(): Promise<void>;
}

export interface LedgerNodeDeps extends LedgerAccessDeps {
  readonly log: { error(details: object, message: string): void };
}

/** Creates a node. Does not read the database before the first call of a method. */
export function createLedgerNode(deps: LedgerNodeDeps): LedgerNode {
  const { db, clock, closeEveryMs, log } = deps;
  const access = createLedgerAccess(deps);
  const closer = createCloser(access, deps);
  const submit = createSubmissions(async group => {
    const answers = await access.exclusively(async ({ tx, ledger, closeWhenIdle }) => {
      await closeWhenIdle();
      const next = ledger.header.sequence + 1;
      return await submitGroup(ledger, group, (rows, delay) => enqueue(tx, rows, delay === 0 ? 0 : next + delay));
    });
    closer.schedule(gatherMs);
    return answers;
  });

  async function look(): Promise<void> {
    await access.current();
    if (await isAnythingQueued(db)) closer.schedule(gatherMs);
  }

  return {
    ...access,
    latest: async () => {
      const ledger = await access.current();
      if (!isIdleDue(ledger.header, clock.now(), closeEveryMs)) return ledger;
      return await access.exclusively(async locked => {
        await locked.closeWhenIdle();
        return locked.ledger;
      });
    },
    submit,
    look: () => {
      look().catch(err => log.error({ err }, 'the sandbox network could not read ledgers that other processes closed'));
    },
    stop: closer.stop,
  };
}

/**
 * Milliseconds from the first transaction of an idle network to the close, so that more transactions fit the ledger.
 */
const gatherMs = 20;
const retryMs = 1_000;

/** Closes ledgers at the interval as long as transactions are pending. */
function createCloser(access: LedgerAccess, { closeEveryMs, log }: LedgerNodeDeps) {
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function schedule(afterMs: number): void {
    if (timer === null && !stopped) timer = setTimeout(() => void run(), afterMs);
  }

  /** Closes a due ledger. Returns the milliseconds until the next ledger, or null if no transaction is pending. */
  async function closeInTime(): Promise<number | null> {
    return await access.exclusively(async ({ tx, ageMs, close }) => {
      const earlyMs = closeEveryMs - ageMs;
      if (earlyMs > 1) return earlyMs;
      await close();
      return (await isAnythingQueued(tx)) ? closeEveryMs : null;
    });
  }

  async function run(): Promise<void> {
    let waitMs: number | null = retryMs;
    try {
      waitMs = await closeInTime();
    } catch (err) {
      log.error({ err }, 'the sandbox network could not close a ledger and will try again');
    }
    timer = null;
    if (waitMs !== null) schedule(waitMs);
  }

  return {
    schedule,
    stop: async () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await access.settled();
    },
  };
}

interface SubmissionRequest {
  readonly envelopeXdr: string;
  readonly delay: number;
  resolve(submission: Submission): void;
  reject(error: unknown): void;
}

/** The maximum number of submissions in one database transaction, so that other work is not delayed. */
const groupSize = 200;

/**
 * Group commit: submissions that arrive during a commit share the next commit. Each submission is answered after its
 * commit. `process` returns the functions that answer.
 */
function createSubmissions(
  process: (group: readonly SubmissionRequest[]) => Promise<readonly (() => void)[]>,
): LedgerNode['submit'] {
  const waiting: SubmissionRequest[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, groupSize);
      try {
        for (const answer of await process(group)) answer();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    running = false;
  }

  return (envelopeXdr, delay = 0) =>
    new Promise((resolve, reject) => {
      waiting.push({ envelopeXdr, delay, resolve, reject });
      if (!running) setImmediate(() => running || void run());
    });
}

/**
 * Submits a group to the ledger and stores the accepted transactions. Stores delayed transactions unchecked. Returns
 * the functions that answer.
 */
async function submitGroup(
  ledger: Ledger,
  group: readonly SubmissionRequest[],
  store: (rows: readonly QueuedTransaction[], delay: number) => Promise<void>,
): Promise<readonly (() => void)[]> {
  const answers: (() => void)[] = [];
  const accepted: QueuedTransaction[] = [];
  for (const { envelopeXdr: envelope, delay, resolve, reject } of group) {
    try {
      let submission: Submission;
      if (delay === 0) {
        submission = ledger.submit(envelope);
        if (submission.status === 'PENDING') accepted.push({ hash: submission.hash, envelope });
      } else {
        submission = { status: 'PENDING', hash: transactionHash(envelope), resultXdr: null };
        await store([{ hash: submission.hash, envelope }], delay);
      }
      answers.push(() => resolve(submission));
    } catch (error) {
      answers.push(() => reject(error));
    }
  }
  await store(accepted, 0);
  return answers;
}
