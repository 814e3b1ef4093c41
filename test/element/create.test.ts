import { expect } from '@open-wc/testing';
import { examplePayment, paidPayment } from './support/example-payment.ts';
import { speedUpTimers } from './support/fast-timers.ts';
import { mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

afterEach(tidyUp);

const order = { apiKey: 'pk_test_1', amount: 12_840, currency: 'EUR', settlementAsset: 'USDC' } as const;
const customer = { email: 'jo@example.com', name: 'Jo Long' };

describe('<pay-checkout> creating a payment', () => {
  it('asks for the customer first, shows errors at their fields, and creates nothing before', async () => {
    const checkout = await mount(serviceOf(), order);
    await checkout.waitForButton('Continue');
    expect(checkout.text()).to.include('€128.40 EUR Who is paying?');
    await expect(checkout.element).shadowDom.to.be.accessible();
    await checkout.press('Continue');
    expect(checkout.text()).to.include('Enter your e-mail address.');
    expect(checkout.text()).to.include('Enter your name.');
    const field = checkout.element.shadowRoot?.activeElement;
    expect(field?.getAttribute('aria-invalid')).to.equal('true');
    await expect(checkout.element).shadowDom.to.be.accessible();
    await checkout.type('E-mail', 'jo@example');
    expect(checkout.text()).to.include('Check the address');
    await checkout.type('E-mail', 'jo@example.com');
    expect(checkout.text()).not.to.include('Check the address');
    expect(checkout.service.calls).to.have.length(0);
    await checkout.type('Name', 'Jo Long');
    await checkout.press('Continue');
    await checkout.waitForButton('Pay €128.40');
    await checkout.waitForFocus('Card');
    const [create] = checkout.service.calls;
    expect(create?.body).to.deep.equal({
      amount: 12_840,
      currency: 'EUR',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
      customer,
    });
    expect(create?.headers.get('Authorization')).to.equal('Bearer pk_test_1');
    expect(create?.credentials).to.equal('same-origin');
  });

  it('does not ask when the page names the customer, and pays with the key and the client secret', async () => {
    const checkout = await mount(serviceOf(), { ...order, customerEmail: 'jo@example.com', metadata: { order: 7 } });
    await typeCard(checkout, 'tok_visa');
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Paid, thank you');
    expect(checkout.service.calls[0]?.body['metadata']).to.deep.equal({ order: 7 });
    const confirm = checkout.service.calls.find(({ path }) => path.endsWith('/confirm'));
    expect(confirm?.headers.get('Authorization')).to.equal('Bearer pk_test_1');
    expect(confirm?.headers.get('Pay-Client-Secret')).to.equal('pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_x1');
  });

  it('shows the service’s error, keeps the typed text, and tries again', async () => {
    const checkout = await mount(serviceOf(), order);
    await checkout.waitForButton('Continue');
    checkout.service.refuseNext('POST /payments', {
      status: 403,
      code: 'origin_not_allowed',
      message: 'This shop is not listed.',
    });
    await checkout.type('E-mail', customer.email);
    await checkout.type('Name', customer.name);
    await checkout.press('Continue');
    await checkout.waitFor('The payment could not be started. This checkout is not set up correctly.');
    expect(checkout.events.at(-1)).to.deep.include({ name: 'pay-error' });
    expect(checkout.service.count('POST /payments')).to.equal(1);
    await checkout.press('Continue');
    await checkout.waitForButton('Pay €128.40');
    const keys = checkout.service.calls
      .filter(({ path }) => path.endsWith('/payments'))
      .map(({ headers }) => headers.get('Idempotency-Key'));
    expect(new Set(keys).size).to.equal(2);
  });

  it('uses the same idempotency key until the outcome is known, also after a reload', async () => {
    speedUpTimers();
    const service = serviceOf();
    for (let time = 0; time < 4; time++) service.refuseNext('POST /payments', null);
    const first = await mount(service, { ...order, customer });
    await first.waitFor('The payment service does not answer.');
    first.element.remove();
    const second = await mount(service, { ...order, customer });
    await second.waitForButton('Pay €128.40');
    const keys = service.calls
      .filter(({ path }) => path.endsWith('/payments'))
      .map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys).to.have.length(5);
    expect(new Set(keys).size).to.equal(1);
  });

  it('opens a payment by one call without own headers, for which browsers send no preflight request', async () => {
    const { id } = examplePayment();
    const access = { apiKey: 'pk_test_1', paymentId: id, clientSecret: `${id}_secret_x1` };
    const checkout = await mount(serviceOf(), access);
    await checkout.waitForButton('Pay €128.40');
    const [open, ...others] = checkout.service.calls;
    expect(open?.path).to.equal('/v1/checkout/open');
    expect([...(open?.headers.keys() ?? [])]).to.deep.equal([]);
    expect(open?.body).to.deep.equal({ api_key: 'pk_test_1', payment: id, client_secret: access.clientSecret });
    expect(others.filter(({ path }) => !path.endsWith('/stream'))).to.deep.equal([]);
  });

  it('creates no second payment when its options could not be read, and never shows the secret', async () => {
    const service = serviceOf();
    service.refuseNext('POST /open', { status: 409, code: 'illegal_state', message: 'Not now.' });
    const checkout = await mount(service, { ...order, customer });
    await checkout.waitFor('The payment could not be opened. Not now.');
    await checkout.press('Try again');
    await checkout.waitForButton('Pay €128.40');
    expect(service.count('POST /payments')).to.equal(1);
    expect(JSON.stringify(checkout.events)).not.to.include('_secret_');
  });

  it('asks once from a page that may not use the key, tells the developer why and the payer calmly', async () => {
    const service = serviceOf();
    const message = 'Pages of https://shop.example may not take payments for this account.';
    service.refuseNext('POST /open', { status: 403, code: 'origin_not_allowed', message });
    const checkout = await mount(service);
    await checkout.waitFor('The payment could not be opened. This checkout is not set up correctly.');
    expect(checkout.events).to.have.length(1);
    expect(checkout.events[0]?.detail).to.include({ code: 'origin_not_allowed', message });
    await checkout.settle();
    expect(service.calls).to.have.length(1);
  });

  it('continues the same payment after a reload', async () => {
    const service = serviceOf();
    const first = await mount(service, { ...order, customer });
    await first.waitForButton('Pay €128.40');
    first.element.remove();
    const second = await mount(service, { ...order, customer });
    await second.waitForButton('Pay €128.40');
    expect(service.count('POST /payments')).to.equal(1);
  });

  it('creates a new payment when the earlier one failed', async () => {
    const service = serviceOf();
    const first = await mount(service, { ...order, customer });
    await first.waitForButton('Pay €128.40');
    service.change({ status: 'failed', phase: 'expired' });
    await first.waitFor('This payment has expired');
    first.element.remove();
    await mount(service, { ...order, customer });
    for (let tries = 0; tries < 100 && service.count('POST /payments') < 2; tries++) await first.settle();
    expect(service.count('POST /payments')).to.equal(2);
  });

  /** Replaces the browser's storages by ones that throw until the returned function is called. */
  function forbidStorage(): () => void {
    const names = ['localStorage', 'sessionStorage'] as const;
    const kept = names.map(name => [name, Object.getOwnPropertyDescriptor(window, name) ?? {}] as const);
    const get = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    for (const name of names) Object.defineProperty(window, name, { get, configurable: true });
    return () => {
      for (const [name, descriptor] of kept) Object.defineProperty(window, name, descriptor);
    };
  }

  for (const storage of ['usable', 'forbidden']) {
    it(`shows a paid payment that the page draws again, and reports it once (${storage} storage)`, async () => {
      const allow = storage === 'forbidden' ? forbidStorage() : () => {};
      try {
        const service = serviceOf();
        const other = await mount(service, { ...order, mode: 'popup' });
        const first = await mount(service, { ...order, customer });
        await first.waitForButton('Pay €128.40');
        service.change(paidPayment());
        await first.waitFor('Paid, thank you');
        expect(first.heard('pay-success')).to.equal(1);
        const created = service.count('POST /payments');
        first.element.remove();
        other.element.remove();
        const second = await mount(service, { ...order, customer });
        await second.waitFor('Paid, thank you');
        expect([second.heard('pay-success'), service.count('POST /payments')]).to.deep.equal([0, created]);
        second.element.restart();
        for (let tries = 0; tries < 100 && service.count('POST /payments') === created; tries++) await second.settle();
        expect(service.count('POST /payments')).to.equal(created + 1);
      } finally {
        allow();
      }
    });
  }

  it('creates a payment for each of two equal checkouts on the page, and each continues its own', async () => {
    const service = serviceOf();
    const keys = () =>
      service.calls
        .filter(({ path }) => path.endsWith('/payments'))
        .map(({ headers }) => headers.get('Idempotency-Key'));
    const [first, second] = [
      await mount(service, { ...order, customer }),
      await mount(service, { ...order, customer }),
    ];
    await first.waitForButton('Pay €128.40');
    await second.waitForButton('Pay €128.40');
    expect(new Set(keys()).size).to.equal(2);
    for (const { element } of [first, second]) {
      const place = element.parentElement;
      element.remove();
      place?.append(element);
    }
    second.element.remove();
    const third = await mount(service, { ...order, customer });
    await third.waitForButton('Pay €128.40');
    await first.waitForButton('Pay €128.40');
    expect(keys()).to.have.length(2);
  });

  it('starts again when the amount changes', async () => {
    const service = serviceOf();
    const checkout = await mount(service, { ...order, customer });
    await checkout.waitForButton('Pay €128.40');
    checkout.element.amount = 500;
    for (let tries = 0; tries < 100 && service.count('POST /open') < 2; tries++) await checkout.settle();
    expect(
      service.calls.filter(({ path }) => path.endsWith('/payments')).map(({ body }) => body['amount']),
    ).to.deep.equal([12_840, 500]);
  });

  it('uses the shop’s proxy without a key, with the shop’s cookies', async () => {
    const checkout = await mount(serviceOf(), { proxyUrl: '/shop/pay/', customer });
    await checkout.waitForButton('Pay €128.40');
    const [create] = checkout.service.calls;
    expect(create?.path).to.equal('/shop/pay/v1/payments');
    expect(create?.credentials).to.equal('include');
    for (const { headers, path } of checkout.service.calls) expect(headers.get('Authorization'), path).to.equal(null);
    const open = checkout.service.calls.find(({ path }) => path === '/shop/pay/v1/checkout/open');
    expect(open?.headers.get('Pay-Client-Secret')).to.contain('_secret_');
    expect(open?.headers.get('Content-Type')).to.equal('application/json');
  });

  const mistakes = [
    {
      name: 'a secret key',
      properties: { ...order, apiKey: 'sk_test_1' },
      says: 'A secret key is in this page',
      code: 'secret_key_refused',
    },
    {
      name: 'a restricted key',
      properties: { ...order, apiKey: ' rk_live_1' },
      says: 'A secret key is in this page',
      code: 'secret_key_refused',
    },
    {
      name: 'a payment without its secret',
      properties: { paymentId: 'pay_1' },
      says: 'Set payment-id with client-secret',
      code: 'configuration_missing',
    },
    {
      name: 'nothing at all',
      properties: {},
      says: 'Set payment-id with client-secret',
      code: 'configuration_missing',
    },
    {
      name: 'an element without the address of the service',
      properties: { ...order, customer, baseUrl: undefined },
      says: 'Set base-url',
      code: 'base_url_missing',
    },
  ];
  for (const { name, properties, says, code } of mistakes) {
    it(`refuses ${name} with an error and calls no service`, async () => {
      const logged: string[] = [];
      const log = console.error;
      console.error = (text: string) => logged.push(text);
      const checkout = await mount(serviceOf(), properties);
      await checkout.waitFor('This checkout is not set up correctly.');
      console.error = log;
      expect(checkout.alerts()).to.have.length(1);
      expect(logged.join()).to.include(`${code}: ${says}`);
      expect(checkout.events.map(event => event.name)).to.deep.equal(['pay-error']);
      expect(checkout.service.calls).to.have.length(0);
    });
  }

  const refusals = [
    {
      refusal: { status: 401, code: 'invalid_api_key', message: 'There is no such API key.' },
      developer: 'There is no such API key. Check api-key and base-url',
    },
    {
      refusal: {
        status: 400,
        code: 'invalid_currency',
        param: 'currency',
        message: 'currency must have 3 characters.',
      },
      developer: 'currency must have 3 characters.',
    },
    {
      refusal: {
        status: 400,
        code: 'parameter_invalid',
        param: 'payment_methods[1]',
        message: 'payment_methods[1] must be one of "card".',
      },
      developer: 'payment_methods[1] must be one of "card".',
    },
    {
      refusal: { status: 400, code: 'invalid_email', param: 'customer.email', message: 'Check the e-mail address.' },
      payer: 'Check the e-mail address.',
    },
    {
      refusal: { status: 409, code: 'illegal_state', message: 'The shop is closed.' },
      payer: 'The shop is closed.',
    },
  ];
  for (const { refusal, developer, payer } of refusals) {
    it(`tells the ${developer ? 'developer' : 'payer'} what is wrong after ${refusal.code}: ${refusal.message}`, async () => {
      const logged: string[] = [];
      const log = console.error;
      console.error = (text: string) => logged.push(text);
      const service = serviceOf();
      service.refuseNext('POST /payments', refusal);
      const checkout = await mount(service, { ...order, customer });
      await checkout.waitFor(payer ?? 'This checkout is not set up correctly.');
      console.error = log;
      expect(logged).to.have.length(developer ? 1 : 0);
      if (!developer) return;
      expect(checkout.text()).not.to.include(developer);
      expect(logged[0]).to.include(`<pay-checkout> ${refusal.code}: ${developer}`);
      expect(logged[0]).to.include(location.origin);
    });
  }

  it('opens a payment after a press on “try again”', async () => {
    const service = serviceOf();
    service.refuseNext('POST /open', {
      status: 403,
      code: 'client_secret_mismatch',
      message: 'This secret opens another payment.',
    });
    const checkout = await mount(service);
    await checkout.waitFor('The payment could not be opened. This checkout is not set up correctly.');
    await checkout.press('Try again');
    await checkout.waitForButton('Pay €128.40');
  });
});
