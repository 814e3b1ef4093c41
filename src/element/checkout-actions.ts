import { type CheckoutContext, storeOf } from './checkout-context.ts';
import { clearViews, fetchView } from './lazy-views.ts';
import { recall, remember } from './state/browser-storage.ts';
import { isUsable } from './state/checkout-config.ts';
import { createSession } from './state/checkout-session.ts';
import { type CheckoutMethod, type CheckoutState, methodsOf } from './state/checkout-state.ts';

/**
 * Ends the session, and starts a new one with the element's current settings. `isAfresh`: with a new payment, instead of
 * the payment that this tab created.
 */
export function start(context: CheckoutContext, isAfresh: boolean): void {
  const { chunks, element, notifier } = context;
  leave(context);
  if (!isUsable(element)) return;
  context.session = createSession(element, {
    chunks,
    toldAt: notifier.toldAt,
    onChange: (state, before) => react(context, state, before),
    update: () => element.requestUpdate(),
  });
  if (isAfresh) context.session.memory.forget();
  void context.session.begin();
  // Loads the likeliest method's code while the service prepares its first answer.
  const likely = recall('localStorage', 'method') ?? 'card';
  chunks.views[likely as CheckoutMethod]?.().catch(() => {});
}

/** Ends the session and disposes its views. */
export function leave(context: CheckoutContext): void {
  context.session?.store.stop();
  context.session?.place.leave();
  context.session = undefined;
  clearViews(context);
  context.visited.clear();
}

function react(context: CheckoutContext, state: CheckoutState, before: CheckoutState): void {
  const { payment, method } = state;
  const methods = methodsOf(state);
  context.notifier.compare(state, before);
  context.element.requestUpdate();
  if (method && methods.includes(method)) {
    context.visited.add(method);
    void fetchView(context, method);
  } else if (payment?.status === 'pending' && methods[0]) {
    const wish = payment.next_action ? payment.method : recall('localStorage', 'method');
    storeOf(context)?.choose(methods.find(known => known === wish) ?? methods[0]);
  }
}

/** Switches to the method that the payer chose. */
export function choose(context: CheckoutContext, method: CheckoutMethod): void {
  remember('localStorage', 'method', method);
  storeOf(context)?.choose(method);
}
