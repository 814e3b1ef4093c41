import type { PayoutSchedule } from '../../api/payout.ts';
import { parseTimestamp } from '../../core/calendar.ts';
import { PayError } from '../../core/error.ts';
import { isTimeZone } from '../merchants/account.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { momentOfUntil, nextMoments, parseRule, type RuleMoments } from '../platform/recurrence.ts';

type RecurringSchedule = Extract<PayoutSchedule, { type: 'recurring' }>;

/** A checked schedule in its stored form, and its first time after now. */
export interface ReadSchedule {
  readonly schedule: PayoutSchedule;
  /** Null for immediate payouts. */
  readonly at: Date | null;
}

/** A rule must start within this many years of now: the search for its next run begins there and could take long. */
const startYears = 10;
const yearMs = 366 * 86_400_000;

/**
 * Checks a schedule. Its next run is later than now and later than `after`, the last run of the replaced schedule.
 * Throws PayError `invalid_schedule` with the field.
 */
export function readSchedule(
  given: PayoutSchedule,
  { merchant, now }: Pick<Caller, 'merchant' | 'now'>,
  after: Date = now,
): ReadSchedule {
  if (given.type === 'immediate') return { schedule: given, at: null };
  if (given.type === 'scheduled') {
    const at = momentOf(given.at, 'at');
    if (at <= now) throw invalid('at', 'must lie in the future.');
    return { schedule: given, at };
  }
  const timezone = given.timezone ?? merchant.timezone;
  if (!isTimeZone(timezone)) throw invalid('timezone', 'takes an IANA name like Europe/Berlin.');
  checkRule({ ...given, timezone }, now);
  const schedule = { ...given, timezone };
  const [at] = nextRuns(schedule, after > now ? after : now, 1);
  if (at !== undefined) return { schedule, at };
  const { ends_at: end, ...endless } = schedule;
  const isPast = end !== undefined && nextRuns(endless, now, 1).length > 0;
  throw isPast
    ? invalid('ends_at', 'must be after the next run of the rule.')
    : invalid('rrule', 'has no run within the next ten years.');
}

function checkRule({ rrule, starts_at: start, ends_at: end, timezone }: RecurringSchedule, now: Date): void {
  const startsAt = momentOf(start, 'starts_at');
  if (Math.abs(startsAt.getTime() - now.getTime()) > startYears * yearMs) {
    throw invalid('starts_at', `must be at most ${startYears} years from now.`);
  }
  const rule = parseRule(rrule);
  if (rule === null) {
    const message = 'takes a daily, weekly, monthly or yearly rule like FREQ=MONTHLY;BYMONTHDAY=-1.';
    throw invalid('rrule', `${message} starts_at sets the time of day.`);
  }
  if (rule.until !== null && momentOfUntil(rule.until, timezone ?? 'utc') === null) {
    throw invalid('rrule', 'has an UNTIL that is not a date.');
  }
  if (rule.until !== null && rule.count !== null) throw invalid('rrule', 'takes COUNT or UNTIL, not both.');
  if (end === undefined) return;
  if (rule.until !== null) throw invalid('ends_at', 'cannot be combined with UNTIL in the rule.');
  if (momentOf(end, 'ends_at') < startsAt) throw invalid('ends_at', 'must not be before starts_at.');
}

/** The next runs of a checked schedule after a time. Empty if the schedule is not recurring or has ended. */
export function nextRuns(schedule: PayoutSchedule, after: Date, most: number): Date[] {
  return schedule.type === 'recurring' ? nextMoments(ruleOf(schedule), after, most) : [];
}

function ruleOf({ rrule, starts_at: start, ends_at: end, timezone = 'utc' }: RecurringSchedule): RuleMoments {
  const { count = null, until = null, ...rule } = parseRule(rrule) ?? { rrule };
  const endsAt = until === null ? new Date(end ?? Number.NaN) : momentOfUntil(until, timezone);
  const hasEnd = endsAt !== null && !Number.isNaN(endsAt.getTime());
  return { ...rule, count, timezone, startsAt: new Date(start), endsAt: hasEnd ? endsAt : null };
}

function momentOf(text: string, field: string): Date {
  const moment = parseTimestamp(text);
  if (moment === null) throw invalid(field, 'takes a time like 2027-01-31T09:00:00Z, up to the year 9998.');
  return moment;
}

function invalid(field: string, problem: string): PayError {
  const param = `schedule.${field}`;
  return new PayError('invalid_schedule', `${param} ${problem}`, { param });
}
