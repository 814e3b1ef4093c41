/**
 * A moment as a person reads it, with the zone, since the reader may be elsewhere: `1 June 2099 at 09:00 UTC`. By the
 * calendar of `dateText`, Gregorian, whatever the locale's own is. Without `timeZone` it is that of the machine.
 */
export function momentText(moment: string, locales: string | string[], timeZone?: string): string {
  return new Intl.DateTimeFormat(locales, {
    ...{ year: 'numeric', month: 'long', day: 'numeric', calendar: 'gregory' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone },
  }).format(Date.parse(moment));
}
