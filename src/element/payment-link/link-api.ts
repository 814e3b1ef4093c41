import type { PublicPaymentLink } from '../../api/link.ts';
import type { Payment } from '../../api/payment.ts';
import type { ErrorBody } from '../../api/schema.ts';
import { ApiProblem, type PaymentHandle, type Seen } from '../state/checkout-api.ts';
import { accessOf, type CheckoutConfig, type CheckoutCustomer } from '../state/checkout-config.ts';

/** The request body that creates a payment of a link: the customer, and the amount if the payer chooses it. */
export interface LinkOrder {
  readonly customer: CheckoutCustomer;
  readonly amount?: number;
  readonly currency?: string;
}

/** A payment created by a link, with its handle. */
export interface LinkPayment {
  readonly handle: PaymentHandle;
  readonly seen: Seen<Payment>;
}

/** Reads the public view of a link. Throws `ApiProblem`. */
export function readLink(config: CheckoutConfig, id: string): Promise<PublicPaymentLink> {
  return ask(config, id);
}

/** Creates a payment of the link, once for each `key`. `askedAt`: device time in ms. Throws `ApiProblem`. */
export async function payLink(
  config: CheckoutConfig,
  order: LinkOrder,
  { key, askedAt }: { readonly key: string; readonly askedAt: number },
): Promise<LinkPayment> {
  const { client_secret: secret = '', ...value } = await ask<Payment>(config, `${config.link}/payments`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(order),
  });
  return { handle: { id: value.id, secret }, seen: { value, askedAt } };
}

/** Milliseconds before each repetition of a failed call. */
const pauses = [400, 1200, 3000];

async function ask<T>(config: CheckoutConfig, path: string, init: RequestInit = {}): Promise<T> {
  const address = `${accessOf(config).baseUrl}/v1/payment-links/${path}`;
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(address, { ...init, credentials: 'same-origin', cache: 'no-store' });
      if (response.ok) return await response.json();
      const { error }: Partial<ErrorBody> = await response.json().catch(() => ({}));
      throw new ApiProblem(error?.code ?? 'unavailable', error?.message ?? '', response.status, error?.param);
    } catch (error) {
      const problem = error instanceof ApiProblem ? error : new ApiProblem('offline', '', 0);
      const pause = pauses[attempt];
      if (pause === undefined || (problem.status > 0 && problem.status < 500)) throw problem;
      await new Promise(done => setTimeout(done, pause));
    }
  }
}
