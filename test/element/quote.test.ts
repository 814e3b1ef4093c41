import { expect } from '@open-wc/testing';
import type { PaymentMethod } from '../../src/api/payment.ts';
import { examplePayment, exampleQuote } from './support/example-payment.ts';
import { offerCrypto } from './support/fake-service.ts';
import { type Mounted, mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

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

  it('is discreet until a quarter of the time is left, then prominent', async () => {
    const calm = await held(300);
    await calm.waitFor(/Rate held/);
    expect(color(calm)).to.equal('rgb(76, 86, 101)');
    const firm = await held(200);
    await firm.waitFor(/Rate held/);
    expect(color(firm)).to.equal('rgb(138, 83, 0)');
  });

  it('counts the quote’s own duration, also in an older payment', async () => {
    const payment = examplePayment({ created_at: new RealDate(RealDate.now() - day / 2).toISOString() });
    const checkout = await mount(serviceOf(payment));
    await checkout.waitFor(/Rate held/);
    expect(color(checkout)).to.equal('rgb(76, 86, 101)');
  });

  it('announces the last minute and the end, and nothing in between', async () => {
    const checkout = await held(70);
    await checkout.waitFor(/Rate held for 01:(10|09)/);
    // The countdown announces the last minute only if it has shown more than a minute before.
    wake();
    await checkout.settle();
    expect(checkout.spoken()).to.equal('');
    shiftDeviceClock(12_000);
    wake();
    await checkout.settle();
    expect(checkout.spoken()).to.equal('One minute left at this rate.');
    shiftDeviceClock(75_000);
    checkout.service.clockAheadMs = 0;
    wake();
    await checkout.waitForButton('Get today’s rate');
    expect(checkout.spoken()).to.include('The rate we held for you has run out.');
  });

  it('shows the same second in all checkouts of a page', async () => {
    const first = await held(600);
    const second = await mount(first.service);
    await second.waitFor(/Rate held for/);
    for (let shift = 0; shift < 8; shift++) {
      shiftDeviceClock(shift * 1000);
      wake();
      await first.settle();
      const seconds = [first, second].map(checkout => /\d\d:\d\d/.exec(checkout.text())?.[0]);
      expect(seconds[0]).to.equal(seconds[1]);
    }
  });

  it('gets a new rate by a press on the note, shows the old one too, and notifies the page', async () => {
    const checkout = await held(60, 0, ['crypto', 'card']);
    letRateRunOut();
    await checkout.waitForButton('Get today’s rate');
    expect(checkout.buttons()).to.deep.equal(['Get today’s rate']);
    await checkout.waitFor('What do you want to pay with?');
    const [button, choices] = ['.main', '.coins'].map(part =>
      checkout.element.shadowRoot?.querySelector<HTMLElement>(part),
    );
    expect(button?.getBoundingClientRect().bottom).to.be.below(choices?.getBoundingClientRect().top ?? 0);
    button?.focus();
    await checkout.press('Get today’s rate');
    await checkout.waitFor('You have today’s rate. You pay the same: €128.40.');
    expect(checkout.text()).to.include('€128.40 was 139.214 USDC');
    expect(checkout.text()).to.include('€128.40 is now 139.48 USDC');
    await checkout.waitFor(/Rate held for (15:00|14:59)/);
    await checkout.settle();
    expect(checkout.focused()).to.include('You have today’s rate.');
    expect(checkout.spoken()).to.include('You have today’s rate.');
    const [quoteEvent] = checkout.events.filter(({ name }) => name === 'pay-quote');
    expect(quoteEvent?.detail).to.deep.include({ quote: checkout.service.payment.quote });
    await expect(checkout.element).shadowDom.to.be.accessible();
  });

  it('gets a new rate by a press, keeps the typed text, and pays at it', async () => {
    const checkout = await held(60);
    await typeCard(checkout, 'tok_visa');
    letRateRunOut();
    await checkout.waitForButton('Get today’s rate');
    expect(checkout.buttons()).not.to.include('Pay €128.40');
    await checkout.press('Get today’s rate');
    await checkout.waitFor('You have today’s rate. You pay the same: €128.40.');
    expect(checkout.text()).to.include('€128.40 was 139.214 USDC');
    expect(checkout.text()).to.include('€128.40 is now 139.48 USDC');
    await checkout.waitFor(/Rate held for (15:00|14:59)/);
    const [quoteEvent] = checkout.events.filter(({ name }) => name === 'pay-quote');
    expect(quoteEvent?.detail).to.deep.include({ quote: checkout.service.payment.quote });
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Paid, thank you');
  });

  it('accepts the service’s report of an expired quote before the clock shows it', async () => {
    const checkout = await held(600);
    await typeCard(checkout, 'tok_visa');
    checkout.service.refuseNext('POST /confirm', { status: 409, code: 'quote_expired', message: 'POST …/quotes' });
    await checkout.press('Pay €128.40');
    await checkout.waitForButton('Get today’s rate');
    expect(checkout.text()).not.to.include('POST');
    await checkout.press('Get today’s rate');
    await checkout.waitForButton('Pay €128.40');
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Paid, thank you');
    expect(checkout.service.count('POST /quotes')).to.equal(1);
  });
});
