import {
  feesSince,
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
import { ledgerId, totalOrderId, transactionIdOf } from '../../history/total-order-id.ts';
import type { OperationRow, StellarDb } from '../../tables.ts';
import { numericCursor, type PageQuery, type PageRecord } from '../http/page.ts';
import { HorizonProblem, invalidField, notFound, problems } from '../http/problem.ts';
import { type HorizonRequest, hashParameter, positiveNumber, requireAccount } from '../http/request.ts';
import type { Fields } from '../records/fields.ts';
import { feeStats, feeStatsLedgers, ledgerResource } from '../records/ledger.ts';
import { type OpenedTransaction, openTransaction, operationResource } from '../records/operation.ts';
import { transactionResource } from '../records/transaction.ts';
import type { HorizonView } from './accounts.ts';

/** Answers about what happened: ledgers, transactions, operations, payments. */
interface HistoryAnswers {
  transactions(view: HorizonView, request: HorizonRequest, page: PageQuery): Promise<readonly PageRecord[]>;
  operations(view: HorizonView, request: HorizonRequest, page: PageQuery): Promise<readonly PageRecord[]>;
  payments(view: HorizonView, request: HorizonRequest, page: PageQuery): Promise<readonly PageRecord[]>;
  ledgers(view: HorizonView, request: HorizonRequest, page: PageQuery): Promise<readonly PageRecord[]>;
  transaction(view: HorizonView, request: HorizonRequest): Promise<Fields>;
  operation(view: HorizonView, request: HorizonRequest): Promise<Fields>;
  ledger(view: HorizonView, request: HorizonRequest): Promise<Fields>;
  feeStats(view: HorizonView): Promise<Fields>;
}

/** Makes the answers from the history that is kept. */
export function createHistoryAnswers(db: StellarDb): HistoryAnswers {
  const operations = (paymentsOnly: boolean) => async (view: HorizonView, request: HorizonRequest, page: PageQuery) => {
    const scope = await readScope(db, view, request, page, paymentsOnly);
    const rows = await readOperations(db, scope, page);
    if (rows.length === 0) await requireHistory(db, scope);
    return await operationRecords(db, request, rows);
  };
  return {
    transactions: async (view, request, page) => {
      const scope = await readScope(db, view, request, page, false);
      const rows = await readTransactions(db, scope, page);
      if (rows.length === 0) await requireHistory(db, scope);
      return rows.map(row => ({ pagingToken: String(row.id), body: transactionResource(row, request.links) }));
    },
    operations: operations(false),
    payments: operations(true),
    ledgers: async (view, { links }, page) => {
      refuseBeforeHistory(page);
      const rows = await readLedgers(db, page, view.header.sequence);
      return rows.map(row => ({ pagingToken: String(ledgerId(row.sequence)), body: ledgerResource(row, links) }));
    },
    transaction: async (view, request) => {
      const hash = hashParameter(request, 'tx_id');
      const row = await transactionByHash(db, hash, view.header.sequence);
      if (row === null) throw notFound();
      return transactionResource(row, request.links, hash);
    },
    operation: (view, request) => oneOperation(db, view, request),
    ledger: async (view, request) => {
      const sequence = ledgerParameter(request);
      const row = sequence > view.header.sequence ? null : await ledgerBySequence(db, sequence);
      if (row === null) throw notFound();
      return ledgerResource(row, request.links);
    },
    feeStats: view => latestFees(db, view),
  };
}

async function readScope(
  db: StellarDb,
  view: HorizonView,
  request: HorizonRequest,
  page: PageQuery,
  paymentsOnly: boolean,
): Promise<HistoryScope> {
  refuseBeforeHistory(page);
  const ofTransaction = request.text('tx_id') !== '';
  const newestLedger = view.header.sequence;
  return {
    participant: participantParameter(request),
    ledger: request.text('ledger_id') === '' ? null : await existingLedger(db, request, newestLedger),
    transactionId: ofTransaction ? await existingTransaction(db, request, newestLedger) : null,
    // Who asks for the operations of one transaction knows whether it failed.
    includeFailed: ofTransaction || request.text('include_failed') === 'true',
    paymentsOnly,
    newestLedger,
  };
}

/** The account, claimable balance or pool in the path. */
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

async function existingLedger(db: StellarDb, request: HorizonRequest, newestLedger: number): Promise<number> {
  const sequence = ledgerParameter(request);
  if (sequence > newestLedger || (await ledgerBySequence(db, sequence)) === null) throw notFound();
  return sequence;
}

async function existingTransaction(db: StellarDb, request: HorizonRequest, newestLedger: number): Promise<bigint> {
  const row = await transactionByHash(db, hashParameter(request, 'tx_id'), newestLedger);
  if (row === null) throw notFound();
  return row.id;
}

function ledgerParameter(request: HorizonRequest): number {
  const sequence = positiveNumber(request.text('ledger_id'));
  if (sequence === null || sequence > 0x7fff_ffffn) {
    throw invalidField('ledger_id', 'Ledger ID must be an integer higher than 0');
  }
  return Number(sequence);
}

/** History begins with the first ledger: descending from before it leads nowhere. */
function refuseBeforeHistory(page: PageQuery): void {
  if (page.order === 'desc' && numericCursor(page) <= ledgerId(1)) throw new HorizonProblem(problems.beforeHistory);
}

async function requireHistory(db: StellarDb, { participant }: HistoryScope): Promise<void> {
  if (participant !== null && !(await hasHistory(db, participant))) throw notFound();
}

/** Each transaction is read and decoded once, however many of its operations are shown. */
async function operationRecords(
  db: StellarDb,
  request: HorizonRequest,
  rows: readonly OperationRow[],
): Promise<readonly PageRecord[]> {
  const join = request.text('join');
  if (join !== '' && join !== 'transactions') throw invalidField('join', 'Accepted values: transactions');
  const ids = [...new Set(rows.map(({ id }) => transactionIdOf(id)))];
  const transactions = await transactionsById(db, ids);
  const opened = new Map(transactions.map(row => [row.id, openTransaction(row)]));
  const shown = new Map(
    join === '' ? [] : transactions.map(row => [row.id, transactionResource(row, request.links)] as const),
  );
  return rows.map(row => {
    const id = transactionIdOf(row.id);
    const transaction = opened.get(id) ?? missing(id);
    return {
      pagingToken: String(row.id),
      body: operationResource(row, transaction, request.links, shown.get(id) ?? null),
    };
  });
}

function missing(id: bigint): OpenedTransaction {
  throw new Error(`history has operations of ${id}, but no such transaction`);
}

async function oneOperation(db: StellarDb, view: HorizonView, request: HorizonRequest): Promise<Fields> {
  const id = positiveNumber(request.text('id'));
  if (id === null) throw invalidField('id', 'Operation ID must be an integer higher than 0');
  const isVisible = id < totalOrderId({ ledger: view.header.sequence + 1, transaction: 0, operation: 0 });
  const row = isVisible ? await operationById(db, id) : null;
  if (row === null) throw notFound();
  const [record] = await operationRecords(db, request, [row]);
  if (record === undefined) throw notFound();
  return record.body;
}

async function latestFees(db: StellarDb, { header }: HorizonView): Promise<Fields> {
  const page: PageQuery = { cursor: '', order: 'desc', limit: feeStatsLedgers };
  const ledgers = await readLedgers(db, page, header.sequence);
  const used = ledgers.reduce((sum, ledger) => sum + ledger.tx_set_operations, 0);
  const oldest = ledgers.at(-1)?.sequence ?? header.sequence;
  return feeStats(header, await feesSince(db, oldest - 1, header.sequence), used, ledgers.length);
}
