import { createOrderMemory, type OrderMemory } from './browser-storage.ts';
import type { CheckoutApi } from './checkout-api.ts';
import {
  type CheckoutConfig,
  type CheckoutCustomer,
  configText,
  customerOf,
  handleOf,
  orderOf,
} from './checkout-config.ts';
import { CheckoutStore, type StoreDeps } from './checkout-store.ts';
import { apiOf } from './early-call.ts';
import type { OpenStream } from './live-updates.ts';
import { type OrderPlace, takePlace } from './order-place.ts';

/** The session of one payment. It begins with the page's configuration. */
export interface CheckoutSession {
  readonly store: CheckoutStore;
  readonly api: CheckoutApi;
  readonly memory: OrderMemory;
  readonly place: OrderPlace;
  /** Opens the given payment, resumes this tab's payment, or creates a payment. Also retries after a failure. */
  begin(): Promise<void>;
  /** Whether the payer must be asked for name and e-mail before a payment can be created. */
  needsCustomer(): boolean;
  /** Stores the payer's name and e-mail address, and creates the payment. */
  identify(customer: CheckoutCustomer): Promise<void>;
}

/** Loaders of the code that a session needs later. */
export interface SessionChunks {
  /** Loaded after a payment is on the screen. */
  readonly liveUpdates: () => Promise<typeof import('./live-updates.ts')>;
  /** Loaded if this tab has stored a payment. */
  readonly resumption: () => Promise<typeof import('./resume.ts')>;
}

export interface SessionDeps {
  readonly chunks: SessionChunks;
  /** See `Notifier.toldAt`. */
  readonly toldAt: (paymentId: string) => string | null;
  /** Called with the new and the previous state after each change. */
  readonly onChange: StoreDeps['onChange'];
  /** Called when the result of `needsCustomer` may have changed. */
  readonly update: () => void;
}

/**
 * Milliseconds from the open payment to the loading of live updates, so that they do not delay the code of a method.
 * The stream begins with the current payment, so no change is missed.
 */
const startMs = 1500;
/** Milliseconds before live updates are loaded again. */
const retryMs = 3000;

/** Creates a session. The configuration must be usable. */
export function createSession(config: CheckoutConfig, deps: SessionDeps): CheckoutSession {
  const { chunks, toldAt, onChange, update } = deps;
  const api = apiOf(config);
  const store = new CheckoutStore({
    api,
    onChange,
    follow: (followed, handle) =>
      follow(chunks, followed, (lastEventId, signal) => api.stream(handle, lastEventId, signal)),
  });
  const order = configText(config);
  const place = takePlace(config.paymentId ?? order);
  const memory = createOrderMemory(order, place.index);
  let customer = customerOf(config);
  let isAsking = false;

  async function create(): Promise<void> {
    const body = { ...orderOf(config), customer };
    await store.create(body, memory.keyFor(JSON.stringify(body)));
    const { handle, state } = store;
    const { problem } = state;
    if (handle) memory.keep(handle);
    // The service refused the payment, so the next attempt needs a new idempotency key.
    else if (problem?.status && problem.status < 500) memory.forget();
    update();
  }

  async function begin(): Promise<void> {
    const given = handleOf(config);
    const known = given ?? memory.payment();
    const chunk = given || !known ? null : await chunks.resumption().catch(() => null);
    if (known && !chunk) return await store.open(known);
    if (await chunk?.resume(api, store, memory, toldAt)) return;
    if (customer && !config.link) return await create();
    isAsking = true;
    update();
  }

  const identify = (payer: CheckoutCustomer) => {
    customer = payer;
    return create();
  };

  return { store, api, memory, place, begin, identify, needsCustomer: () => isAsking && !store.handle };
}

/** Starts live updates after their chunk is loaded. Repeats the loading until it succeeds. */
function follow({ liveUpdates }: SessionChunks, store: CheckoutStore, open: OpenStream): () => void {
  let end: (() => void) | undefined;
  let hasEnded = false;
  async function load(): Promise<void> {
    if (hasEnded) return;
    try {
      const { followPayment } = await liveUpdates();
      if (!hasEnded) end = followPayment(store, open);
    } catch {
      setTimeout(load, retryMs);
    }
  }
  setTimeout(load, startMs);
  return () => {
    hasEnded = true;
    end?.();
  };
}
