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

/** Longest time that another server takes to answer a check, in milliseconds. */
export const patienceMs = 5_000;
