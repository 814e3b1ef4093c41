/** The result of one check. `action` says what to do about it. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly action?: string;
}

/** The findings of one check. */
export function findingsOf(check: string) {
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message }),
    warn: (message: string, action: string): Finding => ({ check, status: 'warn', message, action }),
    fail: (message: string, action: string): Finding => ({ check, status: 'fail', message, action }),
  };
}

/** The message of an error. `fetch` says why it failed in the cause only. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const told = error.message === 'fetch failed' && cause instanceof Error ? cause : error;
  return told.message || ('code' in told ? String(told.code) : told.name);
}

/** Longest time that another server takes to answer a check, in milliseconds. */
export const patienceMs = 5_000;
