/** The last accepted year. Dates calculated from it still fit PostgreSQL and `Date`. */
const lastYear = 9998;

/** First accepted years. Moments may be earlier, because some programs send the year 1 for "since the beginning". */
const firstYear = { day: 1900, moment: 1 } as const;

/** Whether the text is a day of the calendar, `YYYY-MM-DD`, from 1900 to 9998. */
export function isDay(text: string): boolean {
  return isDate(text) && Number(text.slice(0, 4)) >= firstYear.day && Number(text.slice(0, 4)) <= lastYear;
}

const dayMs = 86_400_000;

/** The day `days` days after `day`, or before it if negative. Throws RangeError if `day` is not `YYYY-MM-DD`. */
export function addDays(day: string, days: number): string {
  const [moved = ''] = new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().split('T');
  return moved;
}

const momentForm =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * The moment of an RFC 3339 timestamp, from the year 1 to 9998 in UTC. Null for any other text. Refuses leap seconds,
 * because `Date` cannot represent them.
 */
export function parseTimestamp(text: string): Date | null {
  const day = momentForm.exec(text)?.[1];
  if (day === undefined || !isDate(day)) return null;
  const moment = new Date(text);
  const year = moment.getUTCFullYear();
  return year >= firstYear.moment && year <= lastYear ? moment : null;
}

/** Whether the calendar has the day. */
function isDate(text: string): boolean {
  const moment = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : Number.NaN);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
}
