import { DateTime } from 'luxon';

/** The day `YYYY-MM-DD` of a moment in a time zone (IANA name). */
export function dayIn(timezone: string, moment: Date): string {
  return DateTime.fromJSDate(moment, { zone: timezone }).toISODate() ?? '';
}

/** The time of day of a moment in a time zone, `HH:mm:ss.SSS`. */
export function timeIn(timezone: string, moment: Date): string {
  return DateTime.fromJSDate(moment, { zone: timezone }).toFormat('HH:mm:ss.SSS');
}

/** The start of a day in a time zone: midnight. Where summer time skips midnight, the first moment after it. */
export function startOfDay(timezone: string, day: string): Date {
  return DateTime.fromISO(day, { zone: timezone }).startOf('day').toJSDate();
}

/** The number of days from one day to another. */
export function daysBetween(from: string, to: string): number {
  const [start, end] = [from, to].map(day => DateTime.fromISO(day, { zone: 'utc' }));
  return start === undefined || end === undefined ? 0 : end.diff(start, 'days').days;
}

/**
 * The moment of a time of day (`09:00`, `09:00:00.000`) on a day in a time zone. A time that clocks skip moves by the
 * length of the gap. Of a repeated time, the first moment counts (RFC 5545 §3.3.5).
 */
export function momentOfDay(timezone: string, day: string, time: string): Date {
  const moment = DateTime.fromISO(`${day}T${time}`, { zone: timezone });
  return (moment.getPossibleOffsets()[0] ?? moment).toJSDate();
}
