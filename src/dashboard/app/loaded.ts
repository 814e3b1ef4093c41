import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { PayApiError } from '../../api/client.ts';
import { errorNote, skeleton } from '../controls/states.ts';

/** Loads a value for a page. Renders the value, the skeleton while it loads, or the error with a button. */
export class Loaded<T> implements ReactiveController {
  value: T | null = null;
  error: unknown = null;
  readonly #host: ReactiveControllerHost;
  /** Null: there is nothing to load for this person. */
  readonly #load: (signal: AbortSignal) => Promise<T> | null;
  #running = new AbortController();

  constructor(host: ReactiveControllerHost, load: (signal: AbortSignal) => Promise<T> | null) {
    this.#host = host;
    this.#load = load;
    host.addController(this);
  }

  hostConnected(): void {
    void this.reload();
  }

  hostDisconnected(): void {
    this.#running.abort();
  }

  /** Loads the value again. The old value is shown until the new value arrives. */
  async reload(): Promise<void> {
    this.#running.abort();
    const running = new AbortController();
    this.#running = running;
    try {
      const value = await this.#load(running.signal);
      if (value !== null && !running.signal.aborted) this.set(value);
    } catch (error) {
      if (running.signal.aborted) return;
      this.error = error;
      this.#host.requestUpdate();
    }
  }

  /** Shows a value from the answer to another call. */
  set(value: T): void {
    this.value = value;
    this.error = null;
    this.#host.requestUpdate();
  }

  render(show: (value: T) => TemplateResult, whileLoading: TemplateResult = skeleton()): TemplateResult {
    const note = this.error === null ? nothing : errorNote(this.error, () => void this.reload());
    if (this.value === null) return html`${this.error === null ? whileLoading : note}`;
    return html`${note}${show(this.value)}`;
  }
}

/** The elements of a list. Empty if the role may not read the list. */
export async function allowed<T>(list: Promise<{ readonly data: readonly T[] }>): Promise<readonly T[]> {
  try {
    return (await list).data;
  } catch (error) {
    if (error instanceof PayApiError && error.status === 403) return [];
    throw error;
  }
}
