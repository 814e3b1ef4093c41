import { expect, fixture, html } from '@open-wc/testing';
import { examplePayment, paidPayment } from './support/example-payment.ts';
import { mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

afterEach(tidyUp);

describe('<pay-checkout> announcing success', () => {
  it('moves the focus to the outcome when the payer is working in the checkout', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_visa');
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Paid, thank you');
    await checkout.settle();
    await checkout.waitForFocus('Paid, thank you');
    expect(checkout.spoken()).to.equal('');
  });

  it('leaves the focus elsewhere on the page, and announces the outcome', async () => {
    const elsewhere = await fixture<HTMLInputElement>(html`<input aria-label="Search" />`);
    const checkout = await mount(serviceOf());
    await checkout.waitForButton('Pay €128.40');
    elsewhere.focus();
    checkout.service.change(paidPayment());
    await checkout.waitFor('Paid, thank you');
    await checkout.settle();
    expect(document.activeElement === elsewhere).to.equal(true);
    expect(checkout.spoken()).to.equal('Paid, thank you');
  });
});

describe('<pay-checkout> reporting to the page', () => {
  it('calls onSuccess with the payment once, also when the service repeats the event', async () => {
    const paid: string[] = [];
    const service = serviceOf();
    const checkout = await mount(service, {
      paymentId: service.payment.id,
      clientSecret: `${service.payment.id}_secret_x1`,
      onSuccess: payment => void paid.push(payment.status),
    });
    await typeCard(checkout, 'tok_visa');
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Paid, thank you');
    service.change({ metadata: {} });
    await checkout.element.refresh();
    await checkout.element.refresh();
    expect(paid).to.deep.equal(['completed']);
  });

  it('reports an authorized card as a change, and the success after the shop has taken the money', async () => {
    const service = serviceOf({ capture_method: 'manual' });
    const checkout = await mount(service);
    await typeCard(checkout, 'tok_visa');
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Your card is authorized');
    await checkout.waitForFocus('Your card is authorized');
    expect([checkout.heard('pay-change') > 0, checkout.heard('pay-success')]).to.deep.equal([true, 0]);
    service.change(paidPayment({ capture_method: 'manual', amount_received: 5000 }));
    await checkout.waitFor('€50.00 to Nordlys Supply');
    expect(checkout.heard('pay-success')).to.equal(1);
  });

  it('does not report it again after a reload', async () => {
    const service = serviceOf(paidPayment());
    const first = await mount(service);
    await first.waitFor('Paid, thank you');
    expect(first.heard('pay-success')).to.equal(1);
    first.element.parentElement?.remove();
    const second = await mount(service);
    await second.waitFor('Paid, thank you');
    expect(second.heard('pay-success')).to.equal(0);
  });

  it('reports it from each of two checkouts of one payment', async () => {
    const service = serviceOf(paidPayment());
    const first = await mount(service);
    const second = await mount(service);
    await first.waitFor('Paid, thank you');
    await second.waitFor('Paid, thank you');
    expect([first.heard('pay-success'), second.heard('pay-success')]).to.deep.equal([1, 1]);
  });

  it('reports it when the browser forbids all storage', async () => {
    const forbidden = {
      get: () => {
        throw new DOMException('denied', 'SecurityError');
      },
      configurable: true,
    };
    const kept = (['localStorage', 'sessionStorage'] as const).map(
      name => [name, Object.getOwnPropertyDescriptor(window, name)] as const,
    );
    for (const [name] of kept) Object.defineProperty(window, name, forbidden);
    try {
      const checkout = await mount(serviceOf());
      await typeCard(checkout, 'tok_visa');
      await checkout.press('Pay €128.40');
      await checkout.waitFor('Paid, thank you');
      expect(checkout.heard('pay-success')).to.equal(1);
    } finally {
      for (const [name, descriptor] of kept) if (descriptor) Object.defineProperty(window, name, descriptor);
    }
  });

  it('continues when the page’s own callback throws', async () => {
    const errors: string[] = [];
    const listen = (event: ErrorEvent) => {
      event.preventDefault();
      errors.push(event.error.message);
    };
    const onerror = window.onerror;
    window.onerror = null;
    window.addEventListener('error', listen);
    const service = serviceOf(paidPayment());
    const checkout = await mount(service, {
      paymentId: service.payment.id,
      clientSecret: 'pay_x_secret_y',
      onSuccess: () => {
        throw new Error('the shop’s mistake');
      },
    });
    await checkout.waitFor('Paid, thank you');
    window.removeEventListener('error', listen);
    window.onerror = onerror;
    expect(errors).to.deep.equal(['the shop’s mistake']);
  });

  const endings = [
    { change: { status: 'failed', phase: 'declined' }, event: 'pay-failure', says: 'This payment could not be made' },
    { change: { status: 'failed', phase: 'canceled' }, event: 'pay-failure', says: 'has canceled this payment' },
    { change: { status: 'failed', phase: 'expired' }, event: 'pay-expire', says: 'This payment has expired' },
    { change: { status: 'completed', phase: 'paid' }, event: 'pay-success', says: 'Paid, thank you' },
  ] as const;
  for (const { change, event, says } of endings) {
    it(`reports a payment that is ${change.phase} by ${event} only, after pay-ready and with pay-change`, async () => {
      const checkout = await mount(serviceOf());
      await checkout.waitForButton('Pay €128.40');
      checkout.service.change(change);
      await checkout.waitFor(says);
      expect(checkout.events.map(({ name }) => name)).to.deep.equal(['pay-ready', 'pay-change', event]);
      expect(checkout.events.at(-1)?.detail).to.include({ id: examplePayment().id, phase: change.phase });
    });
  }
});
