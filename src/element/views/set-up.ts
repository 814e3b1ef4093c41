import type { CheckoutContext } from '../checkout-context.ts';
import { problemText } from '../controls/controls.ts';
import { accessOf, type CheckoutConfig } from '../state/checkout-config.ts';
import type { Problem } from '../state/checkout-state.ts';

/** Error statuses for a wrong request, a wrong key and a missing permission. */
const refusals: readonly number[] = [400, 401, 403];

/** Whether only the developer of the page can correct the error. Payers correct what they entered themselves. */
function isDevelopers({ status, param }: Problem, { link }: CheckoutConfig): boolean {
  const entered = link ? /^(customer|amount|currency)\b/ : /^customer\b/;
  return refusals.includes(status) && !entered.test(param ?? '');
}

/** The message for the payer when the page's developer made an error. Text before `|` is bold. */
export function notSetUp({ strings }: CheckoutContext): string {
  return strings.parts?.problems['not_set_up'] ?? 'This checkout is not set up correctly.|Contact the shop.';
}

/** The message for the payer when no payment was started. Explains a developer's error in the console. */
export function startProblemText(context: CheckoutContext, problem: Problem): string {
  if (!isDevelopers(problem, context.element)) return problemText(context, problem);
  explain(context, problem);
  return notSetUp(context);
}

const explained = new WeakSet<Problem>();

/** Says in the console what the developer must correct, once for each error. */
function explain({ element }: CheckoutContext, problem: Problem): void {
  if (explained.has(problem)) return;
  explained.add(problem);
  const { code, message } = problem;
  const advice = code === 'invalid_api_key' ? ' Check api-key and base-url.' : '';
  console.error(`<pay-checkout> ${code}: ${message}${advice} (service: ${accessOf(element).baseUrl})`);
}
