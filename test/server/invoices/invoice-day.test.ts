import { describe, expect, it } from 'vitest';
import { addDays, isDay } from '../../../src/core/calendar.ts';
import { dayIn, daysBetween, startOfDay } from '../../../src/server/platform/local-day.ts';

describe('a day', () => {
  it.each([
    ['Europe/Berlin', '2026-10-24', '2026-10-23T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['Pacific/Kiritimati', '2027-01-01', '2026-12-31T10:00:00.000Z'],
    ['America/New_York', '2026-11-02', '2026-11-02T05:00:00.000Z'],
    // Summer time begins at midnight there, so the day begins at one.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    ['Asia/Kathmandu', '2026-11-02', '2026-11-01T18:15:00.000Z'],
  ])('of %s, %s, begins exactly at %s', (zone, day, moment) => {
    const start = startOfDay(zone, day);
    expect(start.toISOString()).toBe(moment);
    expect(dayIn(zone, start)).toBe(day);
    expect(dayIn(zone, new Date(start.getTime() - 1))).toBe(addDays(day, -1));
  });

  it.each([
    ['2026-12-31', 1, '2027-01-01'],
    ['2028-02-28', 1, '2028-02-29'],
    ['2026-03-01', -1, '2026-02-28'],
    ['2026-10-24', 3, '2026-10-27'],
  ])('%s and %d days is %s', (day, days, wanted) => {
    expect(addDays(day, days)).toBe(wanted);
    expect(daysBetween(day, wanted)).toBe(days);
  });

  it.each(['2026-02-29', '2026-13-01', '2026-1-1', '2026-W10-1', '20261102', ''])('does not accept %s', text => {
    expect(isDay(text)).toBe(false);
  });
});
