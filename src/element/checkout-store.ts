import type { ConfirmPayment, Payment, PaymentOptions, PaymentQuote } from '../api/payment.ts';
import { ApiProblem, type CheckoutApi, type PaymentHandle, type Seen } from './checkout-api.ts';
import type { CheckoutMethod } from './checkout-selectors.ts';
import type { ServerClock } from './server-clock.ts';

/** What the element is waiting for. */
export type Errand = 'load' | 'create' | 'confirm' | 'quote' | 'ask';

/** What went wrong. `message` is the service's; empty when there was no answer. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** Of HTTP; 0 without an answer. */
  readonly status: number;
  /** What failed. */
  readonly errand?: Errand;
}

/** All that is shown. Money and statuses are the service's last word; nothing is reckoned ahead of it. */
export interface CheckoutState {
  readonly payment: Payment | null;
  readonly options: PaymentOptions | null;
  readonly method: CheckoutMethod | null;
  readonly busy: Errand | null;
  readonly problem: Problem | null;
  /** Whether the service can be reached. */
  readonly up: boolean;
  /** The quote before the one that the payer has just asked for. */
  readonly quoteBefore: PaymentQuote | null;
}

/** What the payer, or the element on the payer's behalf, wants. */
export type Intent =
  /** `seen`: the payment, where it has been read already. */
  | { readonly type: 'open'; readonly handle: PaymentHandle; readonly seen?: Seen<Payment> }
  | { readonly type: 'create'; readonly body: object; readonly key: string }
  | { readonly type: 'choose'; readonly method: CheckoutMethod }
  | { readonly type: 'confirm'; readonly body: ConfirmPayment }
  | { readonly type: 'refresh-quote' }
  /** What only one method asks for. A payment that comes back is the service's news. */
  | { readonly type: 'ask'; readonly ask: Ask }
  /** Ask the service how things stand. */
  | { readonly type: 'check' };

/** Asks the service something about the open payment. */
export type Ask = (api: CheckoutApi, payment: PaymentHandle) => Promise<Seen<Payment> | undefined>;

/** Hears of each change. */
export type StoreListener = (state: CheckoutState, before: CheckoutState) => void;

/** The store of one checkout. */
export interface CheckoutStore {
  getState(): CheckoutState;
  /** The payment and its secret, once there is one. The secret is in no state, and so in no event. */
  handle(): PaymentHandle | undefined;
  subscribe(listener: StoreListener): void;
  /** Resolves when the intent is served or has become a `problem`; it never rejects. */
  dispatch(intent: Intent): Promise<void>;
  /** Ends live updates and tells nobody any more. */
  stop(): void;
}

/** What the store hears from live updates, and how it asks; see `live-updates.ts`. */
export interface LiveEars {
  /** Asks how things stand. Never rejects. */
  readonly look: () => Promise<void>;
  readonly onPayment: (payment: Payment) => void;
  readonly onLine: (up: boolean) => void;
  /** Asks again what the payer can choose. */
  readonly lookAround: () => Promise<void>;
  readonly state: () => CheckoutState;
}

/** What the store needs of the outside. */
export interface StoreDeps {
  readonly api: CheckoutApi;
  readonly clock: ServerClock;
  /** Follows the payment until the returned function is called. */
  readonly follow: (handle: PaymentHandle, ears: LiveEars) => () => void;
}

/** The state before anything is asked. */
export const nothingYet: CheckoutState = {
  payment: null,
  options: null,
  method: null,
  busy: null,
  problem: null,
  up: true,
  quoteBefore: null,
};

/** A store without a view: state changes only when the service has spoken. One errand at a time, so a double press is one. */
export function createCheckoutStore(deps: StoreDeps): CheckoutStore {
  const cell = createCell();
  const feed = createFeed(deps, cell);
  const errands = createErrands(deps, cell, feed);
  return {
    getState: cell.get,
    handle: feed.handle,
    subscribe: listener => void cell.listeners.add(listener),
    dispatch: intent => (errands[intent.type] as (intent: Intent) => Promise<void>)(intent),
    stop() {
      feed.end();
      cell.listeners.clear();
    },
  };
}

type Cell = ReturnType<typeof createCell>;

function createCell() {
  const listeners = new Set<StoreListener>();
  let state = nothingYet;
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

/** Whether the service can be reached, as far as anybody has heard. */
function createLine(cell: Cell) {
  let asked = 0;
  let newest = 0;
  return {
    /** The number of a question that is asked now. */
    ask: () => ++asked,
    /** What the question of that number says; an older one knows no better. */
    hear(up: boolean, question: number): void {
      if (question < newest) return;
      newest = question;
      if (up !== cell.get().up) cell.set({ up });
    },
  };
}

type Feed = ReturnType<typeof createFeed>;

/** Where payments come in: answers, the stream, questions. */
function createFeed({ api, clock, follow }: StoreDeps, cell: Cell) {
  let handle: PaymentHandle | undefined;
  const line = createLine(cell);
  let newest = 0;
  let stop = () => {};
  /** The element has gone, perhaps while a question was under way. */
  let isOver = false;

  /** Takes a payment unless something newer is known. An answer to an errand of ours is newer than any open state. */
  function take({ value, askedAt }: Seen<Payment>, ours = false): void {
    const { payment, problem } = cell.get();
    if (askedAt < newest && !(ours && payment?.status === 'pending')) return;
    newest = Math.max(newest, askedAt);
    if (JSON.stringify(value) === JSON.stringify(payment)) return;
    // What became of a call without an answer is told by the news; where there is none, the call came to nothing.
    cell.set({ payment: value, problem: problem?.status ? problem : null });
    if (
      value.status === 'pending' &&
      payment &&
      (payment.quote.id !== value.quote.id || payment.amount_received !== value.amount_received)
    ) {
      void lookAround();
    }
  }

  const withHandle = async (work: (known: PaymentHandle) => Promise<void>) => handle && work(handle);
  const check = async () => withHandle(async known => take(await api.read(known)));
  const lookAround = async () =>
    withHandle(async known => cell.set({ options: (await api.options(known)).value })).catch(() => {});
  /** Asks how things stand, and takes what that says of the line. */
  function look(): Promise<void> {
    const question = line.ask();
    return check().then(
      () => line.hear(true, question),
      ({ status }: ApiProblem) => line.hear(status > 0 && status < 500, question),
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
    stop = follow(known, { look, lookAround, onPayment, onLine: up => line.hear(up, line.ask()), state: cell.get });
  }

  function end(): void {
    isOver = true;
    stop();
  }

  return { take, check, look, open, withHandle, handle: () => handle, end };
}

function createErrands({ api }: StoreDeps, cell: Cell, { take, check, look, open, withHandle }: Feed) {
  /** The last confirm got no answer: it may or may not have reached the service. */
  let isUnsure = false;

  /** Runs one errand. What fails becomes the problem; where the service refused, the payment may have changed: look. */
  async function run(errand: Errand, work: () => Promise<void>): Promise<void> {
    if (cell.get().busy) return;
    cell.set({ busy: errand, problem: null });
    try {
      await work();
      cell.set({ up: true });
    } catch (error) {
      const { code, message, status } = error instanceof ApiProblem ? error : new ApiProblem('unexpected', '', 0);
      if (status > 0 && status < 500) isUnsure = false;
      cell.set({ problem: { code, message, status, errand }, up: status > 0 });
      if (status > 0) await check().catch(() => {});
    } finally {
      cell.set({ busy: null });
    }
  }

  const handled = (errand: Errand, work: (known: PaymentHandle) => Promise<void>) =>
    run(errand, () => withHandle(work));

  return {
    check: look,
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
