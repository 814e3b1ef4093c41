import type { OpenedCheckout } from '../../api/payment.ts';
import { kebabCase } from '../appearance.ts';
import { texts } from '../checkout-properties.ts';
import { CheckoutApi } from './checkout-api.ts';
import { accessOf, type CheckoutConfig, handleOf, isUsable } from './checkout-config.ts';

/** The APIs with an early call, by the settings that the call depends on. */
let early: Record<string, CheckoutApi> = {};

const keyOf = (config: CheckoutConfig) => JSON.stringify([accessOf(config), handleOf(config)]);

/**
 * Asks for the payments of the page's elements before the elements are defined. A phone then runs the rest of the
 * script while it waits for the answer. An element with `mode` may have to wait for the payer, so it asks later. An
 * element with `opened` has the answer.
 */
export function callEarly(): void {
  for (const element of document.querySelectorAll('pay-checkout:not([mode],[opened],:defined)')) {
    const values = texts.map(name => [name, element.getAttribute(kebabCase(name)) ?? undefined]);
    const config: CheckoutConfig = Object.fromEntries(values);
    const handle = handleOf(config);
    if (handle && isUsable(config)) early[keyOf(config)] = new CheckoutApi(accessOf(config), handle);
  }
  // The script defines the elements before this timer fires. Elements that are added later need a new answer.
  setTimeout(() => {
    early = {};
  });
}

/** Answers in pages that a session has used. A later session needs a newer answer. */
const used = new WeakSet<OpenedCheckout>();

/** The API for a checkout with these settings. Its first `open` may return an early answer or the page's answer. */
export function apiOf(config: CheckoutConfig): CheckoutApi {
  const key = keyOf(config);
  const api = early[key] ?? new CheckoutApi(accessOf(config), null, unusedAnswer(config));
  delete early[key];
  return api;
}

function unusedAnswer({ opened, paymentId }: CheckoutConfig): OpenedCheckout | null {
  if (opened?.payment.id !== paymentId || !opened || used.has(opened)) return null;
  used.add(opened);
  return opened;
}
