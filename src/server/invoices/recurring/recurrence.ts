import { PayError } from '../../../core/error.ts';
import { defineMachine } from '../../../core/machine.ts';
import { momentOfDay } from '../../platform/local-day.ts';
import { nextDay as nextDayOf, parseRule, type RuleDays } from '../../platform/recurrence.ts';
import type { RecurringRow } from '../tables.ts';

export type RecurringStatus = RecurringRow['status'];

export const recurringMachine = defineMachine<RecurringStatus>({
  active: ['paused', 'ended'],
  paused: ['active', 'ended'],
  ended: [],
});

/**
 * The days of new invoices, in the recurring invoice's time zone. The rule has no COUNT and UNTIL, because `count` and
 * `endsOn` replace them. `count` is a number of created invoices, not of the rule's days since its start.
 */
export type Recurrence = RuleDays;

/** Time of day of new invoices. */
const issueTime = '09:00';

/**
 * Reads a rule with its number of invoices and its end date. Throws PayError `parameter_invalid` for a rule not based
 * on days, for two counts or two end dates, and for a rule without any day.
 */
export function readRecurrence(rule: Recurrence): Recurrence {
  const parsed = parseRule(rule.rrule);
  if (parsed === null) throw invalid('rrule', 'rrule takes a rule of whole days like FREQ=MONTHLY;BYMONTHDAY=1.');
  const { rrule, count, until } = parsed;
  if (count !== null && rule.count !== null) throw invalid('count', 'Give count or COUNT in rrule, not both.');
  if (until !== null && rule.endsOn !== null) throw invalid('ends_on', 'Give ends_on or UNTIL in rrule, not both.');
  const read = {
    rrule,
    startsOn: rule.startsOn,
    count: count ?? rule.count,
    endsOn: until === null ? rule.endsOn : until.slice(0, 8).replace(/(....)(..)(..)/, '$1-$2-$3'),
  };
  if (nextDay(read, { from: read.startsOn, made: 0 }) === null) {
    throw invalid('rrule', 'The rule has no day within ten years after its start, or none before its end.');
  }
  return read;
}

/** The rule's first day on or after `from`, if `made` invoices already exist. Null if no such day exists. */
export function nextDay(
  recurrence: Recurrence,
  { from, made }: { readonly from: string; readonly made: number },
): string | null {
  if (recurrence.count !== null && made >= recurrence.count) return null;
  return nextDayOf({ ...recurrence, count: null }, from);
}

export function issueMoment(timezone: string, day: string): Date {
  return momentOfDay(timezone, day, issueTime);
}

function invalid(param: string, message: string): PayError {
  return new PayError('parameter_invalid', message, { param });
}
