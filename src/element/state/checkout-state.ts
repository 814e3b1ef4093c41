import type { Payment, PaymentOptions, PaymentQuote } from '../../api/payment.ts';

/** Payment methods that have a tab. The service may offer other methods too. */
export type CheckoutMethod = 'card' | 'bank_transfer' | 'crypto' | 'mobile_money';

/** The call that the element is waiting for. */
export type Task = 'load' | 'create' | 'confirm' | 'quote' | 'ask';

/** A call that failed. */
export interface Problem {
  readonly code: string;
  /** The service's message. Blank if the service did not answer. */
  readonly message: string;
  /** HTTP status. 0 without an answer. */
  readonly status: number;
  /** The refused field of the request, if the error is about one. */
  readonly param?: string | null | undefined;
  /** The task that failed. */
  readonly task?: Task;
}

/** The data that the element shows. Amounts and statuses are the service's latest; the element predicts none. */
export interface CheckoutState {
  readonly payment: Payment | null;
  readonly options: PaymentOptions | null;
  readonly method: CheckoutMethod | null;
  readonly busy: Task | null;
  readonly problem: Problem | null;
  /** Whether the service can be reached. */
  readonly up: boolean;
  /** The previous quote, after the payer requested a new quote. */
  readonly quoteBefore: PaymentQuote | null;
}

/** The state before the first call. */
export const initialState: CheckoutState = {
  payment: null,
  options: null,
  method: null,
  busy: null,
  problem: null,
  up: true,
  quoteBefore: null,
};

/** Remaining amount in minor units of the payment's currency, from the service's own amounts. */
export function dueOf(payment: Payment): number {
  return Math.max(0, payment.amount - payment.amount_received);
}

/**
 * Methods that the payment allows and that are available now, in the order of the shop. A method whose instructions the
 * payer has already received stays in the list. Empty while a card is authorized.
 */
export function methodsOf({ payment, options }: CheckoutState): CheckoutMethod[] {
  const offers: Partial<Record<string, unknown>> = {
    card: options?.card,
    bank_transfer: options?.bank_transfer?.rails.length,
    crypto: options?.crypto?.assets.length,
    mobile_money: options?.mobile_money?.operators.length,
  };
  return (payment?.payment_methods ?? []).filter(
    (method): method is CheckoutMethod =>
      payment?.phase !== 'authorized' && Boolean(offers[method] || (payment?.next_action && payment.method === method)),
  );
}

/** Whether a payment is in progress, so the payer can only wait. */
export function isInFlight({ phase }: Payment): boolean {
  return phase === 'processing' || phase === 'confirming';
}
