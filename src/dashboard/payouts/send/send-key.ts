import { PayApiError } from '../../../api/client.ts';
import { randomText } from '../../../core/id.ts';

/**
 * The `Idempotency-Key` of a call that moves money. A call without a final answer keeps its key, so that a repeated
 * press does not pay twice.
 */
export class SendKey {
  #open: { readonly body: string; readonly key: string } | null = null;

  /** Whether an earlier call with another body may still take effect. */
  isDoubtful(body: object): boolean {
    return this.#open !== null && this.#open.body !== JSON.stringify(body);
  }

  /** Makes the call. A repeated call with the same body has the same key until the service has a final answer. */
  async run<T>(body: object, call: (idempotencyKey: string) => Promise<T>): Promise<T> {
    const text = JSON.stringify(body);
    if (this.#open?.body !== text) this.#open = { body: text, key: randomText(32) };
    try {
      const answer = await call(this.#open.key);
      this.#open = null;
      return answer;
    } catch (error) {
      if (isFinal(error)) this.#open = null;
      throw error;
    }
  }
}

/** Whether the service refused the call. A refused call has no effect. */
const isFinal = (error: unknown): boolean =>
  error instanceof PayApiError && error.status >= 400 && error.status < 500 && error.code !== 'idempotency_in_progress';
