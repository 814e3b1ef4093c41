import type { Payment } from '../../api/payment.ts';
import type { OrderMemory } from './browser-storage.ts';
import type { ApiProblem, CheckoutApi } from './checkout-api.ts';
import type { CheckoutStore } from './checkout-store.ts';

/** Opens the payment that this tab has stored. If it must not be shown again, removes it and returns false. */
export async function resume(
  api: CheckoutApi,
  store: CheckoutStore,
  memory: OrderMemory,
  isTold: (paymentId: string) => boolean,
): Promise<boolean> {
  const handle = memory.payment();
  if (!handle) return false;
  try {
    const seen = await api.read(handle);
    if (isWorthResuming(seen.value, isTold(handle.id))) {
      await store.open(handle, seen);
      return true;
    }
  } catch (error) {
    const { status } = error as ApiProblem;
    if (!status || status >= 500) {
      await store.open(handle);
      return true;
    }
  }
  memory.forget();
  return false;
}

/**
 * Whether to show a stored payment again. A pending payment: always. A failed payment: never, because the visitor may
 * try again. A completed or refunded payment: after a reload or the back button, or if the page was not yet told of the
 * success (`isTold`). In all other cases, the visitor wants to order again, which needs a new payment.
 */
function isWorthResuming(payment: Payment, isTold: boolean): boolean {
  if (payment.status === 'pending') return true;
  if (payment.status === 'failed') return false;
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return !isTold || visit?.type === 'reload' || visit?.type === 'back_forward';
}
