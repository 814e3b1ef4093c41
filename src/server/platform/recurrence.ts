import { DateTime } from 'luxon';
import * as library from 'rrule';
import { addDays } from '../../core/calendar.ts';
import { dayIn, momentOfDay, timeIn } from './local-day.ts';

// Node loads the package as CommonJS, with its exports under `default`. A bundler takes its ES modules, which have no
// default export.
const { RRule } = (Reflect.get(library, 'default') ?? library) as typeof library;

/** A recurrence rule that selects days (RFC 5545 §3.3.10). `rrule` contains neither COUNT nor UNTIL. */
export interface ParsedRule {
  readonly rrule: string;
  readonly count: number | null;
  /** The given UNTIL: `YYYYMMDD`, optionally with a time, which may be in UTC. */
  readonly until: string | null;
}

/** Days to search ahead. They end the search for a rule that never selects a day, such as 30 February. */
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
 * The parts a rule may have, by its frequency. Only monthly and yearly rules may have days of the month. In daily and
 * weekly rules, the library might search thousands of years for such a day.
 */
const partsOf: Readonly<Record<string, readonly string[]>> = {
  DAILY: ofDays,
  WEEKLY: ofDays,
  MONTHLY: ofMonths,
  YEARLY: ofMonths,
};

/** Parses a rule that selects days. Null for any other text. */
export function parseRule(text: string): ParsedRule | null {
  const given = text
    .trim()
    .replace(/^RRULE:/i, '')
    .toUpperCase()
    .split(';');
  if (!isRule(given)) return null;
  const valueIn = (name: string) => given.find(part => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
  const count = valueIn('COUNT');
  return {
    rrule: given.filter(part => !/^(COUNT|UNTIL)=/.test(part)).join(';'),
    count: count === null ? null : Number(count),
    until: valueIn('UNTIL'),
  };
}

function isRule(given: readonly string[]): boolean {
  const names = given.map(part => part.slice(0, part.indexOf('=')));
  const frequency = given.find(part => part.startsWith('FREQ=')) ?? '';
  const known = (partsOf[frequency.slice('FREQ='.length)] ?? []).map(part => new RegExp(`^${part}$`));
  const isKnown = given.every(part => part === frequency || known.some(pattern => pattern.test(part)));
  // A rule such as "every seventh day, if it is a Monday" never matches if it starts on a Tuesday.
  const skips = frequency === 'FREQ=DAILY' && names.includes('INTERVAL') && names.some(name => name.startsWith('BY'));
  return known.length > 0 && isKnown && !skips && new Set(names).size === names.length;
}

export interface RuleDays {
  readonly rrule: string;
  readonly startsOn: string;
  readonly endsOn: string | null;
  /** Maximum number of days from `startsOn` on. Null: no limit. */
  readonly count: number | null;
}

/**
 * The first day of the rule on or after `from`. Null if there is none within ten years. Skips months without the day.
 * Counts days in UTC, so that summer time cannot repeat or skip a day.
 */
export function nextDay({ rrule, startsOn, endsOn, count }: RuleDays, from: string): string | null {
  const first = from < startsOn ? startsOn : from;
  const horizon = addDays(first, horizonDays);
  const last = endsOn === null || endsOn > horizon ? horizon : endsOn;
  if (first > last) return null;
  const ends = { until: midnight(last), ...(count !== null && { count }) };
  const rule = new RRule({ ...RRule.parseString(rrule), dtstart: midnight(startsOn), ...ends });
  return rule.after(midnight(first), true)?.toISOString().slice(0, 10) ?? null;
}

function midnight(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** The moments of a rule: its days at the local time of `startsAt`. */
export interface RuleMoments {
  readonly rrule: string;
  /** IANA name. */
  readonly timezone: string;
  readonly startsAt: Date;
  /** The last moment at which the rule may run. Null: no end. */
  readonly endsAt: Date | null;
  /** Maximum number of runs from `startsAt` on. Null: no limit. */
  readonly count: number | null;
}

/**
 * The first moments of the rule after a moment, at most `most`. They have the same local time in summer and winter. A
 * time that clocks skip moves by the length of the gap. Of a repeated time, the first moment counts.
 */
export function nextMoments(rule: RuleMoments, after: Date, most: number): Date[] {
  const { rrule, timezone, startsAt, endsAt, count } = rule;
  const days = { rrule, startsOn: dayIn(timezone, startsAt), endsOn: endsAt && dayIn(timezone, endsAt), count };
  const time = timeIn(timezone, startsAt);
  const found: Date[] = [];
  let last = after;
  // Starts one day earlier: if a zone crosses the date line, a skipped day’s moment falls on the next day.
  let from = addDays(dayIn(timezone, after), -1);
  while (found.length < most) {
    const day = nextDay(days, from);
    if (day === null) break;
    const moment = momentOfDay(timezone, day, time);
    if (endsAt !== null && moment > endsAt) break;
    if (moment > last) found.push(moment);
    last = found.at(-1) ?? after;
    from = addDays(day, 1);
  }
  return found;
}

/** The last moment that UNTIL allows. Null for an invalid date. Without a time, it is the end of the local day. */
export function momentOfUntil(until: string, timezone: string): Date | null {
  const [, day = '', time = '', utc = ''] = /^(\d{8})(?:T(\d{6}))?(Z?)$/.exec(until) ?? [];
  const zone = utc === '' ? timezone : 'utc';
  const moment = DateTime.fromFormat(`${day}${time}`, time === '' ? 'yyyyMMdd' : 'yyyyMMddHHmmss', { zone });
  if (!moment.isValid) return null;
  return (time === '' ? moment.endOf('day') : moment).toJSDate();
}
