import { PayError } from '../error.ts';
import { allocate, sumOf } from '../money.ts';
import { formatPercent, wholePercent } from './invoice-decimal.ts';
import type { InstallmentStatus } from './invoice-document.ts';
import { type Discount, discountOf } from './invoice-totals.ts';

/** A part of the total: a percentage or an amount. */
export interface InstallmentTerms {
  readonly dueDate: string;
  readonly share: Discount;
}

/** The deposit. A null `dueDate` means that it is due when the invoice is sent. */
export interface DepositTerms {
  readonly dueDate: string | null;
  readonly share: Discount;
}

/** A payment plan. */
export interface PlanTerms {
  readonly deposit: DepositTerms | null;
  readonly installments: readonly InstallmentTerms[];
  /** Due date of the rest, if there is a deposit and no instalments. Null: not known yet. */
  readonly dueDate: string | null;
}

/** A part of the total. `dueDate` is null while the invoice is a draft and the date depends on the day of sending. */
export interface PlannedInstallment {
  readonly kind: 'deposit' | 'installment';
  readonly dueDate: string | null;
  /** The percentage. Null for a fixed amount. */
  readonly percent: bigint | null;
  readonly amount: bigint;
}

/**
 * Divides a total into parts that sum to it. The deposit is a share of the total. Deposit and fixed amounts come first,
 * and instalments with percentages divide the rest. Their percentages must sum to 100. Throws PayError
 * `parameter_invalid` with the field's name. Throws `invalid_amount` for a part of zero, and for a deposit that leaves
 * no rest.
 */
export function planInstallments(total: bigint, { deposit, installments, dueDate }: PlanTerms): PlannedInstallment[] {
  const first = deposit === null ? 0n : discountOf(total, deposit.share);
  if (deposit !== null && (first < 1n || first >= total)) {
    const message = 'The deposit must be more than 0 and less than the total.';
    throw new PayError('invalid_amount', message, { param: 'deposit' });
  }
  const rest = total - first;
  const kept: PlannedInstallment[] =
    deposit === null
      ? []
      : [{ kind: 'deposit', dueDate: deposit.dueDate, percent: percentOf(deposit.share), amount: first }];
  if (installments.length > 0) return [...kept, ...divide(rest, installments)];
  return deposit === null ? [] : [...kept, { kind: 'installment', dueDate, percent: null, amount: rest }];
}

function divide(rest: bigint, terms: readonly InstallmentTerms[]): PlannedInstallment[] {
  assertOrder(terms);
  const amounts = terms.map(({ share }) => ('amount' in share ? share.amount : 0n));
  const percents = terms.map(({ share }) => percentOf(share) ?? 0n);
  const fixed = sumOf(amounts);
  const percent = sumOf(percents);
  const left = rest - fixed;
  if (left < 0n || (percent === 0n && left !== 0n)) {
    throw invalidInstallments(
      `The installments add up to ${fixed}, but they must divide ${rest} (in the smallest unit of the currency).`,
    );
  }
  if (percent !== 0n && percent !== wholePercent) {
    throw invalidInstallments(`The percentages add up to ${formatPercent(percent)}; they must add up to 100.`);
  }
  const parts = allocate(left, percents);
  return terms.map(({ dueDate, share }, index) => {
    const amount = (amounts[index] ?? 0n) + (parts[index] ?? 0n);
    if (amount < 1n) {
      throw new PayError('invalid_amount', 'This installment would be zero. Raise it or remove it.', {
        param: `installments[${index}]`,
      });
    }
    return { kind: 'installment', dueDate, percent: percentOf(share), amount };
  });
}

function assertOrder(terms: readonly InstallmentTerms[]): void {
  for (const [index, { dueDate }] of terms.entries()) {
    const before = terms[index - 1]?.dueDate;
    if (before === undefined || before <= dueDate) continue;
    const message = 'Sort the installments by due date.';
    throw new PayError('parameter_invalid', message, { param: `installments[${index}].due_date` });
  }
}

function invalidInstallments(message: string): PayError {
  return new PayError('parameter_invalid', message, { param: 'installments' });
}

function percentOf(share: Discount): bigint | null {
  return 'percent' in share ? share.percent : null;
}

/** An instalment with the amounts that were paid and credited. */
export interface FilledInstallment extends PlannedInstallment {
  readonly amountPaid: bigint;
  readonly amountCredited: bigint;
  readonly status: InstallmentStatus;
}

/** The amounts that reduced the customer's debt on the invoice. */
export interface PaidAndCredited {
  readonly paid: bigint;
  readonly credited: bigint;
}

/**
 * Spreads payments, then credits, over the instalments in their order. Unpaid instalments due before `today`, the
 * merchant's date, are overdue. If `today` is null, no instalment is overdue.
 */
export function fillInstallments(
  plan: readonly PlannedInstallment[],
  { paid, credited }: PaidAndCredited,
  today: string | null,
): FilledInstallment[] {
  let [money, credit] = [paid, credited];
  return plan.map(installment => {
    const amountPaid = money < installment.amount ? money : installment.amount;
    const rest = installment.amount - amountPaid;
    const amountCredited = credit < rest ? credit : rest;
    money -= amountPaid;
    credit -= amountCredited;
    const filled = { ...installment, amountPaid, amountCredited };
    return { ...filled, status: statusOf(filled, today) };
  });
}

/** The unpaid amount of an instalment. */
export function unpaidOf(part: Pick<FilledInstallment, 'amount' | 'amountPaid' | 'amountCredited'>): bigint {
  return part.amount - part.amountPaid - part.amountCredited;
}

function statusOf(part: Omit<FilledInstallment, 'status'>, today: string | null): InstallmentStatus {
  if (unpaidOf(part) === 0n) return 'paid';
  if (today !== null && part.dueDate !== null && part.dueDate < today) return 'overdue';
  return part.amountPaid > 0n ? 'partially_paid' : 'open';
}
