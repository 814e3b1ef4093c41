import { kebabCase } from '../appearance.ts';
import { texts } from '../checkout-properties.ts';
import { CheckoutApi } from './checkout-api.ts';
import { accessOf, type CheckoutConfig, handleOf, isUsable } from './checkout-config.ts';

/** The APIs with an early call, by the settings that the call depends on. */
let early: Record<string, CheckoutApi> = {};

const keyOf = (config: CheckoutConfig) => JSON.stringify([accessOf(config), handleOf(config)]);

/**
 * Asks for the payments of the page's elements before the elements are defined. A phone then runs the rest of the
 * script while it waits for the answer. An element with `mode` may have to wait for the payer, so it asks later.
 */
export function callEarly(): void {
  for (const element of document.querySelectorAll('pay-checkout:not([mode],:defined)')) {
    const values = texts.map(name => [name, element.getAttribute(kebabCase(name)) ?? undefined]);
    const config: CheckoutConfig = Object.fromEntries(values);
    const handle = handleOf(config);
    if (handle && isUsable(config)) early[keyOf(config)] = new CheckoutApi(accessOf(config), handle);
  }
  // The script defines the element before this. A later element needs a new answer.
  setTimeout(() => {
    early = {};
  });
}

/** The calls of a checkout with these settings. Its payment may have been asked for already. */
export function apiOf(config: CheckoutConfig): CheckoutApi {
  const key = keyOf(config);
  const api = early[key] ?? new CheckoutApi(accessOf(config));
  delete early[key];
  return api;
}
