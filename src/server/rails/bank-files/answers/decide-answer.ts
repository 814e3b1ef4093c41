import { arrivalOf } from '../../../../core/bank/bank-days.ts';
import { currencyDecimals } from '../../../../core/currency.ts';
import { formatUnits } from '../../../../core/money.ts';
import { type AnswerProblem, type AsideReason, fileIdOf, type PaymentReport, paymentReport } from '../bank-file.ts';
import type { BankFileRow, BankOrderRow, BankReturnRow } from '../tables.ts';
import { applyReport, type OrderDraft, type Refusal } from './apply-report.ts';
import type { RecognizedAnswer } from './read-answer.ts';

/** What the service knows about the payments and files that an answer names. The orders are locked. */
export interface KnownOrders {
  readonly orders: readonly BankOrderRow[];
  readonly returns: readonly BankReturnRow[];
  readonly files: readonly Pick<BankFileRow, 'id' | 'rail' | 'created_at'>[];
}

/** A part of an answer that is put aside for the operator. */
export interface Aside {
  readonly reason: AsideReason;
  readonly message: string;
  /** Our files, whose payments do not complete by date meanwhile. */
  readonly fileIds: readonly string[];
  readonly reference: string | null;
  readonly order: Pick<BankOrderRow, 'id' | 'amount' | 'currency'> | null;
  /** Decimal text, and its currency. */
  readonly amount: string | null;
  readonly currency: string | null;
}

/** What an answer changes. */
export interface Decision {
  readonly drafts: readonly OrderDraft[];
  readonly asides: readonly Aside[];
}

/** The sequence of reports of one answer: what ends a payment comes before what only promises its end. */
const ranks: readonly PaymentReport['state'][] = [
  ...(['failed', 'repeated', 'completed', 'returned', 'accepted', 'pending', 'received', 'partial'] as const),
];

interface Work {
  readonly byReference: ReadonlyMap<string, OrderDraft>;
  readonly drafts: readonly OrderDraft[];
  readonly files: ReadonlySet<string>;
  readonly asides: Aside[];
  /** Whether the answer names a payment or file of ours. */
  isOurs: boolean;
}

/**
 * Decides what an answer changes. Reports of single payments come first, because a report of a whole file covers only
 * the other payments. Each report changes its orders, agrees with them, or is put aside.
 */
export function decideAnswer({ reports, problems }: RecognizedAnswer, known: KnownOrders): Decision {
  const work = startWork(known);
  const ranked = reports.toSorted((a, b) => ranks.indexOf(a.state) - ranks.indexOf(b.state));
  const single = ranked.filter(({ reference }) => reference !== null);
  for (const report of single) decideSingle(work, report);
  const named = new Set(single.map(({ reference }) => reference));
  for (const report of ranked) if (report.reference === null) decideFile(work, report, { named, single });
  for (const problem of problems) addProblem(work, problem);
  if (!work.isOurs && work.asides.length === 0) {
    const message = 'The file names no payment and no file of this service. Nothing was changed.';
    work.asides.push(asideOf({ reason: 'unrelated', message }, []));
  }
  return { drafts: work.drafts, asides: work.asides };
}

function startWork({ orders, returns, files }: KnownOrders): Work {
  const returnsOf = Map.groupBy(returns, row => `${row.rail} ${row.order_id}`);
  const createdAt = new Map(files.map(file => [file.id, file.created_at]));
  const drafts = orders.map((row): OrderDraft => {
    const filedAt = createdAt.get(row.file_id ?? '');
    const booked = returnsOf.get(`${row.rail} ${row.id}`) ?? [];
    return {
      row,
      isChanged: false,
      returns: [],
      returned: new Map(booked.map(({ entry, amount }) => [entry, amount])),
      arrivesAt: filedAt === undefined ? null : arrivalOf(row.rail, filedAt),
    };
  });
  return {
    drafts,
    byReference: new Map(drafts.map(draft => [draft.row.reference, draft])),
    files: new Set(createdAt.keys()),
    asides: [],
    isOurs: false,
  };
}

/** The id of the report's file if it is ours, otherwise null. */
function knownFile({ files }: Work, name: string | null | undefined): string | null {
  const id = name == null ? null : fileIdOf(name);
  return id !== null && files.has(id) ? id : null;
}

