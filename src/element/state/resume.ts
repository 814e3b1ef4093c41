import type { Payment } from '../../api/payment.ts';
import type { OrderMemory } from './browser-storage.ts';
import type { ApiProblem, CheckoutApi } from './checkout-api.ts';
import type { CheckoutStore } from './checkout-store.ts';

/** Opens the payment that this tab has stored. If it must not be shown again, removes it and returns false. */
export async function resume(
  api: CheckoutApi,
  store: CheckoutStore,
  memory: OrderMemory,
  toldAt: (paymentId: string) => string | null,
): Promise<boolean> {
  const handle = memory.payment();
  if (!handle) return false;
  try {
    const seen = await api.read(handle);
    if (isWorthResuming(seen.value, toldAt(handle.id))) {
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
 * try again. A completed or refunded payment: if the page was not yet told of the success, if this page was told and
 * draws the checkout again, and after a reload or the back button. Otherwise the visitor has come back from another page
 * to order again, which needs a new payment.
 */
function isWorthResuming(payment: Payment, toldAt: string | null): boolean {
  if (payment.status === 'pending') return true;
  if (payment.status === 'failed') return false;
  if (toldAt === null || toldAt === `${performance.timeOrigin}`) return true;
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return visit?.type === 'reload' || visit?.type === 'back_forward';
}
