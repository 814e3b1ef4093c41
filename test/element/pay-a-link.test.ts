import { expect } from '@open-wc/testing';
import type { PublicPaymentLink } from '../../src/api/link.ts';
import { examplePayment, paidPayment } from './support/example-payment.ts';
import type { FakeService } from './support/fake-service.ts';
import { speedUpTimers } from './support/fast-timers.ts';
import { mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

afterEach(tidyUp);

const id = 'plink_3kTMd0PpC1hJ6nLq2uXs9B';
const link = { link: id } as const;
const customer = { email: 'jo@example.com', name: 'Jo Long' };

function serviceWith(changes: Partial<PublicPaymentLink> = {}): FakeService {
  const service = serviceOf();
  service.link = {
    id,
    object: 'payment_link',
    url: `https://pay.example/l/${id.slice(6)}`,
    state: 'open',
    amount: 12_840,
    currency: 'EUR',
    amount_total: null,
    choices: [],
    description: 'Two of everything',
    reference: null,
    line_items: [],
    starts_at: null,
    expires_at: null,
    locale: null,
    merchant: examplePayment().merchant as NonNullable<PublicPaymentLink['merchant']>,
    livemode: false,
    ...changes,
  };
  return service;
}

const choice = { currency: 'EUR', min: 500, max: 50_000, preset: 2_000, presets: [1_000, 2_000] };
const dollars = { currency: 'USD', min: 550, max: 55_000, preset: 2_200, presets: [] };

describe('<pay-checkout link>', () => {
  it('shows merchant and amount, asks for the customer, and pays without a key', async () => {
    const checkout = await mount(serviceWith(), link);
    await checkout.waitForButton('Continue');
    expect(checkout.text()).to.include('Two of everything');
    expect(checkout.text()).to.include('€128.40 EUR Who is paying?');
    await expect(checkout.element).shadowDom.to.be.accessible();
    await checkout.type('E-mail', customer.email);
    await checkout.type('Name', customer.name);
    await checkout.press('Continue');
    await checkout.waitForButton('Pay €128.40');
    const made = checkout.service.calls.find(({ method }) => method === 'POST');
    expect(made?.path).to.equal(`/v1/payment-links/${id}/payments`);
    expect(made?.body).to.deep.equal({ customer });
    expect(made?.headers.has('Authorization')).to.equal(false);
    expect(made?.headers.get('Idempotency-Key')).to.match(/\d/);
    await typeCard(checkout, 'tok_visa');
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Paid, thank you');
    const confirmed = checkout.service.calls.find(({ path }) => path.endsWith('/confirm'));
    expect(confirmed?.headers.get('Authorization')).to.equal('Bearer pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_x1');
    expect(checkout.heard('pay-success')).to.equal(1);
  });

  it('asks nothing when the page names the customer and the amount is fixed', async () => {
    const checkout = await mount(serviceWith(), { ...link, customer });
    await checkout.waitForButton('Pay €128.40');
    expect(checkout.service.count('POST /payments')).to.equal(1);
  });

  it('lets the payer choose a suggested amount, or type one', async () => {
    const checkout = await mount(serviceWith({ amount: null, choices: [choice, dollars] }), { ...link, customer });
    await checkout.waitForButton('Continue');
    expect(checkout.text()).to.include('How much do you want to pay?');
    expect(checkout.text()).to.include('Between €5.00 and €500.00');
    await expect(checkout.element).shadowDom.to.be.accessible();
    await checkout.press('€10.00');
    await checkout.press('Continue');
    await checkout.waitForButton('Pay €10.00');
    const made = checkout.service.calls.find(({ method }) => method === 'POST');
    expect(made?.body).to.deep.equal({ customer, amount: 1_000, currency: 'EUR' });
  });

  const wrong: readonly [typed: string, said: string][] = [
    ['', 'Enter an amount.'],
    ['a lot', 'Enter an amount of EUR, like 20.00.'],
    ['12.345', 'Enter an amount of EUR, like 20.00.'],
    ['4.99', 'Between €5.00 and €500.00'],
    ['500.01', 'Between €5.00 and €500.00'],
    ['0', 'Enter an amount of EUR, like 20.00.'],
  ];
  for (const [typed, said] of wrong) {
    it(`does not accept “${typed}” as an amount`, async () => {
      const checkout = await mount(serviceWith({ amount: null, choices: [choice] }), { ...link, customer });
      await checkout.waitForButton('Continue');
      await checkout.type('Amount', typed);
      await checkout.press('Continue');
      expect(checkout.text()).to.include(said);
      expect(checkout.element.shadowRoot?.activeElement?.getAttribute('aria-invalid')).to.equal('true');
      expect(checkout.service.count('POST /payments')).to.equal(0);
    });
  }

  it('shows the current limits after a rate change', async () => {
    const service = serviceWith({ amount: null, choices: [choice, dollars] });
    const checkout = await mount(service, { ...link, customer });
    await checkout.waitForButton('Continue');
    await checkout.type('Amount', '5.00');
    service.link = { ...(service.link as PublicPaymentLink), choices: [{ ...choice, min: 510 }, dollars] };
    const message = 'The least is 5.10 EUR, the most 500.00 EUR.';
    service.refuseNext(`POST /${id}/payments`, { status: 400, code: 'amount_out_of_range', param: 'amount', message });
    await checkout.press('Continue');
    await checkout.waitFor('Between €5.10 and €500.00');
    expect(checkout.text()).to.include(message);
    await checkout.type('Amount', '5.10');
    await checkout.press('Continue');
    await checkout.waitForButton('Pay €5.10');
  });

  const closed: readonly [PublicPaymentLink['state'], string][] = [
    ['used', 'This link has been paid. If that was you'],
    ['expired', 'This link has expired.'],
    ['disabled', 'This link cannot be paid just now.'],
    ['not_started', 'This link cannot be paid yet. Come back when it has begun: January 1, 2099'],
  ];
  for (const [state, said] of closed) {
    it(`says that a link is ${state}, and whom to contact`, async () => {
      const checkout = await mount(serviceWith({ state, starts_at: '2099-01-01T12:00:00Z' }), link);
      await checkout.waitFor(said);
      expect(checkout.buttons()).not.to.include('Continue');
      await expect(checkout.element).shadowDom.to.be.accessible();
    });
  }

  it('shows the start date in the calendar of the page, not in that of the locale', async () => {
    const service = serviceWith({ state: 'not_started', starts_at: '2099-06-01T12:00:00Z' });
    const checkout = await mount(service, { ...link, locale: 'th-TH' });
    await checkout.waitFor('2099');
  });

  it('says so when the link is used up while the payer types', async () => {
    const service = serviceWith();
    const checkout = await mount(service, link);
    await checkout.waitForButton('Continue');
    service.link = { ...(service.link as PublicPaymentLink), state: 'used' };
    await checkout.type('E-mail', customer.email);
    await checkout.type('Name', customer.name);
    await checkout.press('Continue');
    await checkout.waitFor('This link has been paid.');
    expect(checkout.heard('pay-ready')).to.equal(0);
  });

  it('tells a payer who was too late, and says that the money is refunded', async () => {
    const service = serviceWith();
    const checkout = await mount(service, { ...link, customer });
    await checkout.waitForButton('Pay €128.40');
    const failure = { code: 'link_used', message: 'Someone else has already paid this.' };
    service.change({ status: 'failed', phase: 'canceled', failure });
    await checkout.waitFor('Someone else has already paid this');
    service.change({ amount_received: 12_840, exception: 'paid_late' });
    await checkout.element.refresh();
    await checkout.waitFor('€128.40 goes back to you.');
    service.change({ amount_received: 5_000, exception: 'underpaid' });
    await checkout.element.refresh();
    await checkout.waitFor('€50.00 goes back to you.');
  });

  it('shows the success message of the link', async () => {
    const service = serviceWith();
    const checkout = await mount(service, { ...link, customer });
    await checkout.waitForButton('Pay €128.40');
    service.words = 'It ships tomorrow.';
    service.change({ ...paidPayment(), payment_link: id });
    await checkout.waitFor('It ships tomorrow.');
  });

  it('says that the link does not exist', async () => {
    const checkout = await mount(serviceOf(), link);
    await checkout.waitFor('This link does not exist.');
  });

  it('offers to try again when the service does not answer', async () => {
    speedUpTimers();
    const service = serviceWith();
    service.offline = true;
    const checkout = await mount(service, link);
    await checkout.waitFor('The payment service does not answer.');
    service.offline = false;
    await checkout.press('Try again');
    await checkout.waitForButton('Continue');
  });

  it('continues its payment after a reload', async () => {
    const service = serviceWith();
    const first = await mount(service, { ...link, customer });
    await first.waitForButton('Pay €128.40');
    first.element.remove();
    const second = await mount(service, { ...link, customer });
    await second.waitForButton('Pay €128.40');
    expect(service.count('POST /payments')).to.equal(1);
  });
});
