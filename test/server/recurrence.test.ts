import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { momentOfUntil, nextMoments, parseRule, type RuleMoments } from '../../src/server/platform/recurrence.ts';

const berlin = 'Europe/Berlin';
/** The rule; `startsAt` is local time. */
const ruleOf = (rrule: string, startsAt: string, timezone = berlin, ends: Partial<RuleMoments> = {}): RuleMoments => ({
  rrule,
  timezone,
  endsAt: null,
  count: null,
  startsAt: DateTime.fromISO(startsAt, { zone: timezone }).toJSDate(),
  ...ends,
});
const justBefore = (rule: RuleMoments) => new Date(rule.startsAt.getTime() - 1);
const textOf = (moment: Date) => moment.toISOString().replace(':00.000Z', 'Z');

describe('the moments of a rule', () => {
  it.each<[string, RuleMoments, string[]]>([
    [
      'are at the end of each month',
      ruleOf('FREQ=MONTHLY;BYMONTHDAY=-1', '2027-12-31T09:00'),
      ['2027-12-31T08:00Z', '2028-01-31T08:00Z', '2028-02-29T08:00Z', '2028-03-31T07:00Z', '2028-04-30T07:00Z'],
    ],
    [
      'leave out months without day 31',
      ruleOf('FREQ=MONTHLY', '2026-12-31T09:00', 'Etc/UTC'),
      ['2026-12-31T09:00Z', '2027-01-31T09:00Z', '2027-03-31T09:00Z', '2027-05-31T09:00Z', '2027-07-31T09:00Z'],
    ],
    [
      'leave out February for day 30',
      ruleOf('FREQ=MONTHLY;BYMONTHDAY=30', '2026-12-30T09:00', 'Etc/UTC', { count: 3 }),
      ['2026-12-30T09:00Z', '2027-01-30T09:00Z', '2027-03-30T09:00Z'],
    ],
    [
      'leave out years without 29 February',
      ruleOf('FREQ=YEARLY', '2096-02-29T09:00', 'Etc/UTC', { count: 2 }),
      ['2096-02-29T09:00Z', '2104-02-29T09:00Z'],
    ],
    [
      'move a skipped time by the gap',
      ruleOf('FREQ=DAILY', '2027-03-27T02:30', berlin, { count: 3 }),
      ['2027-03-27T01:30Z', '2027-03-28T01:30Z', '2027-03-29T00:30Z'],
    ],
    [
      'take a repeated time once, the first',
      ruleOf('FREQ=DAILY', '2027-10-30T02:30', berlin, { count: 3 }),
      ['2027-10-30T00:30Z', '2027-10-31T00:30Z', '2027-11-01T01:30Z'],
    ],
    [
      'take a repeated time once where summer time begins in autumn',
      ruleOf('FREQ=DAILY', '2027-04-03T02:30', 'Australia/Sydney', { count: 3 }),
      ['2027-04-02T15:30Z', '2027-04-03T15:30Z', '2027-04-04T16:30Z'],
    ],
    [
      'never fall twice on a moment, where a zone skipped a day',
      ruleOf('FREQ=DAILY', '2011-12-28T09:00', 'Pacific/Apia', { count: 5 }),
      ['2011-12-28T19:00Z', '2011-12-29T19:00Z', '2011-12-30T19:00Z', '2011-12-31T19:00Z'],
    ],
    [
      'include the end',
      ruleOf('FREQ=WEEKLY;BYDAY=MO,FR', '2026-12-04T09:00', 'Etc/UTC', { endsAt: new Date('2026-12-11T09:00Z') }),
      ['2026-12-04T09:00Z', '2026-12-07T09:00Z', '2026-12-11T09:00Z'],
    ],
    [
      'exclude what is a moment after the end',
      ruleOf('FREQ=DAILY', '2026-12-04T09:00', 'Etc/UTC', { endsAt: new Date('2026-12-05T08:59:59Z') }),
      ['2026-12-04T09:00Z'],
    ],
    [
      'are the last working days of months',
      ruleOf('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', '2027-01-01T17:00', 'Etc/UTC', { count: 2 }),
      ['2027-01-29T17:00Z', '2027-02-26T17:00Z'],
    ],
    ['may be none', ruleOf('FREQ=MONTHLY;BYMONTHDAY=30;BYMONTH=2', '2027-01-01T17:00'), []],
  ])('%s', (_, rule, expected) => {
    expect(nextMoments(rule, justBefore(rule), 5).map(textOf)).toEqual(expected);
  });

  it('rise, keep their local time, and are the same from wherever they are counted', () => {
    const rules = [
      'FREQ=DAILY',
      'FREQ=WEEKLY;BYDAY=SU,WE',
      'FREQ=MONTHLY',
      'FREQ=MONTHLY;BYMONTHDAY=-1',
      'FREQ=YEARLY',
    ];
    const zones = [berlin, 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Africa/Cairo', 'Etc/UTC'];
    const start = fc.date({ min: new Date('2024-01-01'), max: new Date('2031-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.constantFrom(...rules), fc.constantFrom(...zones), start, (rrule, timezone, startsAt) => {
        const rule = { rrule, timezone, startsAt, endsAt: null, count: null };
        const local = (moment: Date) => DateTime.fromJSDate(moment, { zone: timezone });
        const time = local(startsAt).toFormat('HH:mm:ss.SSS');
        const moments = nextMoments(rule, justBefore(rule), 40);
        expect(moments).toHaveLength(40);
        for (const [at, moment] of moments.entries()) {
          expect(moment.getTime()).toBeGreaterThan(moments[at - 1]?.getTime() ?? 0);
          const wished = DateTime.fromISO(`${local(moment).toISODate()}T${time}`, { zone: timezone });
          expect(Math.abs(moment.getTime() - wished.toMillis())).toBeLessThanOrEqual(3_600_000);
          if (wished.toFormat('HH:mm:ss.SSS') === time) expect(local(moment).toFormat('HH:mm:ss.SSS')).toBe(time);
          if (at > 0 && at < 6) expect(nextMoments(rule, moments[at - 1] as Date, 1)).toEqual([moment]);
        }
      }),
      { numRuns: 40 },
    );
  });
});

it.each([
  ['20261231', '2026-12-31T22:59:59.999Z'],
  ['20261231T090000', '2026-12-31T08:00:00.000Z'],
  ['20261231T090000Z', '2026-12-31T09:00:00.000Z'],
  ['20260230', null],
])('UNTIL=%s is %s', (until, moment) => {
  expect(momentOfUntil(until, berlin)?.toISOString() ?? null).toBe(moment);
});

it.each([
  ['rrule:freq=daily;count=3', { rrule: 'FREQ=DAILY', count: 3, until: null }],
  ['FREQ=WEEKLY;UNTIL=20261231;BYDAY=MO', { rrule: 'FREQ=WEEKLY;BYDAY=MO', count: null, until: '20261231' }],
  ['FREQ=SECONDLY', null],
  ['FREQ=DAILY;FREQ=WEEKLY', null],
  ['FREQ=DAILY;COUNT=0', null],
  ['BYDAY=MO', null],
  ['', null],
])('%s reads as %o', (text, expected) => {
  expect(parseRule(text)).toEqual(expected);
});
