/** A page that is visible for this time in ms counts as read, even without an action. */
const lookMs = 3_000;

/** Actions of a person. Not `pointermove`, which browsers also send when a page appears under the pointer. */
const signs = ['pointerdown', 'keydown', 'scroll'] as const;

/**
 * Calls `tell` once when a person reads the page: after an action, or after the page was visible for some seconds.
 * Most programs that check the links of mails do neither.
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

/** A random id of this browser, so that its views count once. Without usable storage, each call returns a new id. */
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
