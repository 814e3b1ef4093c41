import { type CheckoutContext, isQuoteOver, stateOf, storeOf } from '../checkout-context.ts';
import { isRateOver, viewOf } from '../lazy-views.ts';

/**
 * The action of the main button: pays by the chosen method. If the rate has ended, first gets a new rate. Then pays
 * only if the payer's amount does not depend on the rate.
 */
export async function confirm(context: CheckoutContext, isRepeated = false): Promise<void> {
  const { payment, method, busy } = stateOf(context);
  if (busy || !method || payment?.status !== 'pending') return;
  if (isQuoteOver(context)) {
    const isOver = isRateOver(context);
    await storeOf(context)?.renewQuote();
    if (isOver || stateOf(context).problem) return;
  }
  await viewOf(context, method)?.confirm?.();
  const isRefused = stateOf(context).problem?.code === 'quote_expired';
  if (isRefused && !isRateOver(context) && !isRepeated) await confirm(context, true);
}
