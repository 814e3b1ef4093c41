import { currencyDecimals } from '../../../../core/currency.ts';
import { formatUnits, least, sumOf } from '../../../../core/money.ts';
import type { AsideReason, PaymentReport } from '../bank-file.ts';
import { bankOrderMachine } from '../bank-order.ts';
import type { BankOrderRow, BankOrderState } from '../tables.ts';
import { bankFailureOf } from './reason-codes.ts';

/** A part of an order's money that came back. */
export interface OrderReturn {
  readonly entry: string;
  readonly amount: bigint;
  readonly code: string;
  readonly message: string;
  /** Whether the return goes to the payout. False: the order had failed, and the return only confirms that. */
  readonly changesPayout: boolean;
}

/** An order while an answer is applied: its changed row and its new returns. */
export interface OrderDraft {
  row: BankOrderRow;
  isChanged: boolean;
  /** Amounts of all returns, by the bank's name of the return. */
  readonly returned: Map<string, bigint>;
  readonly returns: OrderReturn[];
  /** When the order's money arrives, by the bank days of its rail. Null before it is in a file. */
  readonly arrivesAt: Date | null;
}

/** Why a report does not change its order, and is put aside. */
export interface Refusal {
  readonly reason: AsideReason;
  readonly message: string;
  /** The part of the returned amount that is not credited, in minor units of the report's currency. */
  readonly amount?: bigint;
}

const contradiction = (message: string): Refusal => ({ reason: 'contradiction', message });

/** Applies a report to the order. Null: the order has changed, or already agrees with the report. */
export function applyReport(draft: OrderDraft, report: PaymentReport): Refusal | null {
  if (draft.row.state === 'accepted') return contradiction('The bank reports a payment that is in no file yet.');
  return rules[report.state](draft, report);
}

const rules: Readonly<Record<PaymentReport['state'], (draft: OrderDraft, report: PaymentReport) => Refusal | null>> = {
  failed: refuse,
  repeated: ({ row }) =>
    row.state === 'filed'
      ? { reason: 'repeated', message: 'The bank refuses a payment that it already has. The first copy may be paid.' }
      : null,
  completed: complete,
  returned: giveBack,
  accepted: draft => {
    const { row, arrivesAt } = draft;
    if (row.state === 'failed') return contradiction('The bank accepts a payment that has failed.');
    if (row.state === 'filed' && row.settles_at === null) change(draft, { settles_at: arrivesAt });
    return null;
  },
  pending: draft => {
    const { state, completed_by_date: byDate, settles_at: settlesAt } = draft.row;
    if (state === 'completed' && byDate) {
      return contradiction('The bank has not decided about a payment that was completed on its day of arrival.');
    }
    if (state === 'filed' && settlesAt !== null) change(draft, { settles_at: null });
    return null;
  },
  received: () => null,
  partial: () => ({ reason: 'unclear', message: 'The bank reports the status PART of a single payment.' }),
};

function change(draft: OrderDraft, columns: Partial<BankOrderRow>): void {
  draft.row = { ...draft.row, ...columns };
  draft.isChanged = true;
}

function move(draft: OrderDraft, to: BankOrderState, columns: Partial<BankOrderRow> = {}): void {
  const { state, id } = draft.row;
  if (!bankOrderMachine.can(state, to)) throw new Error(`the bank order ${id} cannot become ${to} from ${state}`);
  change(draft, { ...columns, state: to });
}

function failureOf({ code, text }: PaymentReport) {
  const failure = bankFailureOf(code, text);
  return { failure_code: failure.code, failure_message: failure.message };
}

const isAllBack = ({ row, returned }: OrderDraft) => sumOf([...returned.values()]) >= row.amount;

/**
 * Entry of a payment that the bank refused after it was completed by date. It is credited at once, and the money's later
 * arrival only confirms it.
 */
const refusalEntry = 'refused';

