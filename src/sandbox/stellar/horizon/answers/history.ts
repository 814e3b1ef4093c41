import type { LedgerView } from '../../core/ledger.ts';
import {
  feesSince,
  type HistoryPage,
  type HistoryScope,
  hasHistory,
  ledgerBySequence,
  operationById,
  readLedgers,
  readOperations,
  readTransactions,
  transactionByHash,
  transactionsById,
} from '../../history/read-history.store.ts';
import { ledgerId, transactionIdOf } from '../../history/total-order-id.ts';
import type { OperationRow, StellarDb, TransactionRow } from '../../tables.ts';
import { numericCursor, type ObjectAnswer, type PageAnswer, type PageQuery, type PageRecord } from '../http/page.ts';
import { HorizonProblem, invalidField, notFound, problems } from '../http/problem.ts';
import { type HorizonRequest, hashParameter, positiveNumber, requireAccount } from '../http/request.ts';
import type { Fields } from '../records/fields.ts';
import { feeStats, feeStatsLedgers, ledgerRecord } from '../records/ledger.ts';
import { decodeTransaction, operationRecord } from '../records/operation.ts';
import { transactionRecord } from '../records/transaction.ts';

/** Answers about ledgers, transactions, operations, payments and fees. */
export function historyAnswers(db: StellarDb) {
  const operations =
    (paymentsOnly: boolean): PageAnswer =>
    async (view, request, page) => {
      const scope = await readScope(db, view, request, page, paymentsOnly);
      const rows = await readOperations(db, scope, historyPage(page));
      if (rows.length === 0) await requireHistory(db, view, scope);
      return await operationRecords(db, request, rows);
    };
  const pages = {
    transactions: async (view, request, page) => {
      const scope = await readScope(db, view, request, page, false);
      const rows = await readTransactions(db, scope, historyPage(page));
      if (rows.length === 0) await requireHistory(db, view, scope);
      return rows.map(row => ({ pagingToken: String(row.id), body: transactionRecord(row, request.links) }));
    },
    operations: operations(false),
    payments: operations(true),
    ledgers: async (view, { links }, page) => {
      refuseBeforeHistory(page);
      const rows = await readLedgers(db, historyPage(page), view.header.sequence);
      return rows.map(row => ({ pagingToken: String(ledgerId(row.sequence)), body: ledgerRecord(row, links) }));
    },
  } satisfies Record<string, PageAnswer>;
  const objects = {
    transaction: async (view, request) => {
      const row = await visibleTransaction(db, view, request);
      return transactionRecord(row, request.links, hashParameter(request, 'tx_id'));
    },
    operation: (view, request) => oneOperation(db, view, request),
    ledger: async (view, request) => {
      const sequence = ledgerParameter(request);
      const row = sequence > view.header.sequence ? null : await ledgerBySequence(db, sequence);
      if (row === null) throw notFound();
      return ledgerRecord(row, request.links);
    },
    feeStats: view => latestFees(db, view),
  } satisfies Record<string, ObjectAnswer>;
  return { pages, objects };
}

const historyPage = (page: PageQuery): HistoryPage => ({ ...page, cursor: numericCursor(page) });

async function readScope(
  db: StellarDb,
  view: LedgerView,
  request: HorizonRequest,
  page: PageQuery,
  paymentsOnly: boolean,
): Promise<HistoryScope> {
  refuseBeforeHistory(page);
  const ofTransaction = request.text('tx_id') !== '';
  return {
    participant: participantParameter(request),
    ledger: request.text('ledger_id') === '' ? null : await existingLedger(db, view, request),
    transactionId: ofTransaction ? (await visibleTransaction(db, view, request)).id : null,
    includeFailed: ofTransaction || request.text('include_failed') === 'true',
    paymentsOnly,
    newestLedger: view.header.sequence,
  };
}

