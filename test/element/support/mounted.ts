import '../../../src/element/define.ts';
import 'axe-core/axe.min.js';
import { fixture, html } from '@open-wc/testing';
import type { Payment } from '../../../src/api/payment.ts';
import type { PayCheckout } from '../../../src/element/pay-checkout.ts';
import { rememberColors } from '../../support/axe-colors.ts';
import { type CheckoutDriver, createCheckoutDriver } from './checkout-driver.ts';
import { examplePayment } from './example-payment.ts';
import { type FakeService, startFakeService } from './fake-service.ts';
import { restoreTimers } from './fast-timers.ts';

/** A checkout in the page with its fake service. */
export interface Mounted extends CheckoutDriver {
  readonly service: FakeService;
  /** The element's events so far. */
  readonly events: readonly { readonly name: string; readonly detail: unknown }[];
  heard(name: string): number;
}

const eventNames = ['ready', 'change', 'success', 'failure', 'expire', 'method', 'quote', 'error'].map(
  name => `pay-${name}`,
);

rememberColors();

let service: FakeService | undefined;

/** Resets page, service, storage and timers. For `afterEach`. */
export function tidyUp(): void {
  for (const element of document.querySelectorAll('pay-checkout')) element.remove();
  service?.restore();
  service = undefined;
  restoreTimers();
  localStorage.clear();
  sessionStorage.clear();
}

/** Starts a fake service, which runs until `tidyUp`. */
export function serviceOf(payment: Partial<Payment> = {}): FakeService {
  service?.restore();
  service = startFakeService(examplePayment(payment));
  return service;
}

/** Mounts a checkout of the service's payment, or with other `properties`. `element`: one that the test has prepared. */
export async function mount(
  running: FakeService,
  properties?: Partial<PayCheckout>,
  element = document.createElement('pay-checkout'),
): Promise<Mounted> {
  const events: { name: string; detail: unknown }[] = [];
  const place = await fixture(html`<div></div>`);
  for (const name of eventNames) {
    place.addEventListener(name, event => events.push({ name, detail: (event as CustomEvent).detail }));
  }
  const given = { paymentId: running.payment.id, clientSecret: `${running.payment.id}_secret_x1` };
  Object.assign(element, { locale: 'en', baseUrl: location.origin, theme: 'light' }, properties ?? given);
  place.append(element);
  const driver = createCheckoutDriver(element);
  await driver.settle();
  return { ...driver, service: running, events, heard: name => events.filter(event => event.name === name).length };
}

/** The window of the card frame, as soon as it has answered. */
export async function cardFrame({ element, settle }: Mounted): Promise<Window & typeof globalThis> {
  for (let tries = 0; tries < 150; tries++) {
    const frame = element.querySelector('iframe')?.contentWindow as (Window & typeof globalThis) | null | undefined;
    if (frame?.connected) {
      await settle();
      return frame;
    }
    await settle();
  }
  throw new Error('the card frame has not answered');
}

/** Types into the field of the card frame; see `fake-card-frame.ts` for its effect. */
export async function typeCard(mounted: Mounted, text: string): Promise<void> {
  const frame = await cardFrame(mounted);
  const input = frame.document.querySelector('input') as HTMLInputElement;
  input.value = text;
}
