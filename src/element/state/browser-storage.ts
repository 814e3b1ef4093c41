import { newKey, type PaymentHandle } from './checkout-api.ts';

/** The two storages of a browser: per site, and per tab. */
export type StorageName = 'localStorage' | 'sessionStorage';

const prefix = 'pay-checkout:';

/** The texts of this page, for a browser whose storage is disabled or forbidden. */
const ofPage = new Map<string, string | null>();

/** Reads a stored text. Null if there is none. Never throws, although storage may be disabled or forbidden. */
export function recall(storage: StorageName, key: string): string | null {
  try {
    return globalThis[storage].getItem(prefix + key);
  } catch {
    return ofPage.get(key) ?? null;
  }
}

/** Stores a text; null removes it. Without storage, the text is kept until the payer leaves the page. */
export function remember(storage: StorageName, key: string, text: string | null): void {
  try {
    if (text === null) globalThis[storage].removeItem(prefix + key);
    else globalThis[storage].setItem(prefix + key, text);
  } catch {
    ofPage.set(key, text);
  }
}

/**
 * Data that this tab stores about a payment created by the element. After a reload, or when the page draws the element
 * again, it continues with this payment instead of creating a second payment.
 */
export interface OrderMemory {
  /** The payment that this tab created, or null. */
  payment(): PaymentHandle | null;
  /** The idempotency key for creating a payment from this body. It stays the same after a reload during the call. */
  keyFor(body: string): string;
  keep(handle: PaymentHandle): void;
  forget(): void;
}

interface Entry {
  readonly key: string;
  readonly body: string;
  readonly payment?: PaymentHandle;
}

/** Creates the memory for an order. `order`: the settings as one text (`configText`). `place`: see `OrderPlace.index`. */
export function createOrderMemory(order: string, place: number): OrderMemory {
  const name = `order:${place || ''}${order}`;
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
