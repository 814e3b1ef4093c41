import type { ReactiveController, ReactiveControllerHost } from 'lit';

/**
 * Runs a task soon after `ask`, never twice at a time and with a pause between two runs, however often it is asked. For
 * what is read again while many events come in.
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
