import type { ReactiveControllerHost } from 'lit';

/** What a countdown reads, and whom it tells. */
export interface CountdownOptions {
  /** Ms left until the absolute deadline on the server's clock, or null when nothing is counted. */
  readonly msLeft: () => number | null;
  /** The last minute begins. Told only when that happens while watching. */
  readonly onLastMinute: () => void;
}

/** Half a second, so that no shown second is skipped; only a changed one is rendered. */
const beatMs = 500;
const running = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** The one timer of the page. A sleeping device or a throttled tab only makes it late: what is left is always reckoned anew. */
function tick(): void {
  clearTimeout(timer);
  for (const beat of running) beat();
  if (running.size > 0) timer = setTimeout(tick, beatMs);
}

/** Renders the host whenever another second is left, as long as it is in a page. */
export function countDown(host: ReactiveControllerHost, { msLeft, onLastMinute }: CountdownOptions): void {
  let shown: number | null = null;

  function beat(): void {
    const ms = msLeft();
    const seconds = ms === null ? null : Math.ceil(ms / 1000);
    const before = shown;
    if (seconds === before) return;
    shown = seconds;
    host.requestUpdate();
    if (before && before > 60 && seconds && seconds <= 60) onLastMinute();
  }

  host.addController({
    hostConnected() {
      running.add(beat);
      if (running.size === 1) document.addEventListener('visibilitychange', tick);
      tick();
    },
    hostDisconnected() {
      running.delete(beat);
      if (running.size === 0) document.removeEventListener('visibilitychange', tick);
    },
  });
}
