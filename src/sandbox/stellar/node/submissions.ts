import { envelopeHashes } from '../envelope-hash.ts';
import type { Ledger, Submission } from '../ledger.ts';
import type { QueuedTransaction } from './kept-ledger.store.ts';

/** Keeps transactions that were taken, from the ledger after the next `delay` ones on. */
type Keep = (rows: readonly Omit<QueuedTransaction, 'position'>[], delay: number) => Promise<void>;

/** What submissions stand on: work on the ledger that nobody else does meanwhile, written down when it resolves. */
export interface SubmissionDeps {
  readonly exclusively: (work: (ledger: Ledger, keep: Keep) => Promise<void>) => Promise<void>;
}

/** Takes transactions in groups. */
export interface Submissions {
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
export function createSubmissions({ exclusively }: SubmissionDeps): Submissions {
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
