import type { Payment } from '../api/payment.ts';
import type { ApiProblem, CheckoutApi } from './checkout-api.ts';
import type { CheckoutStore } from './checkout-store.ts';
import type { OrderMemory } from './order-memory.ts';

/** Takes up the payment of this tab; false when there is none worth it. */
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
      await store.dispatch({ type: 'open', handle, seen });
      return true;
    }
  } catch (error) {
    const { status } = error as ApiProblem;
    if (!status || status >= 500) {
      await store.dispatch({ type: 'open', handle });
      return true;
    }
  }
  memory.forget();
  return false;
}

/**
 * Whether an order found in memory is shown again. An open one is. A paid one is when the page was reloaded or gone
 * back to, or when nobody has been told of it yet (the payer comes back from elsewhere); otherwise the visitor is
 * buying the same thing again. A failed one makes room for a new try.
 */
function isWorthResuming(payment: Payment, isTold: boolean): boolean {
  if (payment.status === 'pending') return true;
  if (payment.status === 'failed') return false;
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return !isTold || visit?.type === 'reload' || visit?.type === 'back_forward';
}
