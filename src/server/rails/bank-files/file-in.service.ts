import { createHash } from 'node:crypto';
import { arrivalOf } from '../../../core/bank/bank-days.ts';
import type { Clock } from '../../../core/clock.ts';
import { readXml } from '../../../core/xml.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Log, runEach, type Sweep } from '../../platform/jobs/sweeper.ts';
import type { FileExchange } from '../file-exchange.ts';
import { findBankFiles, insertBankAnswer } from './bank-file.store.ts';
import { type FileRailId, fileIdOf, type PaymentReport } from './bank-file.ts';
import {
  completeSettled,
  endFile,
  endOrders,
  type OrderReport,
  returnOrders,
  settleLater,
} from './bank-order.store.ts';
import { isCamt054, readCamt054 } from './camt054.ts';
import { readNachaReturns } from './nacha-return.ts';
import { isPain002, readPain002 } from './pain002.ts';
import { bankFailureOf } from './reason-codes.ts';

/** Name of the sweep that reads the answers of banks. */
export const bankInboxSweep = 'bank.inbox';

export interface FileInDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly exchange: FileExchange;
}

const mostAnswersAtOnce = 20;
const mostSettledAtOnce = 5_000;

/** Reads each answer of the banks once, and completes orders that are due. */
export function createBankInboxSweep(deps: FileInDeps): Sweep {
  return {
    name: bankInboxSweep,
    everyMs: deps.exchange.pollMs,
    run: async () => {
      const names = await deps.exchange.list(mostAnswersAtOnce);
      await runEach(names, name => readAnswer(deps, name));
      return names.length + (await completeSettled(deps.db, deps.clock.now(), mostSettledAtOnce));
    },
  };
}

/** Reads one answer. An unreadable file is stored with the reason, so that it does not block other files. */
async function readAnswer({ db, clock, log, exchange }: FileInDeps, name: string): Promise<void> {
  const content = await exchange.read(name);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const { rails, reports, problem } = parseAnswer(content);
  const row = { sha256, name, content, reports: reports.length, problem, received_at: clock.now() };
  const isNew = await db.transaction().execute(async tx => {
    const isFirst = await insertBankAnswer(tx, row);
    if (isFirst) await applyReports(tx, rails, reports);
    return isFirst;
  });
  if (isNew && problem !== null) log.error({ file: name, problem }, 'a file from the bank cannot be read');
  if (isNew && reports.some(({ state }) => state === 'repeated')) {
    log.error({ file: name }, 'the bank refuses payments that it already has; they stay open');
  }
  await exchange.archive(name);
}

interface Answer {
  /** The rails whose payments the file may report. */
  readonly rails: readonly FileRailId[];
  readonly reports: readonly PaymentReport[];
  readonly problem: string | null;
}

/** Recognizes the format by the content of the file. */
function parseAnswer(content: string): Answer {
  const text = content.replace(/^\ufeff/, '').trimStart();
  try {
    if (!text.startsWith('<')) return { rails: ['ach'], reports: readNachaReturns(text), problem: null };
    const document = readXml(text);
    const rails: FileRailId[] = ['sepa', 'swift', 'ach'];
    if (isPain002(document)) return { rails, reports: readPain002(document), problem: null };
    if (isCamt054(document)) return { rails, reports: readCamt054(document), problem: null };
    return { rails, reports: [], problem: 'it is neither pain.002 nor camt.054' };
  } catch (error) {
    return { rails: [], reports: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Applies reports of single payments first, because a report of a whole file covers only the other payments. */
async function applyReports(tx: Tx, rails: readonly FileRailId[], reports: readonly PaymentReport[]): Promise<void> {
  const single = reports.filter(({ reference }) => reference !== null);
  const rowsOf = (state: PaymentReport['state']) => single.filter(report => report.state === state).map(orderReport);
  await endOrders(tx, 'failed', rails, rowsOf('failed'));
  await endOrders(tx, 'completed', rails, rowsOf('completed'));
  await returnOrders(tx, rails, rowsOf('returned'));
  await settleAccepted(tx, reports);
  const named = single.flatMap(({ reference }) => reference ?? []);
  for (const { file, reference, state, code, text } of reports) {
    if (reference !== null || file === null || (state !== 'failed' && state !== 'completed')) continue;
    await endFile(tx, state, fileIdOf(file), named, bankFailureOf(code, text));
  }
}

function orderReport({ file, reference, amount, code, text }: PaymentReport): OrderReport {
  const failure = bankFailureOf(code, text);
  const fileId = file === null ? null : fileIdOf(file);
  return { reference: reference ?? '', file_id: fileId, amount, code: failure.code, message: failure.message };
}

/** Sets when accepted payments complete: after the rail's bank days, because a bank may report nothing more. */
async function settleAccepted(tx: Tx, reports: readonly PaymentReport[]): Promise<void> {
  const accepted = reports.filter(({ file, state }) => state === 'accepted' && file !== null);
  const byFile = Map.groupBy(accepted, ({ file }) => fileIdOf(file ?? ''));
  for (const { id, rail, created_at } of await findBankFiles(tx, [...byFile.keys()])) {
    const references = (byFile.get(id) ?? []).map(({ reference }) => reference);
    const named = references.flatMap(reference => reference ?? []);
    await settleLater(tx, id, references.includes(null) ? null : named, arrivalOf(rail, created_at));
  }
}
