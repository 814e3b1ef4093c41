export type FailingWork = ReturnType<typeof createFailingWork>;

/**
 * Milliseconds after which a failure is forgotten. Attempts are repeated sooner, so the work has ended, or another
 * server does it.
 */
const staleMs = 600_000;

/**
 * Watches work that fails on every attempt: a sweep, or an order that a rail never answers. Kept in memory. `now`: the
 * monotonic clock in milliseconds.
 */
export function createFailingWork(now: () => number = () => performance.now()) {
  const failures = new Map<string, { readonly begunAt: number; readonly lastAt: number }>();
  return {
    failed: (name: string): void => {
      const at = now();
      for (const [known, { lastAt }] of failures) if (at - lastAt > staleMs) failures.delete(known);
      failures.set(name, { begunAt: failures.get(name)?.begunAt ?? at, lastAt: at });
    },
    succeeded: (name: string): void => void failures.delete(name),
    /** Seconds since the first failure after the last success, by name. */
    seconds: (): ReadonlyMap<string, number> => {
      const at = now();
      const current = [...failures].filter(([, { lastAt }]) => at - lastAt <= staleMs);
      return new Map(current.map(([name, { begunAt }]) => [name, Math.floor((at - begunAt) / 1000)]));
    },
  };
}
