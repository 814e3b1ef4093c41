import { newKey, type PaymentHandle } from './checkout-api.ts';
import { recall, remember } from './memory.ts';

/**
 * What this browser tab knows of an order that the element itself creates, so that a reload goes on with the same
 * payment instead of making a second one. `order` is the text of all that identifies it.
 */
export interface OrderMemory {
  /** The payment that was made for the order in this tab, or null. */
  payment(): PaymentHandle | null;
  /** The idempotency key for creating it from this body: the same one after a reload in mid-air. */
  keyFor(body: string): string;
  keep(handle: PaymentHandle): void;
  forget(): void;
}

interface Entry {
  readonly key: string;
  readonly body: string;
  readonly payment?: PaymentHandle;
}

/** The memory of one order. */
export function createOrderMemory(order: string): OrderMemory {
  const name = `order:${order}`;
  const read = (): Entry | null => JSON.parse(recall('sessionStorage', name) ?? 'null');
  const write = (entry: Entry) => remember('sessionStorage', name, JSON.stringify(entry));
  return {
    payment: () => read()?.payment ?? null,
    keyFor(body) {
      const known = read();
      if (known?.body === body) return known.key;
      const key = newKey();
      write({ key, body });
      return key;
    },
    keep: payment => write({ key: '', body: '', payment }),
    forget: () => remember('sessionStorage', name, null),
  };
}
