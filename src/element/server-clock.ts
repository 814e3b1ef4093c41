import { systemClock } from '../core/clock.ts';

/** The server's time, reckoned from the device's clock, which may be wrong by days. */
export interface ServerClock {
  /** The device's time in ms since 1970. */
  deviceNow(): number;
  /** The server's time in ms since 1970. */
  now(): number;
  /** Takes the header `Pay-Server-Time` of an answer to a call made at `askedAt` (device ms). */
  learn(header: string | null, askedAt: number): void;
}

/** Below this the difference may be the line's delay: following it would only make the seconds stutter. */
const toleranceMs = 1000;

/** A server clock that believes the device until the first answer. */
export function createServerClock(): ServerClock {
  let offset = 0;
  let known = false;
  const deviceNow = () => systemClock.now().getTime();
  return {
    deviceNow,
    now: () => deviceNow() + offset,
    learn(header, askedAt) {
      const there = Date.parse(header ?? '');
      if (Number.isNaN(there)) return;
      // The answer was written about half way between asking and now.
      const measured = there - (askedAt + deviceNow()) / 2;
      if (known && Math.abs(measured - offset) < toleranceMs) return;
      offset = measured;
      known = true;
    },
  };
}
