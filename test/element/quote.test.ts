import { expect } from '@open-wc/testing';
import type { PaymentMethod } from '../../src/api/payment.ts';
import { examplePayment, exampleQuote } from './support/example-payment.ts';
import { offerCrypto } from './support/fake-service.ts';
import { cardFrame, type Mounted, mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

const RealDate = Date;

/** Sets the device's clock ahead of the real time. */
function shiftDeviceClock(ms: number): void {
  globalThis.Date = class extends RealDate {
    constructor(...given: [] | [string | number]) {
      super(given.length === 0 ? RealDate.now() + ms : given[0]);
    }
    static override now(): number {
      return RealDate.now() + ms;
    }
  } as DateConstructor;
}

afterEach(() => {
  globalThis.Date = RealDate;
  tidyUp();
});

/** Mounts a checkout whose rate is held for `seconds`, by a service clock that is ahead of the device's. */
async function held(seconds: number, serviceAheadMs = 0, methods?: PaymentMethod[]): Promise<Mounted> {
  const now = RealDate.now() + serviceAheadMs;
  const at = (ms: number) => new RealDate(now + ms).toISOString();
  const expires = at(seconds * 1000);
  const service = serviceOf({
    expires_at: expires,
    ...(methods && { payment_methods: methods }),
    quote: exampleQuote({ created_at: at(-900_000 + seconds * 1000), expires_at: expires }),
  });
  service.clockAheadMs = serviceAheadMs;
  if (methods?.includes('crypto')) offerCrypto(service);
  const checkout = await mount(service);
  await checkout.waitFor('Nordlys Supply');
  return checkout;
}

function color({ element }: Mounted): string {
  const timer = element.shadowRoot?.querySelector('[role=timer]') as HTMLElement;
  expect(timer.getAttribute('aria-live')).to.equal('off');
  return getComputedStyle(timer).color;
}

const wake = () => document.dispatchEvent(new Event('visibilitychange'));

/** Moves the clock past the end of a rate that is held for a minute. */
function letRateRunOut(): void {
  shiftDeviceClock(61_000);
  wake();
}

describe('<pay-checkout> with a quote', () => {
  const day = 86_400_000;
  for (const [name, ahead] of [
    ['right', 0],
    ['a day slow', day],
    ['a day fast', -day],
  ] as const) {
    it(`counts down by the service’s clock on a device whose clock is ${name}`, async () => {
      const checkout = await held(600, ahead);
      await checkout.waitFor(/Rate held for (10:00|09:59|09:58)/);
    });
  }

  it('shows the right time at once after the device was asleep', async () => {
    const checkout = await held(600);
    await checkout.waitFor(/Rate held for (10:00|09:5)/);
    shiftDeviceClock(300_000);
    checkout.service.clockAheadMs = 0;
    wake();
    await checkout.waitFor(/Rate held for (05:00|04:5)/);
  });

  it('corrects the time after the next call when the device’s clock is changed', async () => {
    const checkout = await held(600);
    await checkout.waitFor(/Rate held for (10:00|09:5)/);
    shiftDeviceClock(-day);
    checkout.service.clockAheadMs = day;
    wake();
    await checkout.waitFor(/Rate held for (10:00|09:5)/);
  });

  for (const [method, seconds, wanted] of [
    ['crypto', 300, 'rgb(76, 86, 101)'],
    ['crypto', 200, 'rgb(138, 83, 0)'],
    ['card', 200, 'rgb(76, 86, 101)'],
  ] as const) {
    it(`shows ${method} payers ${seconds} of 900 seconds in ${wanted}`, async () => {
      const checkout = await held(seconds, 0, [method]);
      await checkout.waitFor(method === 'card' ? 'Pay €128.40' : 'Continue with USDC');
      expect(color(checkout)).to.equal(wanted);
    });
  }

  it('counts the quote’s own duration, also in an older payment', async () => {
    const payment = examplePayment({ created_at: new RealDate(RealDate.now() - day / 2).toISOString() });
    const checkout = await mount(serviceOf(payment));
    await checkout.waitFor(/Rate held/);
    expect(color(checkout)).to.equal('rgb(76, 86, 101)');
  });

  it('announces the last minute and the end, and nothing in between', async () => {
    const checkout = await held(70, 0, ['crypto']);
    await checkout.waitFor(/Rate held for 01:(10|09)/);
    // The countdown announces the last minute only if it has shown more than a minute before.
    wake();
    await checkout.settle();
    expect(checkout.spoken()).to.equal('');
    shiftDeviceClock(12_000);
    wake();
    for (let tries = 0; !checkout.spoken() && tries < 50; tries++) await checkout.settle();
    expect(checkout.spoken()).to.equal('One minute left at this rate.');
    shiftDeviceClock(75_000);
    checkout.service.clockAheadMs = 0;
    wake();
    await checkout.waitForButton('Get today’s rate');
    expect(checkout.spoken()).to.include('The rate we held for you has run out.');
  });

  it('shows the same second in all checkouts of a page', async () => {
    const end = RealDate.now() + 600_000;
    const first = await held(600);
    const second = await mount(first.service);
    await second.waitFor(/Rate held for/);
    for (let shift = 0; shift < 8; shift++) {
      // In the middle of a second, the milliseconds between two readings of the clock cannot change the second.
      shiftDeviceClock(shift * 1000 + ((end - RealDate.now() + 500) % 1000));
      wake();
      await first.settle();
      const seconds = [first, second].map(checkout => /\d\d:\d\d/.exec(checkout.text())?.[0]);
      expect(seconds[0]).to.equal(seconds[1]);
    }
  });

  it('offers the new rate where Pay stood, shows the old one too, and notifies the page', async () => {
    const checkout = await held(60, 0, ['crypto', 'card']);
    await checkout.waitForButton('Continue with USDC');
    letRateRunOut();
    await checkout.waitForButton('Get today’s rate');
    expect(checkout.buttons()).to.deep.equal(['Get today’s rate']);
    const [button, choices] = ['.main', '.coins'].map(part =>
      checkout.element.shadowRoot?.querySelector<HTMLElement>(part),
    );
    expect(button?.getBoundingClientRect().top).to.be.above(choices?.getBoundingClientRect().bottom ?? Infinity);
    button?.focus();
    await checkout.press('Get today’s rate');
    await checkout.waitFor('You have today’s rate. You pay the same: €128.40.');
    expect(checkout.text()).to.include('€128.40 was 139.214 USDC');
    expect(checkout.text()).to.include('€128.40 is now 139.48 USDC');
    await checkout.waitFor(/Rate held for (15:00|14:59)/);
    await checkout.settle();
    await checkout.waitForFocus('You have today’s rate.');
    expect(checkout.spoken()).to.include('You have today’s rate.');
    const [quoteEvent] = checkout.events.filter(({ name }) => name === 'pay-quote');
    expect(quoteEvent?.detail).to.deep.include({ quote: checkout.service.payment.quote });
    await expect(checkout.element).shadowDom.to.be.accessible();
  });

  /** Methods whose payers pay the price in its currency. Each with the button that stays. */
  const unaffected = [
    { name: 'card', methods: ['card'], button: 'Pay €128.40' },
    { name: 'transfer in the price’s currency', methods: ['bank_transfer'], button: 'Show bank details' },
  ] as const;
  for (const { name, methods, button } of unaffected) {
    it(`renews the rate unseen for a ${name}, and notifies the page`, async () => {
      const checkout = await held(60, 0, [...methods]);
      await checkout.waitForButton(button);
      if (name === 'card') await cardFrame(checkout);
      const before = checkout.buttons();
      const { height } = checkout.element.getBoundingClientRect();
      letRateRunOut();
      await checkout.waitFor(/Rate held for (15:00|14:59)/);
      expect(checkout.service.count('POST /quotes')).to.equal(1);
      expect(checkout.buttons()).to.deep.equal(before);
      expect(checkout.text()).not.to.include('today’s rate');
      expect(checkout.spoken()).to.equal('');
      expect(checkout.element.getBoundingClientRect().height).to.equal(height);
      const [quoteEvent] = checkout.events.filter(event => event.name === 'pay-quote');
      expect(quoteEvent?.detail).to.deep.include({ quote: checkout.service.payment.quote });
    });
  }

  it('keeps the typed card and pays at the new rate, also if the rate could not be renewed before', async () => {
    const checkout = await held(60);
    await typeCard(checkout, 'tok_visa');
    await checkout.waitForButton('Pay €128.40');
    checkout.service.refuseNext('POST /quotes', { status: 409, code: 'conflict' });
    letRateRunOut();
    for (let tries = 0; checkout.service.count('POST /quotes') === 0 && tries < 100; tries++) await checkout.settle();
    expect(checkout.alerts()).to.deep.equal([]);
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Paid, thank you');
    expect(checkout.service.count('POST /quotes')).to.equal(2);
    expect(checkout.service.count('POST /confirm')).to.equal(1);
  });

  it('asks before a transfer whose amount changes, and no longer after a change to the price’s currency', async () => {
    const checkout = await held(60, 0, ['bank_transfer']);
    await checkout.waitForButton('Show bank details');
    await checkout.mark('United States');
    letRateRunOut();
    await checkout.waitForButton('Get today’s rate');
    expect(checkout.service.count('POST /quotes')).to.equal(0);
    await checkout.mark('Europe');
    await checkout.waitForButton('Show bank details');
    await checkout.waitFor(/Rate held for (15:00|14:59)/);
    expect(checkout.service.count('POST /quotes')).to.equal(1);
  });

  it('renews no rate in a hidden page, and the ended rate as soon as the page is seen', async () => {
    const checkout = await held(60);
    await checkout.waitForButton('Pay €128.40');
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });
    try {
      letRateRunOut();
      for (let tries = 0; tries < 10; tries++) await checkout.settle();
      expect(checkout.service.count('POST /quotes')).to.equal(0);
    } finally {
      Reflect.deleteProperty(document, 'visibilityState');
    }
    wake();
    await checkout.waitFor(/Rate held for (15:00|14:59)/);
  });

  it('pays by one press when the service reports an expired quote before the clock shows it', async () => {
    const checkout = await held(600);
    await typeCard(checkout, 'tok_visa');
    checkout.service.refuseNext('POST /confirm', { status: 409, code: 'quote_expired', message: 'POST …/quotes' });
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Paid, thank you');
    expect(checkout.service.count('POST /quotes')).to.equal(1);
    expect(checkout.service.count('POST /confirm')).to.equal(2);
  });
});
