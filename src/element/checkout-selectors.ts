import type { Payment } from '../api/payment.ts';
import type { CheckoutState } from './checkout-store.ts';

/** What is still to be paid, minor units of the payment's currency, by the service's own figures. */
export function dueOf(payment: Payment): number {
  return Math.max(0, payment.amount - payment.amount_received);
}

/** The methods that this element can take money by; one that the service offers beyond them gets no tab. */
export type CheckoutMethod = 'card' | 'bank_transfer' | 'crypto';

/** The methods that the payment allows and that can take money now, in the shop's order; what the payer was told to do stays. */
export function methodsOf({ payment, options }: CheckoutState): CheckoutMethod[] {
  const offers: Partial<Record<string, unknown>> = {
    card: options?.card,
    bank_transfer: options?.bank_transfer?.rails.length,
    crypto: options?.crypto?.assets.length,
  };
  return (payment?.payment_methods ?? []).filter((method): method is CheckoutMethod =>
    Boolean(offers[method] || (payment?.next_action && payment.method === method)),
  );
}

/** Whether money is on its way, so that there is nothing to do but wait. */
export function isInFlight({ phase }: Payment): boolean {
  return phase === 'processing' || phase === 'confirming';
}
