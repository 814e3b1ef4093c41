/**
 * Remembers what a question was answered for a while, by its key, so that many who ask at once cost one call. A failure
 * is not remembered.
 */
export function remembered<Answer>(
  holdMs: number,
  ask: (key: string) => Promise<Answer>,
): (key: string) => Promise<Answer> {
  const held = new Map<string, { readonly answer: Promise<Answer>; readonly askedAt: number }>();
  return key => {
    const known = held.get(key);
    const now = performance.now();
    if (known !== undefined && now - known.askedAt < holdMs) return known.answer;
    const answer = ask(key);
    held.delete(key);
    held.set(key, { answer, askedAt: now });
    answer.catch(() => {
      if (held.get(key)?.answer === answer) held.delete(key);
    });
    const [oldest] = held.keys();
    if (held.size > mostHeld && oldest !== undefined) held.delete(oldest);
    return answer;
  };
}

const mostHeld = 1_000;
