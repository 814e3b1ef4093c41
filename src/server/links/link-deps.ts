import type { AnswerCreation } from '../payments/checkout/payment-create.routes.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import type { RateLimiter } from '../platform/http/access/rate-limit.ts';

/** What the links module is given by the composition root. */
export interface LinkDeps extends PaymentRouteDeps {
  /** Writes a payment that was drafted, and answers the request that asked for it. */
  readonly answerCreation: AnswerCreation;
  /** By network and link: payments that are begun without a key. */
  readonly starts: RateLimiter;
}
