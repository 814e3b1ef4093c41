import type { ConfirmPayment, Payment } from '../../api/payment.ts';
import { ApiProblem, type CheckoutApi, type PaymentHandle, type Seen } from './checkout-api.ts';
import { type CheckoutMethod, type CheckoutState, initialState, type Task } from './checkout-state.ts';
import type { ServerClock } from './server-clock.ts';

/** A request by the payer, or by the element on the payer's behalf. */
export type Intent =
  /** `seen`: the payment, if it has already been read. */
  | { readonly type: 'open'; readonly handle: PaymentHandle; readonly seen?: Seen<Payment> }
  | { readonly type: 'create'; readonly body: object; readonly key: string }
  | { readonly type: 'choose'; readonly method: CheckoutMethod }
  | { readonly type: 'confirm'; readonly body: ConfirmPayment }
  | { readonly type: 'refresh-quote' }
  /** A call that only one method makes. If it returns a payment, the store takes it as the newest one. */
  | { readonly type: 'ask'; readonly ask: Ask }
  /** Reads the payment again. */
  | { readonly type: 'check' };

/** Makes a call about the open payment. */
export type Ask = (api: CheckoutApi, payment: PaymentHandle) => Promise<Seen<Payment> | undefined>;

/** Called with the new and the former state after each change. */
export type StoreListener = (state: CheckoutState, before: CheckoutState) => void;

/** The store of one checkout. */
export interface CheckoutStore {
  getState(): CheckoutState;
  /** Id and secret of the open payment. The secret is not part of the state, so no event can carry it. */
  handle(): PaymentHandle | undefined;
  subscribe(listener: StoreListener): void;
  /** Resolves when the intent is done or has become a `problem`; never rejects. */
  dispatch(intent: Intent): Promise<void>;
  /** Ends live updates and removes all listeners. */
  stop(): void;
}

/** What live updates report to the store and read from it; see `live-updates.ts`. */
export interface LiveListener {
  /** Reads the payment. Never rejects. */
  readonly readPayment: () => Promise<void>;
  readonly onPayment: (payment: Payment) => void;
  readonly onReachable: (up: boolean) => void;
  /** Reads the payment options. */
  readonly readOptions: () => Promise<void>;
  readonly state: () => CheckoutState;
}

/** What the store needs from outside. */
export interface StoreDeps {
  readonly api: CheckoutApi;
  readonly clock: ServerClock;
  /** Follows the payment until the returned function is called. */
  readonly follow: (handle: PaymentHandle, listener: LiveListener) => () => void;
}

/**
 * Creates the store. The state changes only when the service has answered. One task runs at a time, so a double press
 * counts once.
 */
export function createCheckoutStore(deps: StoreDeps): CheckoutStore {
  const cell = createCell();
  const feed = createFeed(deps, cell);
  const tasks = createTasks(deps, cell, feed);
  return {
    getState: cell.get,
    handle: feed.handle,
    subscribe: listener => void cell.listeners.add(listener),
    dispatch: intent => (tasks[intent.type] as (intent: Intent) => Promise<void>)(intent),
    stop() {
      feed.end();
      cell.listeners.clear();
    },
  };
}

type Cell = ReturnType<typeof createCell>;

function createCell() {
  const listeners = new Set<StoreListener>();
  let state = initialState;
  return {
    listeners,
    get: () => state,
    set(change: Partial<CheckoutState>): void {
      const before = state;
      state = { ...state, ...change };
      for (const listener of listeners) listener(state, before);
    },
  };
}

/** Tracks whether the service can be reached. */
function createReachability(cell: Cell) {
  let calls = 0;
  let newest = 0;
  /** Numbers a call when it is made. */
  const number = () => ++calls;
  /** Takes the result of a numbered call, unless a later call has already reported. */
  function report(up: boolean, call: number): void {
    if (call < newest) return;
    newest = call;
    if (up !== cell.get().up) cell.set({ up });
  }
  return { number, report, set: (up: boolean) => report(up, number()) };
}

type Feed = ReturnType<typeof createFeed>;

