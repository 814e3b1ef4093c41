import type { ReactiveControllerHost } from 'lit';

/** Milliseconds between two ticks: half a second, so that no second is skipped. Hosts render only changed seconds. */
const tickMs = 500;
const running = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * One timer for all countdowns of the page. A throttled tab stays correct, because each tick computes the remaining
 * time from the clock.
 */
function tick(): void {
  clearTimeout(timer);
  for (const update of running) update();
  if (running.size > 0) timer = setTimeout(tick, tickMs);
}

/**
 * Renders the host each second while it is in a page. `msLeft`: milliseconds until the deadline on the server's clock.
 * Null without a deadline.
 */
export function countDown(
  host: Pick<ReactiveControllerHost, 'addController' | 'requestUpdate'>,
  msLeft: () => number | null,
): void {
  let shown: number | null = null;

  function update(): void {
    const ms = msLeft();
    const seconds = ms === null ? null : Math.ceil(ms / 1000);
    if (seconds === shown) return;
    shown = seconds;
    host.requestUpdate();
  }

  host.addController({
    hostConnected() {
      running.add(update);
      // One listener for the page. It stays, because without countdowns it does nothing.
      document.addEventListener('visibilitychange', tick);
      tick();
    },
    hostDisconnected: () => running.delete(update),
  });
}
