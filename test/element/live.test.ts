import { expect } from '@open-wc/testing';
import { exampleInstructions, paidPayment } from './example-payment.ts';
import { type Mounted, mount, serviceOf, tidyUp } from './mounted.ts';

afterEach(tidyUp);

const waiting = { phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions() } as const;

async function following(prepare: (service: ReturnType<typeof serviceOf>) => void = () => {}): Promise<Mounted> {
  const service = serviceOf(waiting);
  prepare(service);
  const checkout = await mount(service);
  await checkout.waitFor('Waiting for the transfer');
  return checkout;
}

async function until(happens: () => boolean, withinMs = 3000): Promise<void> {
  for (const end = performance.now() + withinMs; !happens() && performance.now() < end; ) {
    await new Promise(done => setTimeout(done, 20));
  }
  expect(happens()).to.equal(true);
}

describe('<pay-checkout> following its payment', () => {
  it('hears of money over the stream, with the secret in the headers and not in the address', async () => {
    const checkout = await following();
    await until(() => checkout.service.count('GET /stream') === 1);
    checkout.service.change(paidPayment());
    await checkout.waitFor('Paid, thank you');
    for (const { path } of checkout.service.calls) expect(path).not.to.include('secret');
  });

  it('asks by itself when the stream is held back', async () => {
    const checkout = await following(service => {
      service.mute = true;
    });
    await until(() => checkout.service.count('GET /stream') === 1);
    checkout.service.change(paidPayment());
    await checkout.waitFor('Paid, thank you', 5000);
  });

  it('takes a broken stream up again after the last event it saw', async () => {
    const checkout = await following();
    await until(() => checkout.service.count('GET /stream') === 1);
    checkout.service.change({ amount_received: 100 });
    await checkout.waitFor('still due');
    checkout.service.breakStreams();
    await until(() => checkout.service.count('GET /stream') === 2);
    const again = checkout.service.calls.filter(({ path }) => path.endsWith('/stream')).at(-1);
    expect(Number(again?.headers.get('Last-Event-ID'))).to.be.above(1);
  });

  it('asks at once when the page is shown again, and when the device is back on line', async () => {
    const checkout = await following(service => {
      service.mute = true;
    });
    await until(() => checkout.service.count('GET /stream') === 1);
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

  it('says that it is offline, and takes it back', async () => {
    const checkout = await following();
    const kept = Object.getOwnPropertyDescriptor(Navigator.prototype, 'onLine');
    Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false, configurable: true });
    checkout.service.offline = true;
    window.dispatchEvent(new Event('offline'));
    await checkout.waitFor('You are offline.');
    await until(() => checkout.spoken().includes('You are offline.'));
    await expect(checkout.element).shadowDom.to.be.accessible();
    if (kept) Object.defineProperty(Navigator.prototype, 'onLine', kept);
    checkout.service.offline = false;
    window.dispatchEvent(new Event('online'));
    await until(() => !checkout.text().includes('You are offline.'));
  });

  it('lets go of the line when the page is put away, when the element is gone, and when all is over', async () => {
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

  it('does not let an old answer undo a newer one', async () => {
    const checkout = await following();
    await until(() => checkout.service.openStreams() === 1);
    const release = checkout.service.holdAnswer('GET /pay_3kTMd0PpC1hJ6nLq2uXs9B');
    const asked = checkout.element.refresh();
    await until(() => checkout.service.calls.at(-1)?.path.endsWith(checkout.service.payment.id) ?? false);
    checkout.service.change({ amount_received: 8000, phase: 'partially_paid' });
    await checkout.waitFor('€48.40 still due');
    release();
    await asked;
    await checkout.settle();
    expect(checkout.text()).to.include('€48.40 still due');
  });
});
