import '../../src/element/script.ts';
import { expect, fixture, html, oneEvent } from '@open-wc/testing';
import type { PayCheckout } from '../../src/element/pay-checkout.ts';
import type { PayCheckoutGlobal } from '../../src/element/script.ts';
import { createCheckoutDriver } from './support/checkout-driver.ts';
import { type Mounted, mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

afterEach(tidyUp);

const order = {
  apiKey: 'pk_test_1',
  amount: 12_840,
  currency: 'EUR',
  settlementAsset: 'USDC',
  customerEmail: 'jo@example.com',
};
const { PayCheckout: global } = globalThis as unknown as { PayCheckout: PayCheckoutGlobal };

describe('<pay-checkout mode="popup">', () => {
  it('is a button that opens the checkout in a dialog, and creates nothing before', async () => {
    const checkout = await mount(serviceOf(), { ...order, mode: 'popup' });
    await checkout.waitForButton('Pay €128.40');
    await expect(checkout.element).shadowDom.to.be.accessible();
    expect(checkout.service.calls).to.have.length(0);
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Nordlys Supply');
    expect(Boolean(checkout.element.shadowRoot?.querySelector('dialog:modal'))).to.equal(true);
    await typeCard(checkout, 'tok_visa');
    await checkout.element.confirm();
    await checkout.waitFor('Paid, thank you');
    await expect(checkout.element).shadowDom.to.be.accessible();
  });

  it('closes by its button or by the page, and continues the same payment', async () => {
    const checkout = await mount(serviceOf(), { ...order, mode: 'popup' });
    checkout.element.open();
    await checkout.waitForButton('Close the checkout');
    await checkout.press('Close the checkout');
    expect(Boolean(checkout.element.shadowRoot?.querySelector('dialog[open]'))).to.equal(false);
    checkout.element.open();
    await checkout.waitFor('Nordlys Supply');
    checkout.element.close();
    await checkout.settle();
    expect(Boolean(checkout.element.shadowRoot?.querySelector('dialog[open]'))).to.equal(false);
    expect(checkout.service.count('POST /payments')).to.equal(1);
  });

  it('stays open when the page opens it again at once', async () => {
    const checkout = await mount(serviceOf(), { ...order, mode: 'popup' });
    const isOpen = () => Boolean(checkout.element.shadowRoot?.querySelector('dialog[open]'));
    checkout.element.open();
    await checkout.waitFor('Nordlys Supply');
    const ended = oneEvent(checkout.element.shadowRoot?.querySelector('dialog.over') as HTMLElement, 'close');
    checkout.element.close();
    await checkout.element.updateComplete;
    await Promise.resolve();
    expect(isOpen()).to.equal(false);
    checkout.element.open();
    await ended;
    await checkout.waitForButton('Close the checkout');
    expect(isOpen()).to.equal(true);
  });

  const openers = {
    'its own button': (checkout: Mounted) => checkout.element.shadowRoot?.querySelector('.main') as HTMLElement,
    'the page’s button in the slot': ({ element }: Mounted) => {
      const button = Object.assign(document.createElement('button'), { slot: 'trigger', textContent: 'Buy now' });
      element.append(button);
      return button;
    },
    'a button elsewhere that calls open()': ({ element }: Mounted) => {
      const button = document.createElement('button');
      button.addEventListener('click', () => element.open());
      element.before(button);
      return button;
    },
  };
  for (const [name, openerOf] of Object.entries(openers)) {
    for (const way of ['the close button', 'close()', 'the end of the payment']) {
      it(`returns the focus to ${name} after ${way}`, async () => {
        const checkout = await mount(serviceOf(), { ...order, mode: 'popup' });
        await checkout.waitForButton('Pay €128.40');
        const opener = openerOf(checkout);
        await checkout.settle();
        opener.focus();
        opener.click();
        await checkout.waitFor('Nordlys Supply');
        if (way === 'the end of the payment') {
          await typeCard(checkout, 'tok_visa');
          await checkout.element.confirm();
          await checkout.waitFor('Paid, thank you');
        }
        if (way === 'close()') checkout.element.close();
        else await checkout.press('Close the checkout');
        await checkout.settle();
        const root = opener.getRootNode() as Document | ShadowRoot;
        expect(root.activeElement === opener, `the focus is on ${root.activeElement?.localName}`).to.equal(true);
      });
    }
  }

  it('opens from the page’s own button, too', async () => {
    const checkout = await mount(serviceOf(), { ...order, mode: 'popup' });
    const button = Object.assign(document.createElement('button'), { slot: 'trigger', textContent: 'Buy now' });
    checkout.element.append(button);
    await checkout.settle();
    button.click();
    await checkout.waitFor('Nordlys Supply');
  });
});

describe('<pay-checkout mode="redirect">', () => {
  it('asks for the customer in a dialog when the page does not name one', async () => {
    const checkout = await mount(serviceOf(), { ...order, customerEmail: '', mode: 'redirect' });
    await checkout.waitForButton('Pay €128.40');
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Who is paying?');
    expect(checkout.service.calls).to.have.length(0);
    // A real address would leave the page. With this one the element reports an error instead.
    checkout.service.payment = { ...checkout.service.payment, checkout_url: 'about:nowhere' };
    const log = console.error;
    console.error = () => undefined;
    await checkout.type('E-mail', 'jo@example.com');
    await checkout.type('Name', 'Jo Long');
    await checkout.press('Continue');
    for (let tries = 0; tries < 100 && checkout.heard('pay-error') === 0; tries++) await checkout.settle();
    console.error = log;
    expect(checkout.events.filter(({ name }) => name === 'pay-error')).to.have.length(1);
  });

  it('redirects only to an http or https URL', async () => {
    const checkout = await mount(serviceOf({ checkout_url: 'javascript:document.title="hacked"' }), {
      ...order,
      mode: 'redirect',
    });
    const log = console.error;
    console.error = () => undefined;
    await checkout.press('Pay €128.40').catch(() => checkout.element.open());
    for (let tries = 0; tries < 100 && checkout.heard('pay-error') === 0; tries++) await checkout.settle();
    console.error = log;
    const [errorEvent] = checkout.events.filter(({ name }) => name === 'pay-error');
    expect(errorEvent?.detail).to.deep.include({ code: 'unsafe_checkout_url' });
    expect(document.title).not.to.equal('hacked');
  });
});

describe('the script tag’s PayCheckout', () => {
  it('mounts a checkout in the target, with its properties and callbacks', async () => {
    serviceOf();
    const place = await fixture<HTMLElement>(html`<div id="pay-here"></div>`);
    const element = global.mount('#pay-here', { ...order, locale: 'en' });
    expect(element.parentElement).to.equal(place);
    await createCheckoutDriver(element).waitForButton('Pay €128.40');
  });

  it('creates a pay button', async () => {
    serviceOf();
    const place = await fixture<HTMLElement>(html`<div></div>`);
    const driver = createCheckoutDriver(global.button(place, { ...order, locale: 'en' }));
    await driver.waitForButton('Pay €128.40');
    expect(driver.element.mode).to.equal('popup');
  });

  it('throws an error when the target does not exist', () => {
    expect(() => global.mount('#nowhere', order)).to.throw('nothing on this page matches #nowhere');
  });
});

describe('the link back to the shop', () => {
  const addresses = [
    [
      'https://shop.example/thanks?a=1',
      'https://shop.example/thanks?a=1&payment_id=pay_3kTMd0PpC1hJ6nLq2uXs9B&status=completed',
    ],
    ['http://localhost:3000/', 'http://localhost:3000/?payment_id=pay_3kTMd0PpC1hJ6nLq2uXs9B&status=completed'],
    ['javascript:alert(1)', null],
    ['data:text/html,hello', null],
    ['//evil.example/', null],
    ['https:evil.example', null],
    ['https://shop@evil.example/', null],
    ['java\tscript:alert(1)', null],
    ['https://shop.example\\@evil.example', null],
  ] as const;
  for (const [given, leads] of addresses) {
    it(`${JSON.stringify(given)} ${leads ? 'becomes a link with the payment and its status' : 'is not shown'}`, async () => {
      const service = serviceOf({ status: 'completed', phase: 'paid', method: 'card', amount_received: 12_840 });
      const secret = { paymentId: service.payment.id, clientSecret: 'pay_x_secret_y' };
      const checkout = await mount(service, { ...secret, redirectUrl: given } as Partial<PayCheckout>);
      await checkout.waitFor('Paid, thank you');
      const links = [...(checkout.element.shadowRoot?.querySelectorAll('a') ?? [])].map(({ href }) => href);
      expect(links.filter(href => href !== `${service.payment.checkout_url}/receipt`)).to.deep.equal(
        leads === null ? [] : [leads],
      );
    });
  }
});
