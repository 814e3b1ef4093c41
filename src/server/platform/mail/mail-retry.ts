const minute = 60_000;

/** Pauses after an attempt that failed, in milliseconds: over five days, as long as mail servers go on (RFC 5321 §4.5.4.1). */
const pausesMs = [1, 5, 15, 60, 180, 360, 720, 1440, 1440, 1440, 1440].map(minutes => minutes * minute);

/** How long to wait after the given attempt (1, 2 …), spread by `random` in [0, 1) over a tenth; null: give up. */
export function pauseAfter(attempt: number, random: number): number | null {
  const pauseMs = pausesMs[attempt - 1];
  return pauseMs === undefined ? null : Math.floor(pauseMs * (1 + random / 10));
}
