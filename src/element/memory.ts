/**
 * What the browser may remember, behind a guard: storage may be full, switched off, or forbidden in a sandboxed frame,
 * and none of that may stop a payment.
 */
export type Memory = 'localStorage' | 'sessionStorage';

const prefix = 'pay-checkout:';

/** The text kept under `key`, or null. */
export function recall(memory: Memory, key: string): string | null {
  try {
    return globalThis[memory].getItem(prefix + key);
  } catch {
    return null;
  }
}

/** Keeps a text; null forgets it. */
export function remember(memory: Memory, key: string, text: string | null): void {
  try {
    if (text === null) globalThis[memory].removeItem(prefix + key);
    else globalThis[memory].setItem(prefix + key, text);
  } catch {
    // Without a memory everything still works within the page.
  }
}
