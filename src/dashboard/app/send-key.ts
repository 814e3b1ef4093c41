import { PayApiError } from '../../api/client.ts';
import { randomText } from '../../core/id.ts';

/**
 * The `Idempotency-Key` of a call that makes or moves something. A call without a final answer keeps its key, so that a
 * repeated press has no second effect.
 */
export class SendKey {
  /** The keys of calls without a final answer, by body. */
  readonly #open = new Map<string, string>();

  /** Whether an earlier call with another body may still take effect. */
  isDoubtful(body: object): boolean {
    return [...this.#open.keys()].some(text => text !== JSON.stringify(body));
  }

  /** Makes the call. A repeated call with the same body has the same key until the service has a final answer. */
  async run<T>(body: object, call: (idempotencyKey: string) => Promise<T>): Promise<T> {
    const text = JSON.stringify(body);
    const key = this.#open.get(text) ?? randomText(32);
    this.#open.set(text, key);
    try {
      const answer = await call(key);
      this.#open.delete(text);
      return answer;
    } catch (error) {
      if (isFinal(error)) this.#open.delete(text);
      throw error;
    }
  }
}

/** Whether the service refused the call. A refused call has no effect. */
const isFinal = (error: unknown): boolean =>
  error instanceof PayApiError && error.status >= 400 && error.status < 500 && error.code !== 'idempotency_in_progress';
