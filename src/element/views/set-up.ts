import type { CheckoutContext } from '../checkout-context.ts';
import { problemText } from '../controls/controls.ts';
import type { PayErrorDetail } from '../events.ts';
import { accessOf } from '../state/checkout-config.ts';

/** Errors that only the developer of the page can correct. */
const developerCodes: ReadonlySet<string> = new Set(['invalid_api_key', 'origin_not_allowed', 'parameter_missing']);

/** The message for the payer when the page's developer made an error. Text before `|` is bold. */
export function notSetUp({ strings }: CheckoutContext): string {
  return strings.parts?.problems['not_set_up'] ?? 'This checkout is not set up correctly.|Contact the shop.';
}

/** The message for the payer when no payment was started. Explains a developer's error in the console. */
export function startProblemText(context: CheckoutContext, problem: PayErrorDetail): string {
  if (!developerCodes.has(problem.code)) return problemText(context, problem);
  explain(context, problem);
  return notSetUp(context);
}

const explained = new WeakSet<PayErrorDetail>();

/** Says in the console what the developer must correct, once for each error. */
function explain({ element }: CheckoutContext, problem: PayErrorDetail): void {
  if (explained.has(problem)) return;
  explained.add(problem);
  const { code, message } = problem;
  const advice = code === 'invalid_api_key' ? ' Check api-key and base-url.' : '';
  console.error(`<pay-checkout> ${code}: ${message}${advice} (service: ${accessOf(element).baseUrl})`);
}
