import { systemClock } from '../../core/clock.ts';

/** The server's time, computed from the device's clock, which may be wrong by days. */
export interface ServerClock {
  /** The device's time in ms since 1970. */
  deviceNow(): number;
  /** The server's time in ms since 1970. */
  now(): number;
  /** Takes the header `Pay-Server-Time` of the answer to a call made at `askedAt` (device time in ms). */
  learn(header: string | null, askedAt: number): void;
}

/** A smaller difference may be network delay. Following it would make the countdown jump. */
const toleranceMs = 1000;

/** Creates a clock that shows the device's time until the first answer. */
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
      // The answer was written about half way between the request and now.
      const measured = there - (askedAt + deviceNow()) / 2;
      if (known && Math.abs(measured - offset) < toleranceMs) return;
      offset = measured;
      known = true;
    },
  };
}