function decideSingle(work: Work, report: PaymentReport): void {
  const draft = work.byReference.get(report.reference ?? '');
  const file = knownFile(work, report.file);
  if (draft !== undefined && (file === null || draft.row.file_id === file)) {
    work.isOurs = true;
    const refusal = applyReport(draft, report);
    if (refusal !== null) work.asides.push(orderAside(draft, report, refusal));
    return;
  }
  if (file === null && report.file !== null) {
    addUnknownFile(work, report);
    return;
  }
  const isAnswer = file !== null || report.state === 'failed' || report.state === 'returned';
  if (!isAnswer) return;
  const message =
    report.state === 'returned'
      ? 'Money of a payment came back that is not a payment of this service.'
      : 'The bank reports a payment that is not in the file.';
  const refusal: Refusal = { reason: 'unknown_payment', message };
  work.asides.push({ ...asideOf(refusal, file === null ? [] : [file], report.reference), ...amountOf(report, null) });
}

interface Named {
  readonly named: ReadonlySet<string | null>;
  readonly single: readonly PaymentReport[];
}

/** Applies a report of a whole file to its payments without a report of their own. */
function decideFile(work: Work, report: PaymentReport, { named, single }: Named): void {
  const file = knownFile(work, report.file);
  if (file === null) {
    addUnknownFile(work, report);
    return;
  }
  work.isOurs = true;
  const others = work.drafts.filter(({ row }) => row.file_id === file && !named.has(row.reference));
  if (report.state === 'partial') {
    decidePartial(work, file, others, single);
    return;
  }
  const refusals = others.flatMap(draft => {
    // A file's acceptance or debit is older than what the bank reported of single payments.
    const isOlder = draft.row.state === 'failed' && (report.state === 'accepted' || report.state === 'completed');
    return isOlder ? [] : (applyReport(draft, report) ?? []);
  });
  const [first] = refusals;
  if (first === undefined) return;
  const message = `${first.message} This concerns ${refusals.length} of ${others.length} payments of the file.`;
  work.asides.push(asideOf({ ...first, message }, [file]));
}

/** Banks often list only the refused payments. The others are then accepted, once the operator agrees. */
function decidePartial(
  work: Work,
  file: string,
  others: readonly OrderDraft[],
  single: readonly PaymentReport[],
): void {
  const open = others.filter(({ row }) => row.state === 'filed');
  if (open.length === 0) return;
  const hasOnlyRefused = single.length > 0 && single.every(({ state }) => state === 'failed' || state === 'repeated');
  if (hasOnlyRefused) {
    for (const draft of open) applyReport(draft, paymentReport('accepted', { reference: draft.row.reference }));
  }
  const message = `The bank accepted a part of the file and does not report ${open.length} of its payments.`;
  work.asides.push(asideOf({ reason: 'unclear', message }, [file]));
}

/** A report of a file that is not ours. Debits of an account may be other software's; they are not answers to us. */
function addUnknownFile(work: Work, { state, file, reference }: PaymentReport): void {
  if (state === 'completed' && reference === null && file?.startsWith('bf-') !== true) return;
  const name = file === null ? 'no file' : `the file ${file.slice(0, 60)}, which is not a file of this service`;
  const message = `The bank’s answer names ${name}.`;
  if (work.asides.some(aside => aside.message === message)) return;
  work.asides.push(asideOf({ reason: 'unknown_file', message }, []));
}

function addProblem(work: Work, problem: AnswerProblem): void {
  const draft = work.byReference.get(problem.reference ?? '');
  const file = knownFile(work, problem.file) ?? draft?.row.file_id ?? null;
  if (file !== null) work.isOurs = true;
  if (problem.onlyIfOurs === true && file === null) return;
  const { amount = null, currency = null, reference = null } = problem;
  const { reason, message } = problem;
  const aside = asideOf({ reason, message }, file === null ? [] : [file], reference);
  work.asides.push({ ...aside, order: draft?.row ?? null, amount, currency });
}

function orderAside({ row }: OrderDraft, report: PaymentReport, refusal: Refusal): Aside {
  const files = row.file_id === null ? [] : [row.file_id];
  return { ...asideOf(refusal, files, row.reference), order: row, ...amountOf(report, row.currency, refusal.amount) };
}

function amountOf({ amount, currency }: PaymentReport, orderCurrency: string | null, part = amount) {
  const unit = currency ?? orderCurrency;
  if (part === null || unit === null) return { amount: null, currency: unit };
  return { amount: formatUnits(part, currencyDecimals(unit)), currency: unit };
}

/** A part that is put aside, of no order. */
export function asideOf(
  { reason, message }: Refusal,
  fileIds: readonly string[],
  reference: string | null = null,
): Aside {
  return { reason, message, fileIds, reference, order: null, amount: null, currency: null };
}
