export type FailingWork = ReturnType<typeof createFailingWork>;

/** Watches work that fails on every attempt: a sweep, or an order that a rail never answers. Kept in memory. */
export function createFailingWork() {
  const since = new Map<string, number>();
  return {
    failed: (name: string): void => void since.set(name, since.get(name) ?? performance.now()),
    succeeded: (name: string): void => void since.delete(name),
    /** Seconds since the first failure after the last success, by name. */
    seconds: (): ReadonlyMap<string, number> =>
      new Map([...since].map(([name, begun]) => [name, Math.floor((performance.now() - begun) / 1000)])),
  };
}
