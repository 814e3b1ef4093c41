import { expect } from '@open-wc/testing';
import { exampleInstructions, exampleNow, paidPayment } from './support/example-payment.ts';
import { speedUpTimers } from './support/fast-timers.ts';
import { type Mounted, mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

beforeEach(speedUpTimers);
afterEach(tidyUp);

const waiting = { phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions() } as const;

async function following(prepare: (service: ReturnType<typeof serviceOf>) => void = () => {}): Promise<Mounted> {
  const service = serviceOf(waiting);
  prepare(service);
  const checkout = await mount(service);
  await checkout.waitFor('Waiting for the transfer');
  return checkout;
}

async function until(happens: () => boolean, withinMs = 15_000): Promise<void> {
  for (const end = performance.now() + withinMs; !happens() && performance.now() < end; ) {
    await new Promise(done => setTimeout(done, 20));
  }
  expect(happens()).to.equal(true);
}

describe('<pay-checkout> with the first answer in its page', () => {
  it('shows it without a call, and asks again when it starts another time', async () => {
    const service = serviceOf();
    const { payment, options } = service;
    const checkout = await mount(service, {
      paymentId: payment.id,
      clientSecret: `${payment.id}_secret_x1`,
      opened: { payment, options, answered_at: new Date(exampleNow).toISOString() },
    });
    await checkout.waitForButton('Pay €128.40');
    await checkout.waitFor(/Rate held for 14:/);
    expect(service.count('POST /open')).to.equal(0);
    service.change(paidPayment());
    await checkout.waitFor('Paid, thank you');
    const place = checkout.element.parentElement;
    checkout.element.remove();
    place?.append(checkout.element);
    await until(() => service.count('POST /open') === 1);
    await checkout.waitFor('Paid, thank you');
  });
});

describe('<pay-checkout> following its payment', () => {
  it('receives updates over the stream, with the secret in the body and not in the URL', async () => {
    const checkout = await following();
    await until(() => checkout.service.count('POST /stream') === 1);
    checkout.service.change(paidPayment());
    await checkout.waitFor('Paid, thank you');
    for (const { path } of checkout.service.calls) expect(path).not.to.include('secret');
  });

  it('polls when the stream is buffered by a proxy', async () => {
    const checkout = await following(service => {
      service.mute = true;
    });
    await until(() => checkout.service.count('POST /stream') === 1);
    checkout.service.change(paidPayment());
    await checkout.waitFor('Paid, thank you');
  });

  it('reopens a broken stream after the last received event', async () => {
    const checkout = await following();
    await until(() => checkout.service.count('POST /stream') === 1);
    checkout.service.change({ amount_received: 100 });
    await checkout.waitFor('still due');
    checkout.service.breakStreams();
    await until(() => checkout.service.count('POST /stream') === 2);
    const again = checkout.service.calls.filter(({ path }) => path.endsWith('/stream')).at(-1);
    expect(Number(again?.body['last_event_id'])).to.be.above(1);
  });

  it('polls at once when the page becomes visible, and when the device is online again', async () => {
    const checkout = await following(service => {
      service.mute = true;
    });
    await until(() => checkout.service.count('POST /stream') === 1);
    for (const [target, name] of [
      [document, 'visibilitychange'],
      [window, 'online'],
      [window, 'pageshow'],
    ] as const) {
      const before = checkout.service.count('GET /pay_3kTMd0PpC1hJ6nLq2uXs9B');
      target.dispatchEvent(new Event(name));
      await until(() => checkout.service.count('GET /pay_3kTMd0PpC1hJ6nLq2uXs9B') > before, 300);
    }
  });

  describe('when the connection is lost', () => {
    const kept = Object.getOwnPropertyDescriptor(Navigator.prototype, 'onLine') as PropertyDescriptor;
    afterEach(() => {
      Object.defineProperty(Navigator.prototype, 'onLine', kept);
    });

    function cutLine({ service }: Mounted, isCut: boolean): void {
      Object.defineProperty(Navigator.prototype, 'onLine', { get: () => !isCut, configurable: true });
      service.offline = isCut;
      window.dispatchEvent(new Event(isCut ? 'offline' : 'online'));
    }
    /** The visible messages about the connection. */
    const connectionNotes = (checkout: Mounted) =>
      [...(checkout.element.shadowRoot?.querySelectorAll('.note') ?? [])]
        .map(note => (note as HTMLElement).innerText)
        .filter(text => /offline|answer|connect|checked/i.test(text));

    it('says that it is offline, and removes the note within a second of the reconnection', async () => {
      const checkout = await following();
      cutLine(checkout, true);
      await checkout.waitFor('You are offline. This page goes on as soon as you are back.');
      await until(() => checkout.spoken().includes('You are offline.'));
      await expect(checkout.element).shadowDom.to.be.accessible();
      cutLine(checkout, false);
      await until(() => connectionNotes(checkout).length === 0, 1000);
      await until(() => !checkout.spoken().includes('offline'));
    });

    it('shows one note for a payment in progress, and removes it after the reconnection', async () => {
      const checkout = await mount(serviceOf());
      await typeCard(checkout, 'tok_visa');
      checkout.service.offline = true;
      await checkout.press('Pay €128.40');
      cutLine(checkout, true);
      await checkout.waitFor('Your payment is safe: when you are back, we look whether it went through.');
      expect(connectionNotes(checkout)).to.have.length(1);
      cutLine(checkout, false);
      await until(() => connectionNotes(checkout).length === 0, 1000);
      await checkout.waitFor('Not paid, nothing was taken. Press Pay again.');
      await checkout.press('Pay €128.40');
      await checkout.waitFor('Paid, thank you');
      expect(checkout.heard('pay-success')).to.equal(1);
    });

    it('says that nothing was paid, until a call succeeds, when only the payment call fails', async () => {
      const checkout = await mount(serviceOf());
      await typeCard(checkout, 'tok_visa');
      for (let tries = 0; tries < 4; tries++) checkout.service.refuseNext('POST /confirm', null);
      await checkout.press('Pay €128.40');
      await checkout.waitFor('Not paid, nothing was taken. Press Pay again.');
      expect(checkout.alerts()).to.deep.equal(['Not paid, nothing was taken. Press Pay again.']);
      await new Promise(done => setTimeout(done, 1500));
      expect(checkout.alerts()).to.have.length(1);
      await checkout.press('Pay €128.40');
      await checkout.waitFor('Paid, thank you');
    });

    it('says that a call other than a payment failed', async () => {
      const checkout = await mount(serviceOf());
      await checkout.waitForButton('Pay €128.40');
      await checkout.chooseTab('Bank');
      await checkout.waitForButton('Show bank details');
      cutLine(checkout, true);
      await checkout.press('Show bank details');
      await checkout.waitFor('That did not get through. Press again when you are back.');
      expect(checkout.text()).not.to.include('payment is safe');
      cutLine(checkout, false);
      await checkout.waitFor('That did not get through. Please press again.');
      await checkout.press('Show bank details');
      await checkout.waitFor('Waiting for the transfer');
      expect(checkout.text()).not.to.include('did not get through');
    });

    it('shows one note when the card frame reports the loss', async () => {
      const checkout = await mount(serviceOf());
      await typeCard(checkout, 'offline');
      cutLine(checkout, true);
      await checkout.press('Pay €128.40');
      await until(() => connectionNotes(checkout).length > 0);
      expect(connectionNotes(checkout)).to.deep.equal(['You are offline. This page goes on as soon as you are back.']);
      cutLine(checkout, false);
      await until(() => connectionNotes(checkout).length === 0, 1000);
      await checkout.waitFor('Not paid, nothing was taken. Press Pay again.');
    });

    it('removes the note above the customer’s fields after the reconnection, and keeps what was typed', async () => {
      const order = { apiKey: 'pk_test_1', amount: 12_840, currency: 'EUR', settlementAsset: 'USDC' } as const;
      const checkout = await mount(serviceOf(), order);
      await checkout.waitForButton('Continue');
      await checkout.type('E-mail', 'jo@example.com');
      await checkout.type('Name', 'Jo Long');
      cutLine(checkout, true);
      await checkout.press('Continue');
      await checkout.waitFor('The payment service does not answer.');
      cutLine(checkout, false);
      await until(() => connectionNotes(checkout).length === 0);
      await checkout.press('Continue');
      await checkout.waitForButton('Pay €128.40');
    });

    it('starts automatically after a reconnection when there was no payment yet', async () => {
      const service = serviceOf();
      service.offline = true;
      const checkout = await mount(service);
      await checkout.waitFor('The payment service does not answer.');
      cutLine(checkout, false);
      await checkout.waitForButton('Pay €128.40', 1000);
      const asked = service.count('POST /open');
      cutLine(checkout, false);
      await checkout.settle();
      expect(service.count('POST /open')).to.equal(asked);
    });
  });

  it('closes the stream when the page is hidden in the cache, the element is removed, or the payment has ended', async () => {
    const checkout = await following();
    await until(() => checkout.service.openStreams() === 1);
    window.dispatchEvent(new Event('pagehide'));
    await until(() => checkout.service.openStreams() === 0);
    window.dispatchEvent(new Event('pageshow'));
    await until(() => checkout.service.openStreams() === 1);
    checkout.element.remove();
    await until(() => checkout.service.openStreams() === 0);
    const second = await mount(checkout.service);
    await until(() => checkout.service.openStreams() === 1);
    checkout.service.change(paidPayment());
    await second.waitFor('Paid, thank you');
    await until(() => checkout.service.openStreams() === 0);
  });

  for (const { name, payment, news, says } of [
    {
      name: 'a refund',
      payment: paidPayment(),
      news: { status: 'refunded', phase: 'refunded', amount_refunded: 12_840 },
      says: 'Your money is on its way back',
    },
    {
      name: 'money that comes late',
      payment: { status: 'failed', phase: 'expired' },
      news: { exception: 'paid_late', amount_received: 12_840 },
      says: 'Your money arrived after this payment expired.',
    },
  ] as const) {
    it(`shows ${name} on a page that was open before`, async () => {
      const checkout = await mount(serviceOf(payment));
      await checkout.waitFor(payment.status === 'failed' ? 'This payment has expired' : 'Paid, thank you');
      checkout.service.change(news);
      await checkout.waitFor(says);
      expect(checkout.service.openStreams()).to.equal(0);
    });
  }

  it('opens no stream when the element was removed before the payment was loaded', async () => {
    const service = serviceOf(waiting);
    const release = service.holdAnswer('POST /open');
    const checkout = await mount(service);
    await until(() => service.count('POST /open') === 1);
    checkout.element.remove();
    release();
    await new Promise(done => setTimeout(done, 300));
    expect(service.count('POST /stream')).to.equal(0);
  });

  it('ignores an answer that is older than the newest one', async () => {
    const checkout = await following();
    await until(() => checkout.service.openStreams() === 1);
    const release = checkout.service.holdAnswer('GET /pay_3kTMd0PpC1hJ6nLq2uXs9B');
    const asked = checkout.element.refresh();
    await until(() => checkout.service.calls.at(-1)?.path.endsWith(checkout.service.payment.id) ?? false);
    checkout.service.change({ amount_received: 8000, phase: 'partially_paid' });
    await checkout.waitFor('€48.40 EUR still due');
    release();
    await asked;
    await checkout.settle();
    expect(checkout.text()).to.include('€48.40 EUR still due');
  });
});
