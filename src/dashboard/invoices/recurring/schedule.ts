import type { CreateRecurringInvoice } from '../../../api/invoice/recurring.ts';
import type { FormTexts } from '../../controls/action-dialog.ts';

/** The codes of weekdays in recurrence rules with their names, in the order of `Date.getDay`. */
const weekdays = [
  ['SU', 'Sunday'],
  ['MO', 'Monday'],
  ['TU', 'Tuesday'],
  ['WE', 'Wednesday'],
  ['TH', 'Thursday'],
  ['FR', 'Friday'],
  ['SA', 'Saturday'],
] as const;

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

const units: Readonly<Record<string, string>> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };

/** The fields of a new schedule. */
export const emptySchedule: FormTexts = {
  every: '1',
  unit: 'months',
  rrule: '',
  starts_on: '',
  until: 'never',
  ends_on: '',
  count: '',
  auto_send: 'yes',
};

/** The schedule that the fields describe, and the error messages by field. */
export interface TypedSchedule {
  readonly body: Omit<CreateRecurringInvoice, 'invoice' | 'metadata' | 'timezone'>;
  readonly wrong: FormTexts;
  readonly missing: FormTexts;
}

/** Reads the fields of the form into a request and error messages. */
export function typedSchedule(values: FormTexts): TypedSchedule {
  const wrong: Record<string, string> = {};
  const missing: Record<string, string> = {};
  const of = (name: string) => values[name]?.trim() ?? '';
  const { unit, until } = values;
  const needed = (name: string, message: string) => {
    if (of(name) === '') missing[name] = message;
    return of(name);
  };
  const number = (name: string) => {
    if (!/^[1-9]\d{0,3}$/.test(of(name))) wrong[name] = 'Write a number from 1 on.';
    return Number(of(name));
  };
  const startsOn = needed('starts_on', 'Choose the first day.');
  const rrule = unit === 'rule' ? needed('rrule', 'Write the rule.') : ruleOf(unit ?? '', number('every'), startsOn);
  return {
    body: {
      rrule,
      starts_on: startsOn,
      ends_on: until === 'day' ? needed('ends_on', 'Choose the last day.') : null,
      count: until === 'count' ? number('count') : null,
      auto_send: of('auto_send') === 'yes',
    },
    wrong,
    missing,
  };
}

/** The recurrence rule that repeats a first day. A month without that day uses its last day. */
function ruleOf(unit: string, every: number, startsOn: string): string {
  const [, month = 1, day = 1] = startsOn.split('-').map(Number);
  const interval = every > 1 ? `;INTERVAL=${every}` : '';
  if (unit === 'weeks') {
    const [name] = weekdays[new Date(`${startsOn}T12:00:00Z`).getUTCDay()] ?? ['MO'];
    return `FREQ=WEEKLY${interval};BYDAY=${name}`;
  }
  if (unit === 'years') {
    return `FREQ=YEARLY${interval};BYMONTH=${month};BYMONTHDAY=${month === 2 && day === 29 ? -1 : day}`;
  }
  return `FREQ=MONTHLY${interval};${monthDay(day)}`;
}

function monthDay(day: number): string {
  if (day === 31) return 'BYMONTHDAY=-1';
  if (day <= 28) return `BYMONTHDAY=${day}`;
  return `BYMONTHDAY=${day === 29 ? '28,29' : '28,29,30'};BYSETPOS=-1`;
}

/** A rule in words: `Every 3 months on day 1`. A more complex rule stays as it is. */
export function ruleWords(rrule: string): string {
  const {
    FREQ = '',
    INTERVAL = '1',
    ...rest
  } = Object.fromEntries(rrule.split(';').map(part => part.split('=') as [string, string]));
  const unit = units[FREQ];
  const when = unit === undefined ? null : dayWords(FREQ, rest);
  if (when === null) return rrule;
  return `Every ${INTERVAL === '1' ? unit : `${INTERVAL} ${unit}s`}${when}`;
}

/** The words for the day within a week, month or year. Null: there are no words for this rule. */
function dayWords(frequency: string, parts: FormTexts): string | null {
  const { BYDAY, BYMONTH, BYMONTHDAY, BYSETPOS, ...others } = parts;
  if (Object.keys(others).length > 0) return null;
  if (frequency === 'WEEKLY') {
    if (BYMONTH ?? BYMONTHDAY ?? BYSETPOS) return null;
    const names = BYDAY?.split(',').map(code => weekdays.find(([each]) => each === code)?.[1]);
    if (names?.includes(undefined)) return null;
    return names === undefined ? '' : ` on ${names.join(', ')}`;
  }
  if (BYDAY !== undefined) return null;
  const isLast = BYMONTHDAY === '-1';
  if (
    frequency === 'YEARLY' &&
    BYMONTH !== undefined &&
    BYSETPOS === undefined &&
    /^(-1|\d+)$/.test(BYMONTHDAY ?? '')
  ) {
    const name = months[Number(BYMONTH) - 1];
    return name === undefined ? null : isLast ? ` on the last day of ${name}` : ` on ${name} ${BYMONTHDAY}`;
  }
  if (BYMONTH !== undefined) return null;
  return BYMONTHDAY === undefined && BYSETPOS === undefined ? '' : monthWords(BYMONTHDAY ?? '', BYSETPOS);
}

function monthWords(day: string, position: string | undefined): string | null {
  const [, clipped] = /^28,(?:29,)?(29|30)$/.exec(day) ?? [];
  if (clipped !== undefined && position === '-1') return ` on day ${clipped}, or the last`;
  if (position !== undefined) return null;
  if (day === '-1') return ' on the last day';
  return /^\d+$/.test(day) ? ` on day ${day}` : null;
}
