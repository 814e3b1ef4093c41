import { PayError } from '../../../core/error.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';

/**
 * Counts a question to a chain that a payer has the service ask. The servers of a network count the service’s questions,
 * all of them together, so that one payer must not use up what others need. Throws `rate_limited`.
 */
export function assertMayAskChain(
  { chainQuestions }: Pick<PaymentRouteDeps, 'chainQuestions'>,
  paymentId: string,
): void {
  const retryAfterSeconds = chainQuestions.count(paymentId);
  if (retryAfterSeconds === null) return;
  throw new PayError('rate_limited', 'This payment has asked after wallets too often. Wait a moment.', {
    retryAfterSeconds,
  });
}
