import { PayError } from '../error.ts';
import { allocate, sumOf } from '../money.ts';
import { formatPercent, wholePercent } from './invoice-decimal.ts';
import type { InstallmentStatus } from './invoice-document.ts';
import { type Discount, discountOf } from './invoice-totals.ts';

/** A part asked for: a percentage or an amount, as discounts are. */
export interface InstallmentTerms {
  readonly dueDate: string;
  readonly share: Discount;
}

/** What is due first. Without a day: on sending. */
export interface DepositTerms {
  readonly dueDate: string | null;
  readonly share: Discount;
}

/** How a total is to be divided. */
export interface PlanTerms {
  readonly deposit: DepositTerms | null;
  readonly installments: readonly InstallmentTerms[];
  /** When the rest is due that a deposit alone leaves; null: not known yet. */
  readonly dueDate: string | null;
}

/** A part of the total. `dueDate` is null only where it follows from the day of sending. */
export interface PlannedInstallment {
  readonly kind: 'deposit' | 'installment';
  readonly dueDate: string | null;
  /** As it was given; null for an amount. */
  readonly percent: bigint | null;
  readonly amount: bigint;
}

/**
 * Divides a total: the deposit first (a percentage is of the total), then amounts; percentages are of what then remains
 * and must come to 100. The parts sum to the total. Throws PayError `parameter_invalid` naming the field that does not
 * fit, and `invalid_amount` for a part that would be nothing.
 */
export function planInstallments(total: bigint, { deposit, installments, dueDate }: PlanTerms): PlannedInstallment[] {
  const first = deposit === null ? 0n : discountOf(total, deposit.share);
  if (deposit !== null && (first < 1n || first >= total)) {
    const message = 'The deposit must be more than nothing and less than the total.';
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
    throw misfit(`The instalments come to ${fixed}, and ${rest} is to be divided.`);
  }
  if (percent !== 0n && percent !== wholePercent) {
    throw misfit(`The percentages of the instalments come to ${formatPercent(percent)}, they must come to 100.`);
  }
  const parts = allocate(left, percents);
  return terms.map(({ dueDate, share }, index) => {
    const amount = (amounts[index] ?? 0n) + (parts[index] ?? 0n);
    if (amount < 1n) {
      throw new PayError('invalid_amount', 'This instalment would be nothing.', { param: `installments[${index}]` });
    }
    return { kind: 'installment', dueDate, percent: percentOf(share), amount };
  });
}

function assertOrder(terms: readonly InstallmentTerms[]): void {
  for (const [index, { dueDate }] of terms.entries()) {
    const before = terms[index - 1]?.dueDate;
    if (before === undefined || before <= dueDate) continue;
    const message = 'Instalments must be in the order of their days.';
    throw new PayError('parameter_invalid', message, { param: `installments[${index}].due_date` });
  }
}

function misfit(message: string): PayError {
  return new PayError('parameter_invalid', message, { param: 'installments' });
}

function percentOf(share: Discount): bigint | null {
  return 'percent' in share ? share.percent : null;
}

/** An instalment with what of it is settled: by money, and by credit notes. */
export interface FilledInstallment extends PlannedInstallment {
  readonly amountPaid: bigint;
  readonly amountCredited: bigint;
  readonly status: InstallmentStatus;
}

/** What has been taken off what is owed. */
export interface Settled {
  readonly paid: bigint;
  readonly credited: bigint;
}

/**
 * Spreads what has been paid over the instalments in their order, and after it what was credited. `today` is the
 * merchant's day: what was due before it and is not settled is overdue; null while nothing is due yet.
 */
export function fillInstallments(
  plan: readonly PlannedInstallment[],
  { paid, credited }: Settled,
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

/** What of an instalment is still to be paid. */
export function leftOf(part: Pick<FilledInstallment, 'amount' | 'amountPaid' | 'amountCredited'>): bigint {
  return part.amount - part.amountPaid - part.amountCredited;
}

function statusOf(part: Omit<FilledInstallment, 'status'>, today: string | null): InstallmentStatus {
  if (leftOf(part) === 0n) return 'paid';
  if (today !== null && part.dueDate !== null && part.dueDate < today) return 'overdue';
  return part.amountPaid > 0n ? 'partially_paid' : 'open';
}
