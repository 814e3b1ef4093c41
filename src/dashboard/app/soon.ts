import type { ReactiveController, ReactiveControllerHost } from 'lit';

/**
 * Runs a task after `ask` and a pause. Calls of `ask` during the pause share one run. Runs never overlap. Pages use it
 * to read data again while many events arrive.
 */
export class Soon implements ReactiveController {
  readonly #task: () => Promise<unknown>;
  readonly #pauseMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRunning = false;
  #isAsked = false;

  constructor(host: ReactiveControllerHost, task: () => Promise<unknown>, pauseMs: number) {
    this.#task = task;
    this.#pauseMs = pauseMs;
    host.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isAsked = false;
  }

  ask(): void {
    this.#isAsked = true;
    if (!this.#isRunning) this.#timer ??= setTimeout(() => void this.#run(), this.#pauseMs);
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#isAsked = false;
    this.#isRunning = true;
    await this.#task();
    this.#isRunning = false;
    if (this.#isAsked) this.ask();
  }
}

/** The call that `AfterTyping` makes, and the functions that get its answer or its error. */
interface Asking<Q, T> {
  readonly load: (question: Q, signal: AbortSignal) => Promise<T>;
  readonly show: (answer: T) => void;
  readonly fail: (error: unknown) => void;
}

/** Milliseconds after the last key before the service is asked. */
const typingPause = 350;

/** Asks the service after the person has stopped typing. Uses only the answer to the last question. */
export class AfterTyping<Q, T> implements ReactiveController {
  readonly #asking: Asking<Q, T>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = new AbortController();

  constructor(host: ReactiveControllerHost, asking: Asking<Q, T>) {
    this.#asking = asking;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.stop();
  }

  /** Cancels the question, even while the service is answering it. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#running.abort();
  }

  ask(question: Q, pauseMs = typingPause): void {
    this.stop();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#timer = setTimeout(() => void this.#run(question, signal), pauseMs);
  }

  async #run(question: Q, signal: AbortSignal): Promise<void> {
    const { load, show, fail } = this.#asking;
    try {
      const answer = await load(question, signal);
      if (!signal.aborted) show(answer);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }
}
