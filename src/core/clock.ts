export interface Clock {
  /** The current time. */
  now(): Date;
}

/** The machine's clock. Other code of the server never reads the date directly. */
export const systemClock: Clock = { now: () => new Date() };

/** `date` moved by a number of seconds. */
export function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}

const dayMs = 86_400_000;

/**
 * `date` moved by a number of weekdays (UTC). Bank holidays count as weekdays, because they differ by country.
 */
export function addWeekdays(date: Date, days: number): Date {
  let moved = date;
  for (let left = days; left > 0; ) {
    moved = new Date(moved.getTime() + dayMs);
    if (moved.getUTCDay() !== 0 && moved.getUTCDay() !== 6) left--;
  }
  return moved;
}

/**
 * Milliseconds of an ISO 8601 duration of weeks, days, hours, minutes and seconds (`P3D`, `PT15M`, `P1DT2H`). Null for
 * other texts. Refuses months and years, because their length varies.
 */
export function parseDuration(text: string): number | null {
  const match = /^P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?$/.exec(text);
  if (!match || text === 'P' || text.endsWith('T')) return null;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map(part => Number(part ?? 0));
  return (
    ((((weeks ?? 0) * 7 + (days ?? 0)) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60_000 + (seconds ?? 0) * 1000
  );
}
