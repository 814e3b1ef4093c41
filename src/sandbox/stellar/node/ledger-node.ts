import type { Ledger, Submission } from '../core/ledger.ts';
import { envelopeHashes } from '../history/decoded-transaction.ts';
import { enqueue, isAnythingQueued, type QueuedTransaction } from './ledger.store.ts';
import { createLedgerDesk, type LedgerDesk, type LedgerDeskDeps } from './ledger-access.ts';
import { isIdleDue } from './ledger-header.ts';

/** One server’s node of the sandbox network: takes transactions, closes ledgers, and follows those that others close. */
export interface LedgerNode extends Pick<LedgerDesk, 'current' | 'exclusively' | 'onLedger' | 'onStep'> {
  /** `current`, and when an idle network would have closed a ledger since, that one is closed first. */
  latest(): Promise<Ledger>;
  /**
   * Hands in a transaction. With `delay` it is kept back that many ledgers, and whatever is wrong with it shows then.
   * Throws `MalformedEnvelope` for what is none.
   */
  submit(envelopeXdr: string, delay?: number): Promise<Submission>;
  /** Looks whether others closed ledgers or left transactions waiting. Throws nothing. */
  look(): void;
  /** Closes nothing any more; resolves when what was under way is done. */
  stop(): Promise<void>;
}

/** What a node stands on. */
export interface LedgerNodeDeps extends LedgerDeskDeps {
  readonly log: { error(details: object, message: string): void };
}

/** Makes a node. It touches the database when it is first asked for something. */
export function createLedgerNode(deps: LedgerNodeDeps): LedgerNode {
  const { db, clock, closeEveryMs, log } = deps;
  const desk = createLedgerDesk(deps);
  const closer = createCloser(desk, deps);
  const submissions = createSubmissions({
    exclusively: async work => {
      await desk.exclusively(async ({ tx, ledger, closeWhenIdle }) => {
        await closeWhenIdle();
        const next = ledger.header.sequence + 1;
        await work(ledger, (rows, delay) => enqueue(tx, rows, delay === 0 ? 0 : next + delay));
      });
      closer.schedule(gatherMs);
    },
  });

  async function look(): Promise<void> {
    await desk.current();
    if (await isAnythingQueued(db)) closer.schedule(gatherMs);
  }

  return {
    ...desk,
    latest: async () => {
      const ledger = await desk.current();
      if (!isIdleDue(ledger.header, clock.now(), closeEveryMs)) return ledger;
      return await desk.exclusively(async turn => {
        await turn.closeWhenIdle();
        return turn.ledger;
      });
    },
    submit: submissions.submit,
    look: () => {
      look().catch(err => log.error({ err }, 'the sandbox network could not look at what others closed'));
    },
    stop: closer.stop,
  };
}

/** Waiting time of a transaction that finds the network idle, so that others may join it in its ledger, in milliseconds. */
const gatherMs = 20;
const retryMs = 1_000;

/** Closes a ledger when it is time, and sees to the next one while something waits. */
function createCloser(desk: LedgerDesk, { closeEveryMs, log }: LedgerNodeDeps) {
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function schedule(afterMs: number): void {
    if (timer === null && !stopped) timer = setTimeout(() => void run(), afterMs);
  }

  /** Until the next ledger, in milliseconds; null when nothing waits for it. */
  async function closeInTime(): Promise<number | null> {
    return await desk.exclusively(async ({ tx, ageMs, close }) => {
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
      await desk.settled();
    },
  };
}

/** Keeps transactions that were taken, from the ledger after the next `delay` ones on. */
type Keep = (rows: readonly Omit<QueuedTransaction, 'position'>[], delay: number) => Promise<void>;

/** What submissions stand on: work on the ledger that nobody else does meanwhile, written down when it resolves. */
interface SubmissionDeps {
  readonly exclusively: (work: (ledger: Ledger, keep: Keep) => Promise<void>) => Promise<void>;
}

/** Takes transactions in groups. */
interface Submissions {
  submit(envelopeXdr: string, delay?: number): Promise<Submission>;
}

interface Waiting {
  readonly envelopeXdr: string;
  readonly delay: number;
  resolve(submission: Submission): void;
  reject(error: unknown): void;
}

/** Submissions that are taken in one turn; others get theirs in between. */
const largestGroup = 200;

/**
 * Group commit: what arrives while a group is taken goes into the next one together. Nobody is answered before what was
 * taken is written down.
 */
function createSubmissions({ exclusively }: SubmissionDeps): Submissions {
  const waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) await takeGroup(waiting.splice(0, largestGroup));
    running = false;
  }

  async function takeGroup(group: readonly Waiting[]): Promise<void> {
    let answers: readonly (() => void)[] = [];
    try {
      await exclusively(async (ledger, keep) => {
        answers = await take(ledger, keep, group);
      });
      for (const answer of answers) answer();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  return {
    submit: (envelopeXdr, delay = 0) =>
      new Promise((resolve, reject) => {
        waiting.push({ envelopeXdr, delay, resolve, reject });
        if (!running) setImmediate(() => running || void run());
      }),
  };
}

/** Hands the group to the ledger; resolves with what is to be told to each once that is written down. */
async function take(ledger: Ledger, keep: Keep, group: readonly Waiting[]): Promise<readonly (() => void)[]> {
  const answers: (() => void)[] = [];
  const taken: Omit<QueuedTransaction, 'position'>[] = [];
  for (const { envelopeXdr, delay, resolve, reject } of group) {
    try {
      const submission = delay === 0 ? ledger.submit(envelopeXdr) : await holdBack(keep, envelopeXdr, delay);
      if (submission.status === 'PENDING' && delay === 0) taken.push({ hash: submission.hash, envelope: envelopeXdr });
      answers.push(() => resolve(submission));
    } catch (error) {
      answers.push(() => reject(error));
    }
  }
  await keep(taken, 0);
  return answers;
}

async function holdBack(keep: Keep, envelope: string, delay: number): Promise<Submission> {
  const { hash } = envelopeHashes(envelope);
  await keep([{ hash, envelope }], delay);
  return { status: 'PENDING', hash, resultXdr: null };
}
