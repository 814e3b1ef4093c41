import { expect } from '@open-wc/testing';
import type { Payment } from '../../src/api/payment.ts';
import type { PayCheckout } from '../../src/element/pay-checkout.ts';
import { paidPayment } from './support/example-payment.ts';
import type { FakeService } from './support/fake-service.ts';
import { mount, serviceOf, tidyUp } from './support/mounted.ts';

afterEach(tidyUp);

interface Callback {
  readonly title: string;
  /** Makes the element call it. */
  readonly cause: (service: FakeService, element: PayCheckout) => void;
  /** What the checkout shows then. */
  readonly says: string;
}

const change = (changed: Partial<Payment>) => (service: FakeService) => service.change(changed);
const success: Callback = { title: 'Success', cause: change(paidPayment()), says: 'Paid, thank you' };

const callbacks: readonly Callback[] = [
  { title: 'Ready', cause: () => {}, says: 'Pay €128.40' },
  { title: 'Change', cause: change({ reference: 'A-7' }), says: 'Order A-7' },
  success,
  { title: 'Failure', cause: change({ status: 'failed', phase: 'declined' }), says: 'This payment could not be made' },
  { title: 'Expire', cause: change({ status: 'failed', phase: 'expired' }), says: 'This payment has expired' },
  {
    title: 'Error',
    cause: (_, element) => {
      element.apiKey = `sk_test_${'0'.repeat(32)}`;
    },
    says: 'not set up correctly',
  },
];

/** The names under which frameworks listen for it: Vue, Solid, Preact and Angular; React and Svelte; all of them. */
const typesOf = (title: string) => [title.toLowerCase(), title, `pay-${title.toLowerCase()}`];

/** Runs a checkout until the callback is due. `element` has its listeners already. */
async function run({ cause, says }: Callback, element: PayCheckout): Promise<FakeService> {
  const service = serviceOf();
  const checkout = await mount(service, undefined, element);
  await checkout.waitForButton('Pay €128.40');
  cause(service, element);
  await checkout.waitFor(says);
  await checkout.settle();
  return service;
}

describe('<pay-checkout> in frameworks', () => {
  for (const callback of callbacks) {
    const { title } = callback;
    const [word = ''] = typesOf(title);

    it(`tells each listener of ${typesOf(title).join(', ')} once, and only pay-${word} bubbles`, async () => {
      const heard: string[] = [];
      const details = new Set<unknown>();
      const element = document.createElement('pay-checkout');
      const note = (place: string) => (event: Event) => {
        details.add((event as CustomEvent).detail);
        heard.push(`${place} ${event.type}`);
      };
      const around = note('around');
      for (const type of typesOf(title)) {
        element.addEventListener(type, note('on it'));
        document.addEventListener(type, around);
      }
      element[`on${title}` as 'onSuccess'] = detail => {
        details.add(detail);
        heard.push('property');
      };
      await run(callback, element);
      for (const type of typesOf(title)) document.removeEventListener(type, around);
      const expected = [`around pay-${word}`, `on it ${title}`, `on it ${word}`, `on it pay-${word}`, 'property'];
      expect(heard).to.have.members(expected);
      expect(details.size).to.equal(1);
    });
  }

  it('calls a function once that is both the property and a listener, with the payment', async () => {
    const calls: unknown[] = [];
    const handler = (value: unknown) => void calls.push(value);
    const element = document.createElement('pay-checkout');
    for (const type of typesOf('Success')) element.addEventListener(type, handler);
    element.onSuccess = handler;
    await run(success, element);
    expect(calls.map(payment => (payment as Payment).status)).to.deep.equal(['completed']);
  });

  it('keeps listeners and callbacks of a tag that was in the page before the script', async () => {
    const heard: string[] = [];
    // An element of a document without a window is not defined before it moves into the page.
    const element = document.implementation.createHTMLDocument().createElement('pay-checkout');
    expect(element).to.not.have.property('confirm');
    for (const type of typesOf('Success')) element.addEventListener(type, () => heard.push(type));
    element.onSuccess = payment => heard.push(payment.status);
    await run(success, element);
    expect(heard).to.have.members(['completed', ...typesOf('Success')]);
  });
});
