const { setTimeout: realTimeout, setInterval: realInterval } = globalThis;

const speed = 10;

/** Shorter delays do not change: they only order events. */
const shortestMs = 100;

const scaled = (ms = 0) => (ms < shortestMs ? ms : ms / speed);

/** Makes timers run ten times as fast, so that a test does not wait for the element's pauses. `tidyUp` ends it. */
export function speedUpTimers(): void {
  globalThis.setTimeout = ((run: TimerHandler, ms?: number, ...rest: unknown[]) =>
    realTimeout(run, scaled(ms), ...rest)) as typeof setTimeout;
  globalThis.setInterval = ((run: TimerHandler, ms?: number, ...rest: unknown[]) =>
    realInterval(run, scaled(ms), ...rest)) as typeof setInterval;
}

export function restoreTimers(): void {
  globalThis.setTimeout = realTimeout;
  globalThis.setInterval = realInterval;
}
