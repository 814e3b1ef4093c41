import { createHash } from 'node:crypto';
import type { Clock } from '../../../../core/clock.ts';
import { codeOf } from '../../../../core/error.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { isDatabaseOutage } from '../../../platform/db/outage.ts';
import { type Log, runEach, type Sweep } from '../../../platform/jobs/sweeper.ts';
import { type FileExchange, UnreadableFile } from '../../file-exchange.ts';
import { fileIdOf } from '../bank-file.ts';
import { completeSettled, settlingOrders } from '../bank-order.store.ts';
import { type AnswerDocument, documentsOf } from './answer-content.ts';
import {
  filesOfReferences,
  insertAsides,
  insertBankAnswer,
  isUnreadAside,
  lockKnownOrders,
  openFiles,
  writeDecision,
} from './bank-answer.store.ts';
import { type Aside, asideOf, type Decision, decideAnswer } from './decide-answer.ts';
import { type RecognizedAnswer, readAnswer, referencesIn } from './read-answer.ts';

/** Name of the sweep that reads the answers of banks. */
export const bankInboxSweep = 'bank.inbox';

export interface FileInDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly exchange: FileExchange;
}

/** Milliseconds between two checks of an inbox that does not tell what is due. */
const inboxMs = 30_000;
const mostAnswersAtOnce = 20;
const mostSettledAtOnce = 5_000;

/** Reads each answer of the banks once, and completes orders that are due. */
export function createBankInboxSweep(deps: FileInDeps): Sweep {
  // Files that were read, and that this process could not move away. They must not take the places of other files.
  const stuck = new Set<string>();
  return {
    name: bankInboxSweep,
    due: [settlingOrders, ...(deps.exchange.due ?? [])],
    ...(deps.exchange.due === undefined ? { everyMs: inboxMs } : {}),
    run: async () => {
      const listed = await deps.exchange.list(mostAnswersAtOnce + stuck.size);
      const names = listed.filter(name => !stuck.has(name)).slice(0, mostAnswersAtOnce);
      await runEach([...stuck].slice(0, mostAnswersAtOnce), name => moveAway(deps, stuck, name));
      await runEach(names, async name => {
        if (await takeAnswer(deps, name)) await moveAway(deps, stuck, name);
      });
      return names.length + (await completeSettled(deps.db, deps.clock.now(), mostSettledAtOnce));
    },
  };
}

/** Reads a file of the inbox. A file that cannot be read is put aside. False: another server has moved the file. */
async function takeAnswer(deps: FileInDeps, name: string): Promise<boolean> {
  try {
    const bytes = Buffer.from(await deps.exchange.read(name));
    for (const document of documentsOf(name, bytes)) await applyDocument(deps, document);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (!(error instanceof UnreadableFile)) throw error;
    await putUnreadAside(deps, name, error.message);
    return true;
  }
}

/** Moves a file out of the inbox, now or in a later run. */
async function moveAway({ exchange, log }: FileInDeps, stuck: Set<string>, name: string): Promise<void> {
  try {
    await exchange.archive(name);
    stuck.delete(name);
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    if (stuck.has(name)) return;
    stuck.add(name);
    log.error({ file: name, err: error }, 'an answer of the bank was read, and cannot be moved out of the inbox');
  }
}

/** Puts a file aside whose bytes cannot be read. */
async function putUnreadAside({ db, clock, log }: FileInDeps, name: string, why: string): Promise<void> {
  if (await isUnreadAside(db, name)) return;
  const aside = await heldAside(
    db,
    asideOf({ reason: 'unreadable', message: `The file cannot be read: ${why.slice(0, 300)}.` }, []),
    '',
  );
  await insertAsides(db, { sha256: null, name, receivedAt: clock.now() }, [aside]);
  log.error({ file: name, problem: why }, 'a file from the bank cannot be read');
}

/** Applies one document. A fault of ours puts it aside, so that it does not come back forever. */
async function applyDocument(deps: FileInDeps, document: AnswerDocument): Promise<void> {
  const answer = readAnswer(document);
  try {
    await storeDocument(deps, document, answer);
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    deps.log.error({ file: document.name, err: error }, 'an answer of the bank could not be booked');
    const message =
      'The answer could not be booked, because of an error of this service. Nothing was changed. Put the file into the inbox again once the service is mended.';
    const answerOfFault = { rails: [], reports: [], problems: [{ reason: 'unreadable' as const, message }] };
    await storeDocument(deps, document, answerOfFault, ' not booked');
  }
}

/** Stores a document once, by its hash. A `mark` changes the hash, so that the file can be read again. */
async function storeDocument(
  deps: FileInDeps,
  document: AnswerDocument,
  answer: RecognizedAnswer,
  mark = '',
): Promise<void> {
  const { db, clock, log } = deps;
  const now = clock.now();
  const sha256 = createHash('sha256')
    .update(document.bytes ?? document.name)
    .update(mark && `${mark} ${now.toISOString()}`)
    .digest('hex');
  const row = {
    sha256,
    name: document.name.replaceAll('\0', ''),
    content: document.bytes,
    received_at: now,
    reports: answer.reports.length,
    problem: problemOf(answer),
  };
  const asides = await db.transaction().execute(async tx => {
    if (!(await insertBankAnswer(tx, row))) return [];
    const decision = await decide(tx, answer);
    await writeDecision(tx, decision, now);
    const held: Aside[] = [];
    for (const aside of decision.asides) held.push(await heldAside(tx, aside, document.text));
    await insertAsides(tx, { sha256, name: document.name, receivedAt: now }, held);
    return held;
  });
  if (asides.length === 0) return;
  const reasons = [...new Set(asides.map(({ reason }) => reason))];
  const [first] = asides;
  log.error(
    { file: document.name, reasons, count: asides.length, problem: first?.message },
    'an answer of the bank is put aside, and needs the operator',
  );
}

/** Why nothing of the file was read, or null. */
function problemOf({ reports, problems }: RecognizedAnswer): string | null {
  return reports.length > 0 ? null : (problems[0]?.message.replaceAll('\0', '') ?? null);
}

async function decide(tx: Tx, answer: RecognizedAnswer): Promise<Decision> {
  const { rails, reports, problems } = answer;
  const all = [...reports, ...problems];
  const namesOf = (list: readonly (string | null | undefined)[]) => [...new Set(list.filter(name => name != null))];
  const known = await lockKnownOrders(tx, {
    rails,
    references: namesOf(all.map(({ reference }) => reference)),
    files: namesOf(all.map(({ file }) => file)),
    wholeFiles: namesOf(reports.filter(({ reference }) => reference === null).map(({ file }) => file)),
  });
  return decideAnswer(answer, known);
}

/**
 * Adds the files whose payments wait while the answer is put aside. An answer that is not understood holds the files that
 * its text names. An unreadable answer without such a name may be about any payment that the bank has not decided.
 */
async function heldAside(db: Db | Tx, aside: Aside, text: string): Promise<Aside> {
  if (aside.fileIds.length > 0 || (aside.reason !== 'unreadable' && aside.reason !== 'unsupported')) return aside;
  const { files, payments } = referencesIn(text);
  const named = [...new Set([...files.map(fileIdOf), ...(await filesOfReferences(db, payments))])];
  if (named.length > 0) return { ...aside, fileIds: named };
  return aside.reason === 'unreadable' ? { ...aside, fileIds: await openFiles(db) } : aside;
}
