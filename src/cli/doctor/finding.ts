/** The result of one check. `action` tells the user what to do. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly action?: string;
}

/** Functions that make the findings of one check. */
export function findingsOf(check: string) {
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message }),
    warn: (message: string, action: string): Finding => ({ check, status: 'warn', message, action }),
    fail: (message: string, action: string): Finding => ({ check, status: 'fail', message, action }),
  };
}

/** Maximum time for another server to answer a check, in milliseconds. */
export const patienceMs = 5_000;
