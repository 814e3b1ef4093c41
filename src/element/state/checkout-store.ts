import type { Payment } from '../../api/payment.ts';
import type { ConfirmPayment } from '../../api/payments/attempt.ts';
import { ApiProblem, type CheckoutApi, deviceNow, type PaymentHandle, type Seen } from './checkout-api.ts';
import { type CheckoutMethod, type CheckoutState, initialState, type Task } from './checkout-state.ts';

export interface StoreDeps {
  readonly api: CheckoutApi;
  /** Starts live updates of the store. Returns a function that ends them. */
  readonly follow: (store: CheckoutStore, handle: PaymentHandle) => () => void;
  /** Called with the new and the previous state after each change. */
  readonly onChange: (state: CheckoutState, before: CheckoutState) => void;
}

/**
 * The store of one checkout. Payment and options change only when the service has answered. Methods never reject: the
 * failure of a task becomes the state's `problem`. Only one task runs at a time, so a double press counts once.
 */
export class CheckoutStore {
  readonly #deps: StoreDeps;
  #state = initialState;
  #handle: PaymentHandle | undefined;
  /** Device time in milliseconds when the newest known payment was requested. */
  #newest = 0;
  #calls = 0;
  #newestCall = 0;
  #unfollow = () => {};
  /** Whether the session has ended, perhaps during a call: the element was removed or shows another payment. */
  #isOver = false;
  /** Whether the last confirm got no answer. The service may have received it. */
  #isUnsure = false;

  constructor(deps: StoreDeps) {
    this.#deps = deps;
  }

  get state(): CheckoutState {
    return this.#state;
  }

  /** Id and secret of the open payment. The secret is not in the state, so no event can contain it. */
  get handle(): PaymentHandle | undefined {
    return this.#handle;
  }

  /** Ends live updates and the reporting of changes. */
  stop(): void {
    this.#isOver = true;
    this.#unfollow();
  }

  /** Opens a payment. `seen`: the payment, if it has already been read. */
  open(handle: PaymentHandle, seen?: Seen<Payment>): Promise<void> {
    return this.#run('load', () => this.#open(handle, seen));
  }

  /** Creates a payment under the idempotency key and opens it. */
  create(body: object, key: string): Promise<void> {
    return this.#run('create', async () => {
      const { value, askedAt } = await this.#deps.api.create(body, key);
      const { client_secret: secret = '', ...payment } = value;
      await this.#open({ id: payment.id, secret }, { value: payment, askedAt });
    });
  }

  choose(method: CheckoutMethod): void {
    this.#set({ method, problem: null });
  }

  confirm(body: ConfirmPayment): Promise<void> {
    return this.#run('confirm', async (api, handle) => {
      if (this.#isUnsure) await this.#check();
      if (this.#state.payment?.status !== 'pending') return;
      this.#isUnsure = true;
      this.#take(await api.ask<Payment>(handle, '/confirm', body), true);
      this.#isUnsure = false;
    });
  }

  renewQuote(): Promise<void> {
    return this.#run('quote', async (api, handle) => {
      const { value, askedAt } = await api.ask<Payment & { previous_quote: CheckoutState['quoteBefore'] }>(
        handle,
        '/quotes',
        {},
      );
      const { previous_quote: quoteBefore, ...payment } = value;
      this.#take({ value: payment, askedAt }, true);
      this.#set({ quoteBefore });
    });
  }

  /** Makes a call that only one method needs. If the call returns a payment, the store stores it as the newest. */
  ask(call: (api: CheckoutApi, handle: PaymentHandle) => Promise<Seen<Payment> | undefined>): Promise<void> {
    return this.#run('ask', async (api, handle) => {
      const news = await call(api, handle);
      if (news) this.#take(news, true);
    });
  }

  /** Reads the payment and records whether the service answered. */
  readPayment(): Promise<void> {
    const call = ++this.#calls;
    return this.#check().then(
      () => this.report(true, call),
      ({ status }: ApiProblem) => this.report(status > 0 && status < 500, call),
    );
  }

  /** Reads the methods and assets that the payer can choose. */
  async readOptions(): Promise<void> {
    if (!this.#handle) return;
    const opened = await this.#deps.api.open(this.#handle).catch(() => null);
    if (opened) this.#set({ options: opened.value.options });
  }

  /** Handles a payment that the service has just sent. */
  receive(payment: Payment): void {
    this.#take({ value: payment, askedAt: deviceNow() });
  }

  /** Records whether the service answered a numbered call. Does nothing if a later call has already reported. */
  report(up: boolean, call = ++this.#calls): void {
    if (call < this.#newestCall) return;
    this.#newestCall = call;
    if (up !== this.#state.up) this.#set({ up });
  }

  #set(change: Partial<CheckoutState>): void {
    const before = this.#state;
    this.#state = { ...before, ...change };
    if (!this.#isOver) this.#deps.onChange(this.#state, before);
  }

  /**
   * Runs one task, unless another task is running. A failure becomes the problem. After an error answer, reads the
   * payment again, because it may have changed. After a 403 the page may not read it either.
   */
  async #run(task: Task, work: (api: CheckoutApi, handle: PaymentHandle) => Promise<void>): Promise<void> {
    if (this.#state.busy) return;
    this.#set({ busy: task, problem: null });
    try {
      await work(this.#deps.api, this.#handle as PaymentHandle);
      this.#set({ up: true });
    } catch (error) {
      const { code, message, status, param } =
        error instanceof ApiProblem ? error : new ApiProblem('unexpected', '', 0);
      if (status > 0 && status < 500) this.#isUnsure = false;
      this.#set({ problem: { code, message, status, param, task }, up: status > 0 });
      if (status > 0 && status !== 403) await this.#check().catch(() => {});
    } finally {
      this.#set({ busy: null });
    }
  }

  async #check(): Promise<void> {
    if (this.#handle) this.#take(await this.#deps.api.read(this.#handle));
  }

  async #open(handle: PaymentHandle, ready?: Seen<Payment>): Promise<void> {
    const { api, follow } = this.#deps;
    this.#handle = handle;
    if (ready) this.#take(ready);
    const { value, askedAt } = await api.open(handle);
    this.#set({ options: value.options });
    this.#take({ value: value.payment, askedAt });
    if (!this.#isOver) this.#unfollow = follow(this, handle);
  }

  /**
   * Stores a payment, unless a newer answer is known. The answer to our own call (`ours`) replaces any pending payment.
   */
  #take({ value, askedAt }: Seen<Payment>, ours = false): void {
    const { payment, problem } = this.#state;
    if (askedAt < this.#newest && !(ours && payment?.status === 'pending')) return;
    this.#newest = Math.max(this.#newest, askedAt);
    if (JSON.stringify(value) === JSON.stringify(payment)) return;
    // A changed payment shows the result of the unanswered call, so that call's problem is removed.
    this.#set({ payment: value, problem: problem?.status ? problem : null });
    const hasChanged = payment?.quote.id !== value.quote.id || payment.amount_received !== value.amount_received;
    if (value.status === 'pending' && payment && hasChanged) void this.readOptions();
  }
}