/** The account, claimable balance or pool in the path, or null. */
function participantParameter(request: HorizonRequest): string | null {
  if (request.text('account_id') !== '') return requireAccount(request, 'account_id');
  const balance = request.text('claimable_balance_id');
  if (balance !== '') return hexParameter(balance, 72, 'claimable_balance_id');
  const pool = request.text('liquidity_pool_id');
  return pool === '' ? null : hexParameter(pool, 64, 'liquidity_pool_id');
}

function hexParameter(text: string, length: number, name: string): string {
  if (text.length === length && /^[0-9a-f]+$/.test(text)) return text;
  throw invalidField(name, `${text.slice(0, 80)} does not validate`);
}

async function existingLedger(db: StellarDb, { header }: LedgerView, request: HorizonRequest): Promise<number> {
  const sequence = ledgerParameter(request);
  if (sequence > header.sequence || (await ledgerBySequence(db, sequence)) === null) throw notFound();
  return sequence;
}

async function visibleTransaction(db: StellarDb, view: LedgerView, request: HorizonRequest): Promise<TransactionRow> {
  const row = await transactionByHash(db, hashParameter(request, 'tx_id'), view.header.sequence);
  if (row === null) throw notFound();
  return row;
}

function ledgerParameter(request: HorizonRequest): number {
  const sequence = positiveNumber(request.text('ledger_id'));
  if (sequence === null || sequence > 0x7fff_ffffn) {
    throw invalidField('ledger_id', 'Ledger ID must be an integer higher than 0');
  }
  return Number(sequence);
}

/** Refuses a descending page whose cursor is not after ledger 1, because no record precedes ledger 1. */
function refuseBeforeHistory(page: PageQuery): void {
  if (page.order === 'desc' && numericCursor(page) <= ledgerId(1)) throw new HorizonProblem(problems.beforeHistory);
}

/** Throws if history lacks the participant. An account that exists has a history, at least that of its creation. */
async function requireHistory(db: StellarDb, view: LedgerView, { participant }: HistoryScope): Promise<void> {
  if (participant === null || view.account(participant) !== null) return;
  if (!(await hasHistory(db, participant))) throw notFound();
}

/** The records of operations. Reads and decodes each transaction once. */
async function operationRecords(
  db: StellarDb,
  { links, text }: HorizonRequest,
  rows: readonly OperationRow[],
): Promise<readonly PageRecord[]> {
  const join = text('join');
  if (join !== '' && join !== 'transactions') throw invalidField('join', 'Accepted values: transactions');
  const ids = [...new Set(rows.map(({ id }) => transactionIdOf(id)))];
  const transactions = new Map(
    (await transactionsById(db, ids)).map(row => [
      row.id,
      { decoded: decodeTransaction(row), record: join === '' ? null : transactionRecord(row, links) },
    ]),
  );
  return rows.map(row => {
    const transaction = transactions.get(transactionIdOf(row.id));
    if (transaction === undefined) throw new Error(`history has the operation ${row.id}, but not its transaction`);
    const { decoded, record } = transaction;
    return { pagingToken: String(row.id), body: operationRecord(row, decoded, links, record) };
  });
}

async function oneOperation(db: StellarDb, { header }: LedgerView, request: HorizonRequest): Promise<Fields> {
  const id = positiveNumber(request.text('id'));
  if (id === null) throw invalidField('id', 'Operation ID must be an integer higher than 0');
  const row = id < ledgerId(header.sequence + 1) ? await operationById(db, id) : null;
  const [record] = row === null ? [] : await operationRecords(db, request, [row]);
  if (record === undefined) throw notFound();
  return record.body;
}

async function latestFees(db: StellarDb, { header }: LedgerView): Promise<Fields> {
  const page = historyPage({ cursor: '', order: 'desc', limit: feeStatsLedgers });
  const ledgers = await readLedgers(db, page, header.sequence);
  const used = ledgers.reduce((sum, ledger) => sum + ledger.tx_set_operations, 0);
  const oldest = ledgers.at(-1)?.sequence ?? header.sequence;
  return feeStats(header, await feesSince(db, oldest - 1, header.sequence), used, ledgers.length);
}
