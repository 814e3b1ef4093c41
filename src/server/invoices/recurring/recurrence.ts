import * as library from 'rrule';
import { PayError } from '../../../core/error.ts';
import { defineMachine } from '../../../core/machine.ts';
import { addDays, momentOfDay } from '../invoice.ts';
import type { RecurringRow } from '../tables.ts';

// Node loads the package as CommonJS, with its names under `default`. A bundler takes its ES modules, which have no
// default export.
const { RRule } = (Reflect.get(library, 'default') ?? library) as typeof library;

export type RecurringStatus = RecurringRow['status'];

/** The life of a recurring invoice. */
export const recurringMachine = defineMachine<RecurringStatus>({
  active: ['paused', 'ended'],
  paused: ['active', 'ended'],
  ended: [],
});

/** The days on which invoices are made, in the recurring invoice's time zone. */
export interface Recurrence {
  /** Without COUNT and UNTIL, which are fields of their own. */
  readonly rrule: string;
  readonly startsOn: string;
  readonly endsOn: string | null;
  readonly count: number | null;
}

/** The hour of the day at which invoices are made. */
const issueHour = 9;

/** Days to search ahead for the next day. Rules without any day, such as 30 February, end there. */
const horizonDays = 3_660;

const weekday = '(MO|TU|WE|TH|FR|SA|SU)';
const manyOf = (value: string) => `${value}(,${value})*`;
const always = [
  'INTERVAL=[1-9]\\d{0,2}',
  `WKST=${weekday}`,
  `BYMONTH=${manyOf('([1-9]|1[0-2])')}`,
  'COUNT=[1-9]\\d{0,3}',
  'UNTIL=\\d{8}(T\\d{6}Z?)?',
];
const ofDays = [...always, `BYDAY=${manyOf(weekday)}`];
const ofMonths = [
  ...always,
  `BYDAY=${manyOf(`([+-]?[1-5])?${weekday}`)}`,
  `BYMONTHDAY=${manyOf('[+-]?([1-9]|[12]\\d|3[01])')}`,
  `BYSETPOS=${manyOf('[+-]?[1-9]\\d?')}`,
];

/**
 * The parts a rule may have, by its frequency (RFC 5545 §3.3.10). Days of the month are allowed in monthly and yearly
 * rules only: for others the library may search thousands of years.
 */
const partsOf: Readonly<Record<string, readonly string[]>> = {
  DAILY: ofDays,
  WEEKLY: ofDays,
  MONTHLY: ofMonths,
  YEARLY: ofMonths,
};

/**
 * Reads a rule with its ends. Throws PayError `parameter_invalid` for a rule that is not by days, for two ends of one kind,
 * and for a rule without any day.
 */
export function readRecurrence(rule: Recurrence): Recurrence {
  const given = splitRule(rule.rrule);
  const valueIn = (name: string) => given.find(part => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
  const [count, until] = [valueIn('COUNT'), valueIn('UNTIL')];
  if (count !== null && rule.count !== null) throw invalid('count', 'Give count or COUNT in rrule, not both.');
  if (until !== null && rule.endsOn !== null) throw invalid('ends_on', 'Give ends_on or UNTIL in rrule, not both.');
  const read = {
    rrule: given.filter(part => !/^(COUNT|UNTIL)=/.test(part)).join(';'),
    startsOn: rule.startsOn,
    endsOn: until === null ? rule.endsOn : until.slice(0, 8).replace(/(....)(..)(..)/, '$1-$2-$3'),
    count: count === null ? rule.count : Number(count),
  };
  if (nextDay(read, { from: read.startsOn, made: 0 }) === null) {
    throw invalid('rrule', 'The rule has no day within ten years of its start, or none before its end.');
  }
  return read;
}

function splitRule(text: string): string[] {
  const given = text
    .trim()
    .replace(/^RRULE:/i, '')
    .toUpperCase()
    .split(';');
  const names = given.map(part => part.slice(0, part.indexOf('=')));
  const frequency = given.find(part => part.startsWith('FREQ=')) ?? '';
  const known = (partsOf[frequency.slice('FREQ='.length)] ?? []).map(part => new RegExp(`^${part}$`));
  const isKnown = given.every(part => part === frequency || known.some(pattern => pattern.test(part)));
  // A rule such as "every second day, if it is a Monday" may have no day either.
  const skips = frequency === 'FREQ=DAILY' && names.includes('INTERVAL') && names.some(name => name.startsWith('BY'));
  if (known.length === 0 || !isKnown || skips || new Set(names).size < names.length) {
    throw invalid('rrule', 'rrule takes a rule by days like FREQ=MONTHLY;BYMONTHDAY=1.');
  }
  return given;
}

/**
 * The first day of the rule on or after `from`, when `made` invoices exist already; null when there is none. Days are
 * counted in UTC, so summer time cannot double or lose one.
 */
export function nextDay(
  { rrule, startsOn, endsOn, count }: Recurrence,
  { from, made }: { readonly from: string; readonly made: number },
): string | null {
  if (count !== null && made >= count) return null;
  const first = from < startsOn ? startsOn : from;
  const horizon = addDays(first, horizonDays);
  const last = endsOn === null || endsOn > horizon ? horizon : endsOn;
  if (first > last) return null;
  const rule = new RRule({ ...RRule.parseString(rrule), dtstart: midnight(startsOn), until: midnight(last) });
  return rule.after(midnight(first), true)?.toISOString().slice(0, 10) ?? null;
}

export function issueMoment(timezone: string, day: string): Date {
  return momentOfDay(timezone, day, issueHour);
}

function midnight(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

function invalid(param: string, message: string): PayError {
  return new PayError('parameter_invalid', message, { param });
}
