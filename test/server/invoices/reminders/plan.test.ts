import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leftBy, planReminders, tenseOf } from '../../../../src/server/invoices/reminders/reminder.ts';

const longAgo = new Date(0);

/** The local day and time of a moment, by the time zone data of `Intl`. */
function wallClock(moment: Date, timezone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return format.format(moment);
}

function plusDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

const timezone = fc.constantFrom(
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  ...['Pacific/Auckland', 'America/Sao_Paulo', 'Asia/Tokyo', 'Africa/Casablanca', 'Pacific/Kiritimati'],
);
const day = fc.date({ min: new Date('2024-01-01'), max: new Date('2035-12-31'), noInvalidDate: true });

describe('reminders are planned', () => {
  it('at nine in the morning of the right day, also across changes of daylight saving time', () => {
    fc.assert(
      fc.property(
        timezone,
        day,
        fc.uniqueArray(fc.integer({ min: -60, max: 60 }), { maxLength: 6 }),
        (zone, date, offsets) => {
          const dueDate = date.toISOString().slice(0, 10);
          const plan = planReminders({ dueDates: [dueDate], offsetsDays: offsets, timezone: zone, after: longAgo });
          expect(plan.map(({ offsetDays }) => offsetDays)).toEqual([...offsets].sort((a, b) => a - b));
          for (const { offsetDays, at } of plan) {
            expect(wallClock(at, zone)).toBe(`${plusDays(dueDate, offsetDays)} 09:00`);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-26T08:00:00Z', '2026-03-29T07:00:00Z', '2026-04-01T07:00:00Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-22T07:00:00Z', '2026-10-25T08:00:00Z', '2026-10-28T08:00:00Z'],
    ['America/New_York', '2026-03-08', '2026-03-05T14:00:00Z', '2026-03-08T13:00:00Z', '2026-03-11T13:00:00Z'],
    ['Asia/Tokyo', '2028-02-29', '2028-02-26T00:00:00Z', '2028-02-29T00:00:00Z', '2028-03-03T00:00:00Z'],
  ])('in %s around %s', (zone, dueDate, ...moments) => {
    const plan = planReminders({ dueDates: [dueDate], offsetsDays: [-3, 0, 3], timezone: zone, after: longAgo });
    expect(plan.map(({ at }) => at.toISOString())).toEqual(moments.map(moment => new Date(moment).toISOString()));
  });

  it('once for a day and offset, and not for past times', () => {
    const plan = planReminders({
      dueDates: ['2026-05-10', '2026-05-10', '2026-06-10'],
      offsetsDays: [0, 0, 3],
      timezone: 'UTC',
      after: new Date('2026-05-10T09:00:00Z'),
    });
    expect(plan.map(({ dueDate, offsetDays }) => [dueDate, offsetDays])).toEqual([
      ['2026-05-10', 3],
      ['2026-06-10', 0],
      ['2026-06-10', 3],
    ]);
  });
});

it('requests all amounts that are due and open on its day', () => {
  const parts = [
    { dueDate: '2026-05-01', left: 10n },
    { dueDate: '2026-06-01', left: 25n },
    { dueDate: '2026-07-01', left: 100n },
  ];
  expect(['2026-04-30', '2026-05-01', '2026-06-01', '2026-12-31'].map(date => leftBy(date, parts))).toEqual([
    0n,
    10n,
    35n,
    135n,
  ]);
});

it('has the amounts of the time at which it is written', () => {
  expect(['2026-05-01', '2026-05-02', '2026-05-03'].map(today => tenseOf('2026-05-02', today))).toEqual([
    'before',
    'today',
    'after',
  ]);
});
