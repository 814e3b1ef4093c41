/** Answers of the network by key. Concurrent callers share one request. Errors are not kept. */
export interface AnswerCache<Answer> {
  /** An answer that is at most as old as the cache allows. */
  read(key: string): Promise<Answer>;
  /** An answer that was requested at `since` (`performance.now()`) or later. */
  readSince(key: string, since: number): Promise<Answer>;
  clear(): void;
}

/** Makes a cache that keeps the newest `most` answers, each for `holdMs` milliseconds. */
export function createAnswerCache<Answer>(
  { holdMs, most = 1_000 }: { readonly holdMs: number; readonly most?: number },
  ask: (key: string) => Promise<Answer>,
): AnswerCache<Answer> {
  const held = new Map<string, { readonly answer: Promise<Answer>; readonly askedAt: number }>();

  function askAgain(key: string): Promise<Answer> {
    const answer = ask(key);
    held.delete(key);
    held.set(key, { answer, askedAt: performance.now() });
    answer.catch(() => {
      if (held.get(key)?.answer === answer) held.delete(key);
    });
    const [oldest] = held.keys();
    if (held.size > most && oldest !== undefined) held.delete(oldest);
    return answer;
  }

  function readSince(key: string, since: number): Promise<Answer> {
    const known = held.get(key);
    return known !== undefined && known.askedAt >= since ? known.answer : askAgain(key);
  }

  return {
    readSince,
    read: key => readSince(key, performance.now() - holdMs),
    clear: () => held.clear(),
  };
}
