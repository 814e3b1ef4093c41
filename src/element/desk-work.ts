import { isUsable } from './checkout-config.ts';
import { type CheckoutMethod, methodsOf } from './checkout-selectors.ts';
import { createSession } from './checkout-session.ts';
import type { CheckoutState } from './checkout-store.ts';
import { type Desk, dispatch, isQuoteOver, stateOf } from './desk.ts';
import { recall, remember } from './memory.ts';
import { clearViews, fetchView, viewOf } from './view-rack.ts';

/** How long after the first picture the last one is fetched, in ms: a lost line must not keep a result from being shown. */
const spareTimeMs = 5000;

/** Begins with the payment that the element asks for. What belonged to the last one is let go. */
export function start(desk: Desk): void {
  leave(desk);
  desk.isRefused = !isUsable(desk.element);
  if (desk.isRefused) return;
  const session = createSession(desk.element, desk.notices.isTold, () => desk.element.requestUpdate());
  desk.session = session;
  session.store.subscribe((state, before) => react(desk, state, before));
  void session.begin();
}

/** Lets the payment go; nothing is heard of it any more. */
export function leave(desk: Desk): void {
  desk.session?.store.stop();
  desk.session = undefined;
  clearViews(desk);
  desk.visited.clear();
}

function react(desk: Desk, state: CheckoutState, before: CheckoutState): void {
  const { payment, method } = state;
  const methods = methodsOf(state);
  desk.notices.compare(state, before);
  desk.element.requestUpdate();
  if (payment && !before.payment) setTimeout(() => desk.session && fetchView(desk, 'outcome'), spareTimeMs);
  if (method && methods.includes(method)) {
    desk.visited.add(method);
    void fetchView(desk, method);
  } else if (payment?.status === 'pending' && methods[0]) {
    const wish = payment.next_action ? payment.method : recall('localStorage', 'method');
    void dispatch(desk, { type: 'choose', method: methods.find(known => known === wish) ?? methods[0] });
  }
}

/** The payer takes a method. */
export function choose(desk: Desk, method: CheckoutMethod): void {
  remember('localStorage', 'method', method);
  void dispatch(desk, { type: 'choose', method });
}

/** Does what the main button does: a new price where the last one is over, else what the chosen method does. */
export async function confirm(desk: Desk): Promise<void> {
  const { method, busy } = stateOf(desk);
  if (busy) return;
  if (isQuoteOver(desk)) await dispatch(desk, { type: 'refresh-quote' });
  else if (method) await viewOf(desk, method)?.confirm?.();
}
