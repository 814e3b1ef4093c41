/** Runs work one after the other, in the order it came. */
export interface Turns {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all that was asked for so far is done. */
  settled(): Promise<void>;
}

/** Makes turns that nobody has taken yet. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: work => {
      const mine = last.then(work);
      last = mine.catch(() => undefined);
      return mine;
    },
    settled: async () => {
      await last;
    },
  };
}
