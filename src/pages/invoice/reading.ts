/** How long the page must be visible without any action to count as read, in ms. */
const lookMs = 3_000;

/** Actions of a person. `pointermove` is not one: a browser sends it when a page appears under a resting pointer. */
const signs = ['pointerdown', 'keydown', 'scroll'] as const;

/**
 * Calls `tell` once a person reads the page: after an action, or after it was visible for some seconds. Programs that
 * fetch links from mails do neither.
 */
export function whenPersonReads(tell: () => void): void {
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const seen = () => {
    if (over.signal.aborted || document.visibilityState !== 'visible') return;
    over.abort();
    clearTimeout(timer);
    tell();
  };
  const look = () => {
    clearTimeout(timer);
    if (document.visibilityState === 'visible') timer = setTimeout(seen, lookMs);
  };
  for (const sign of signs) addEventListener(sign, seen, { signal: over.signal, passive: true });
  document.addEventListener('visibilitychange', look, { signal: over.signal });
  look();
}

const key = 'pay-visitor';

/** A random name of this browser; without storage a new one each time. */
export function visitorName(): string {
  const fresh = crypto.getRandomValues(new Uint32Array(4)).join('-');
  try {
    const known = localStorage.getItem(key);
    if (known) return known;
    localStorage.setItem(key, fresh);
  } catch {
    // The storage cannot be used.
  }
  return fresh;
}
