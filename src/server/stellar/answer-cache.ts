/** Answers of the network by key, kept for a while. Callers at the same moment share one request; errors are not kept. */
export interface AnswerCache<Answer> {
  /** An answer that is at most as old as the cache allows. */
  read(key: string): Promise<Answer>;
  /** An answer that was asked for at `since` (`performance.now()`) or later. */
  readSince(key: string, since: number): Promise<Answer>;
  clear(): void;
}

const defaultMost = 1_000;

/** Makes a cache that keeps answers for `holdMs`, and the newest `most` of them. */
export function createAnswerCache<Answer>(
  { holdMs, most = defaultMost }: { readonly holdMs: number; readonly most?: number },
  ask: (key: string) => Promise<Answer>,
): AnswerCache<Answer> {
  const held = new Map<string, { readonly answer: Promise<Answer>; readonly askedAt: number }>();

  function askAnew(key: string): Promise<Answer> {
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
    return known !== undefined && known.askedAt >= since ? known.answer : askAnew(key);
  }

  return {
    readSince,
    read: key => readSince(key, performance.now() - holdMs),
    clear: () => held.clear(),
  };
}
