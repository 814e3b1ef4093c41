import { type CheckoutApi, createCheckoutApi, type PaymentHandle } from './checkout-api.ts';
import {
  accessOf,
  type CheckoutConfig,
  type CheckoutCustomer,
  configText,
  customerOf,
  handleOf,
  orderOf,
} from './checkout-config.ts';
import { type CheckoutStore, createCheckoutStore, type LiveEars } from './checkout-store.ts';
import { liveUpdates, resumption } from './chunks.ts';
import { createOrderMemory, type OrderMemory } from './order-memory.ts';
import { createServerClock, type ServerClock } from './server-clock.ts';

/** One payment's way through the element, from the page's configuration on. */
export interface CheckoutSession {
  readonly store: CheckoutStore;
  readonly clock: ServerClock;
  readonly memory: OrderMemory;
  /** Opens the given payment, takes up the one of this tab, or creates one; also tries that again. */
  begin(): Promise<void>;
  /** Whether a payment can only be created once the payer has said who they are. */
  needsCustomer(): boolean;
  /** The payer said so. */
  identify(customer: CheckoutCustomer): Promise<void>;
}

const chunkPauseMs = 3000;

/**
 * A session for a configuration that is usable. `isTold`: whether the page knows of a
 * payment's success; `update`: the answer of `needsCustomer` has changed.
 */
export function createSession(
  config: CheckoutConfig,
  isTold: (paymentId: string) => boolean,
  update: () => void,
): CheckoutSession {
  const clock = createServerClock();
  const api = createCheckoutApi(accessOf(config), clock);
  const store = createCheckoutStore({ api, clock, follow: (handle, ears) => follow(api, handle, ears) });
  const memory = createOrderMemory(configText(config));
  let customer = customerOf(config);
  let isAsking = false;

  async function create(): Promise<void> {
    const body = { ...orderOf(config), customer };
    await store.dispatch({ type: 'create', body, key: memory.keyFor(JSON.stringify(body)) });
    const { problem } = store.getState();
    const handle = store.handle();
    if (handle) memory.keep(handle);
    // The service answered, and not with a payment: the next try is another one.
    else if (problem?.status && problem.status < 500) memory.forget();
    update();
  }

  async function begin(): Promise<void> {
    const given = handleOf(config);
    const known = given ?? memory.payment();
    const chunk = given || !known ? null : await resumption().catch(() => null);
    if (known && !chunk) return await store.dispatch({ type: 'open', handle: known });
    if (await chunk?.resume(api, store, memory, isTold)) return;
    if (customer && !config.link) return await create();
    isAsking = true;
    update();
  }

  const identify = (who: CheckoutCustomer) => {
    customer = who;
    return create();
  };

  return { store, clock, memory, begin, identify, needsCustomer: () => isAsking && !store.handle() };
}

/** Live updates from the chunk that brings them; until it is there, tried again and again. */
function follow(api: CheckoutApi, handle: PaymentHandle, ears: LiveEars): () => void {
  let end: (() => void) | undefined;
  let hasEnded = false;
  async function load(): Promise<void> {
    try {
      const { followPayment } = await liveUpdates();
      const open = (lastEventId: string, signal: AbortSignal) => api.stream(handle, lastEventId, signal);
      if (!hasEnded) end = followPayment({ ...ears, open });
    } catch {
      if (!hasEnded) setTimeout(load, chunkPauseMs);
    }
  }
  void load();
  return () => {
    hasEnded = true;
    end?.();
  };
}
