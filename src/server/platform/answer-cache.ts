/**
 * Makes a cache of network answers by key. An answer is valid for `holdMs` milliseconds after its request. The cache
 * keeps the newest `most` answers. Concurrent callers of a key share one request. Errors are not cached.
 */
export function createAnswerCache<Answer>(
  { holdMs, most = 1_000 }: { readonly holdMs: number; readonly most?: number },
  ask: (key: string) => Promise<Answer>,
) {
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

  /** Returns an answer that was requested at `since` (`performance.now()`) or later. */
  function readSince(key: string, since: number): Promise<Answer> {
    const known = held.get(key);
    return known !== undefined && known.askedAt >= since ? known.answer : askAgain(key);
  }

  return {
    readSince,
    read: (key: string) => readSince(key, performance.now() - holdMs),
    clear: () => held.clear(),
  };
}
