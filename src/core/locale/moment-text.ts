/**
 * A moment with its time zone: `1 June 2099 at 09:00 UTC`. The calendar is Gregorian in every locale, as in `dateText`.
 * Default of `timeZone`: the machine's time zone.
 */
export function momentText(moment: string, locales: string | string[], timeZone?: string): string {
  return new Intl.DateTimeFormat(locales, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    calendar: 'gregory',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(Date.parse(moment));
}
