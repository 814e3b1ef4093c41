/** How long the page must be before somebody's eyes when nobody does anything on it, in ms. */
const lookMs = 3_000;

/** No move of a pointer: a browser tells of one when a page comes under it, also where there is no person. */
const signs = ['pointerdown', 'keydown', 'scroll'] as const;

/**
 * Calls `tell` once, when a person is looking: they do something on the page, or leave it before them for some seconds.
 * What fetches links out of mails does neither.
 */
export function whenSomebodyReads(tell: () => void): void {
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

/** A name for this browser that says nothing of anybody; a new one where nothing can be kept. */
export function visitorName(): string {
  const fresh = crypto.getRandomValues(new Uint32Array(4)).join('-');
  try {
    const known = localStorage.getItem(key);
    if (known) return known;
    localStorage.setItem(key, fresh);
  } catch {
    // A browser that keeps nothing is another visitor each time.
  }
  return fresh;
}