function refuse(draft: OrderDraft, report: PaymentReport): Refusal | null {
  const { state, amount, completed_by_date: byDate } = draft.row;
  if (state === 'filed') move(draft, 'failed', failureOf(report));
  if (state === 'completed' && byDate) addReturn(draft, report, { entry: refusalEntry, amount });
  const isSettled = state === 'failed' || (state === 'returned' && isAllBack(draft));
  if (isSettled || state === 'filed' || (state === 'completed' && byDate)) return null;
  return contradiction('The bank refuses a payment that it reported as paid. Money that comes back is credited.');
}

function complete(draft: OrderDraft): Refusal | null {
  const { state, completed_by_date: byDate } = draft.row;
  if (state === 'filed') move(draft, 'completed');
  if (state === 'completed' && byDate) change(draft, { completed_by_date: false });
  if (state !== 'failed' || isAllBack(draft)) return null;
  return contradiction('The bank reports a payment as paid that has failed. The merchant already has its money back.');
}

/** Books returned money, at most the order's amount over all returns. */
function giveBack(draft: OrderDraft, report: PaymentReport): Refusal | null {
  const { row, returned } = draft;
  const amount = report.amount ?? row.amount;
  const entry = report.entry ?? `amount:${amount}`;
  if (report.currency !== null && report.currency !== row.currency) return otherCurrency(row, report.currency, amount);
  const known = returned.get(entry);
  if (known !== undefined) return repeatedReturn(draft, { entry, amount, known, isNamed: report.entry !== null });
  const before = sumOf([...returned].flatMap(([name, part]) => (name === refusalEntry ? [] : [part])));
  const credited = least(amount, row.amount - before);
  if (credited > 0n) addReturn(draft, report, { entry, amount: credited });
  if (credited === amount) return null;
  const message = `The bank returned ${money(row, amount)} of a payment of ${money(row, row.amount)}, of which ${money(row, before)} had come back before.`;
  return { reason: 'excess', message, amount: amount - credited };
}

/** A whole return of a filed order makes it fail. Any other return is news for the payout, or confirms a refusal. */
function addReturn(
  draft: OrderDraft,
  report: PaymentReport,
  { entry, amount }: { readonly entry: string; readonly amount: bigint },
): void {
  const { row } = draft;
  const reason = failureOf(report);
  const isCredited = row.state === 'failed' || draft.returned.has(refusalEntry);
  const changesPayout = !isCredited && (row.state !== 'filed' || amount < row.amount);
  if (row.state === 'filed' && !changesPayout) move(draft, 'failed', reason);
  if (changesPayout) move(draft, 'returned', { ...reason, returned_amount: (row.returned_amount ?? 0n) + amount });
  draft.returned.set(entry, amount);
  draft.returns.push({ entry, amount, code: reason.failure_code, message: reason.failure_message, changesPayout });
}

function otherCurrency(row: BankOrderRow, currency: string, amount: bigint): Refusal {
  const sent = money(row, row.amount);
  const back = `${currency} ${formatUnits(amount, currencyDecimals(currency))}`;
  const message = `The bank returned ${back} of a payment of ${sent}. Nothing was credited.`;
  return { reason: 'other_currency', message, amount };
}

interface KnownReturn {
  readonly entry: string;
  readonly amount: bigint;
  readonly known: bigint;
  /** Whether the bank gave the return a name, so that it certainly is the same return. */
  readonly isNamed: boolean;
}

function repeatedReturn({ row, returns }: OrderDraft, { entry, amount, known, isNamed }: KnownReturn): Refusal | null {
  // An earlier answer may have credited only a part of this return.
  const isSame = isNamed && known <= amount && returns.every(one => one.entry !== entry);
  if (isSame) return null;
  const message = `The bank returned ${money(row, amount)} again, without a name that tells both returns apart.`;
  return { reason: 'repeated', message, amount };
}

function money({ currency }: BankOrderRow, amount: bigint): string {
  return `${currency} ${formatUnits(amount, currencyDecimals(currency))}`;
}
