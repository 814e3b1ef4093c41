import type { Payment } from '../../api/payment.ts';
import type { OrderMemory } from './browser-storage.ts';
import type { ApiProblem, CheckoutApi } from './checkout-api.ts';
import type { CheckoutStore } from './checkout-store.ts';

/** Opens the payment that this tab remembers. Returns false, and forgets it, if it should not be shown again. */
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
 * Whether a remembered payment is shown again. A pending one always is. A completed one is shown after a reload or the
 * back button, or if the page does not know of the success yet. Otherwise the visitor is buying the same thing again.
 * After a failed one the visitor may try again.
 */
function isWorthResuming(payment: Payment, isTold: boolean): boolean {
  if (payment.status === 'pending') return true;
  if (payment.status === 'failed') return false;
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return !isTold || visit?.type === 'reload' || visit?.type === 'back_forward';
}
