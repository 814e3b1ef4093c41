import { DateTime } from 'luxon';

/** The day it is in a time zone (IANA name) at a moment: `YYYY-MM-DD`. */
export function dayIn(timezone: string, moment: Date): string {
  return DateTime.fromJSDate(moment, { zone: timezone }).toISODate() ?? '';
}

/** The moment at which a day begins in a time zone: midnight, or where summer time skips it the first moment after. */
export function startOfDay(timezone: string, day: string): Date {
  return DateTime.fromISO(day, { zone: timezone }).startOf('day').toJSDate();
}

/** The day a number of days later. */
export function addDays(day: string, days: number): string {
  return DateTime.fromISO(day, { zone: 'utc' }).plus({ days }).toISODate() ?? '';
}

/** How many days the second is after the first. */
export function daysBetween(from: string, to: string): number {
  const [start, end] = [from, to].map(day => DateTime.fromISO(day, { zone: 'utc' }));
  return start === undefined || end === undefined ? 0 : end.diff(start, 'days').days;
}

/**
 * The moment of a full hour of a day in a time zone. An hour that summer time leaves out is the one after it; of an hour that
 * comes twice it is the first.
 */
export function momentOfDay(timezone: string, day: string, hour: number): Date {
  return DateTime.fromISO(day, { zone: timezone }).set({ hour }).toJSDate();
}