/** Receives payments from answers, from the stream and from polling. */
function createFeed({ api, clock, follow }: StoreDeps, cell: Cell) {
  let handle: PaymentHandle | undefined;
  const reachability = createReachability(cell);
  let newest = 0;
  let stop = () => {};
  /** The element was removed, perhaps while a call was pending. */
  let isOver = false;

  /** Takes a payment unless a newer one is known. The answer to our own call replaces any pending state. */
  function take({ value, askedAt }: Seen<Payment>, ours = false): void {
    const { payment, problem } = cell.get();
    if (askedAt < newest && !(ours && payment?.status === 'pending')) return;
    newest = Math.max(newest, askedAt);
    if (JSON.stringify(value) === JSON.stringify(payment)) return;
    // A changed payment shows the result of a call that got no answer. An unchanged one means the call had no effect.
    cell.set({ payment: value, problem: problem?.status ? problem : null });
    if (
      value.status === 'pending' &&
      payment &&
      (payment.quote.id !== value.quote.id || payment.amount_received !== value.amount_received)
    ) {
      void readOptions();
    }
  }

  const withHandle = async (work: (known: PaymentHandle) => Promise<void>) => handle && work(handle);
  const check = async () => withHandle(async known => take(await api.read(known)));
  const readOptions = async () =>
    withHandle(async known => cell.set({ options: (await api.options(known)).value })).catch(() => {});
  /** Reads the payment and notes whether the service answered. */
  function readPayment(): Promise<void> {
    const call = reachability.number();
    return check().then(
      () => reachability.report(true, call),
      ({ status }: ApiProblem) => reachability.report(status > 0 && status < 500, call),
    );
  }

  async function open(known: PaymentHandle, ready?: Seen<Payment>): Promise<void> {
    handle = known;
    if (ready) take(ready);
    const [seen, options] = await Promise.all([ready ?? api.read(known), api.options(known)]);
    cell.set({ options: options.value });
    take(seen);
    if (isOver) return;
    const onPayment = (value: Payment) => take({ value, askedAt: clock.deviceNow() });
    stop = follow(known, { readPayment, readOptions, onPayment, onReachable: reachability.set, state: cell.get });
  }

  function end(): void {
    isOver = true;
    stop();
  }

  return { take, check, readPayment, open, withHandle, handle: () => handle, end };
}

function createTasks({ api }: StoreDeps, cell: Cell, { take, check, readPayment, open, withHandle }: Feed) {
  /** The last confirm got no answer, so it is unknown whether it reached the service. */
  let isUnsure = false;

  /** Runs one task. A failure becomes the problem; after a refusal the payment may have changed, so it is read again. */
  async function run(task: Task, work: () => Promise<void>): Promise<void> {
    if (cell.get().busy) return;
    cell.set({ busy: task, problem: null });
    try {
      await work();
      cell.set({ up: true });
    } catch (error) {
      const { code, message, status } = error instanceof ApiProblem ? error : new ApiProblem('unexpected', '', 0);
      if (status > 0 && status < 500) isUnsure = false;
      cell.set({ problem: { code, message, status, task }, up: status > 0 });
      if (status > 0) await check().catch(() => {});
    } finally {
      cell.set({ busy: null });
    }
  }

  const handled = (task: Task, work: (known: PaymentHandle) => Promise<void>) => run(task, () => withHandle(work));

  return {
    check: readPayment,
    open: ({ handle, seen }: Intent & { type: 'open' }) => run('load', () => open(handle, seen)),
    create: ({ body, key }: Intent & { type: 'create' }) =>
      run('create', async () => {
        const { value, askedAt } = await api.create(body, key);
        const { client_secret: secret = '', ...payment } = value;
        await open({ id: payment.id, secret }, { value: payment, askedAt });
      }),
    choose: async ({ method }: Intent & { type: 'choose' }) => cell.set({ method, problem: null }),
    confirm: ({ body }: Intent & { type: 'confirm' }) =>
      handled('confirm', async known => {
        if (isUnsure) await check();
        if (cell.get().payment?.status !== 'pending') return;
        isUnsure = true;
        take(await api.confirm(known, body), true);
        isUnsure = false;
      }),
    'refresh-quote': () =>
      handled('quote', async known => {
        const { value, askedAt } = await api.quote(known);
        const { previous_quote: quoteBefore, ...payment } = value;
        take({ value: payment, askedAt }, true);
        cell.set({ quoteBefore });
      }),
    ask: ({ ask }: Intent & { type: 'ask' }) =>
      handled('ask', async known => {
        const news = await ask(api, known);
        if (news) take(news, true);
      }),
  };
}
