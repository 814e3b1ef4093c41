import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addBankDays, arrivalDayOf, arrivalOf, executionDayOf, isBankDay } from '../../../src/core/bank/bank-days.ts';
import type { BankCalendar } from '../../../src/core/bank/rails.ts';

const calendars: readonly BankCalendar[] = ['target', 'fedwire'];
const rails = ['sepa', 'swift', 'ach'] as const;
const dayText = (date: Date) => date.toISOString().slice(0, 10);
const days = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }).map(dayText);

/** The weekdays of a year on which the system is closed. */
function closedDays(calendar: BankCalendar, year: number): string[] {
  const all = Array.from({ length: 366 }, (_, index) => new Date(Date.UTC(year, 0, 1 + index)));
  return all
    .filter(date => date.getUTCFullYear() === year && ![0, 6].includes(date.getUTCDay()))
    .map(dayText)
    .filter(day => !isBankDay(calendar, day));
}

describe('closing days', () => {
  // European Central Bank, TARGET closing days.
  test.each([
    [2024, '2024-01-01 2024-03-29 2024-04-01 2024-05-01 2024-12-25 2024-12-26'],
    [2025, '2025-01-01 2025-04-18 2025-04-21 2025-05-01 2025-12-25 2025-12-26'],
    [2026, '2026-01-01 2026-04-03 2026-04-06 2026-05-01 2026-12-25'],
    [2027, '2027-01-01 2027-03-26 2027-03-29'],
    [2038, '2038-01-01 2038-04-23 2038-04-26'],
  ])('of TARGET in %i', (year, closed) => {
    expect(closedDays('target', year)).toEqual(closed.split(' '));
  });

  // Federal Reserve Financial Services, holiday schedules.
  test.each([
    [2021, '2021-01-01 2021-01-18 2021-02-15 2021-05-31 2021-07-05 2021-09-06 2021-10-11 2021-11-11 2021-11-25'],
    [
      2022,
      '2022-01-17 2022-02-21 2022-05-30 2022-06-20 2022-07-04 2022-09-05 2022-10-10 2022-11-11 2022-11-24 2022-12-26',
    ],
    [
      2023,
      '2023-01-02 2023-01-16 2023-02-20 2023-05-29 2023-06-19 2023-07-04 2023-09-04 2023-10-09 2023-11-23 2023-12-25',
    ],
    [
      2026,
      '2026-01-01 2026-01-19 2026-02-16 2026-05-25 2026-06-19 2026-09-07 2026-10-12 2026-11-11 2026-11-26 2026-12-25',
    ],
  ])('of Fedwire in %i', (year, closed) => {
    expect(closedDays('fedwire', year)).toEqual(closed.split(' '));
  });
});

describe('bank days', () => {
  test('are added one after another', () => {
    fc.assert(
      fc.property(fc.constantFrom(...calendars), days, fc.nat(20), fc.nat(20), (calendar, day, a, b) => {
        const there = addBankDays(calendar, day, a + b);
        expect(there).toBe(addBankDays(calendar, addBankDays(calendar, day, a), b));
        if (a + b > 0) expect(isBankDay(calendar, there)).toBe(true);
      }),
    );
  });

  test('are at most five days apart', () => {
    fc.assert(
      fc.property(fc.constantFrom(...calendars), days, (calendar, day) => {
        const next = addBankDays(calendar, day, 1);
        expect(next > day).toBe(true);
        expect(Date.parse(next) - Date.parse(day)).toBeLessThanOrEqual(5 * 86_400_000);
      }),
    );
  });
});

describe('arrival', () => {
  test.each([
    // Monday; the cut-off of 15:00 in Berlin is 14:00 UTC in winter and 13:00 in summer.
    ['sepa', '2026-11-23T13:59:59Z', '2026-11-24T17:00:00.000Z'],
    ['sepa', '2026-11-23T14:00:00Z', '2026-11-25T17:00:00.000Z'],
    ['sepa', '2026-07-06T12:59:00Z', '2026-07-07T16:00:00.000Z'],
    ['sepa', '2026-07-06T13:00:00Z', '2026-07-08T16:00:00.000Z'],
    // Maundy Thursday, and the clocks change on the Sunday before Easter.
    ['sepa', '2027-03-25T10:00:00Z', '2027-03-30T16:00:00.000Z'],
    // Christmas Eve 2026 is a Thursday; the 25th closes, the 26th is a Saturday.
    ['sepa', '2026-12-24T10:00:00Z', '2026-12-28T17:00:00.000Z'],
    ['sepa', '2026-12-24T16:00:00Z', '2026-12-29T17:00:00.000Z'],
    ['swift', '2026-12-24T10:00:00Z', '2026-12-29T17:00:00.000Z'],
    // The evening before Thanksgiving: 16:45 in New York is 21:45 UTC.
    ['ach', '2026-11-25T21:44:00Z', '2026-11-27T22:00:00.000Z'],
    ['ach', '2026-11-25T21:45:00Z', '2026-11-30T22:00:00.000Z'],
    // Still Friday in New York.
    ['ach', '2026-11-28T01:00:00Z', '2026-12-01T22:00:00.000Z'],
  ] as const)('by %s of an order at %s is %s', (rail, now, arrival) => {
    expect(arrivalOf(rail, new Date(now)).toISOString()).toBe(arrival);
  });

  test('is on a bank day after the order, and never earlier for a later order', () => {
    const moments = fc.date({ min: new Date('2020-01-01'), max: new Date('2050-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.constantFrom(...rails), moments, fc.nat(200 * 3600), (rail, now, seconds) => {
        const arrival = arrivalOf(rail, now);
        const calendar = rail === 'ach' ? 'fedwire' : 'target';
        expect(arrival > now).toBe(true);
        expect(isBankDay(calendar, arrivalDayOf(rail, now))).toBe(true);
        expect(isBankDay(calendar, executionDayOf(rail, now))).toBe(true);
        expect(arrivalOf(rail, new Date(now.getTime() + seconds * 1000)) >= arrival).toBe(true);
      }),
    );
  });
});
