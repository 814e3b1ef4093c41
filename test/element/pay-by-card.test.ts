import { expect, waitUntil } from '@open-wc/testing';
import { walletReply } from '../../src/api/card-frame.ts';
import { exampleOptions, paidPayment } from './support/example-payment.ts';
import { restoreTimers, speedUpTimers } from './support/fast-timers.ts';
import { cardFrame, mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

afterEach(tidyUp);

const pay = 'Pay €128.40';

describe('<pay-checkout> paying by card', () => {
  it('sends the token of the frame, and shows success when the service reports completion', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_visa');
    await checkout.press(pay);
    await checkout.waitFor('Paid, thank you');
    await checkout.waitFor('Card · Visa •••• 4242');
    const [confirm] = checkout.service.calls.filter(({ path }) => path.endsWith('/confirm'));
    expect(confirm?.body).to.deep.equal({ method: 'card', token: 'tok_visa' });
    expect(confirm?.headers.get('Idempotency-Key')).to.have.length.above(20);
    expect(confirm?.headers.get('Authorization')).to.equal('Bearer pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_x1');
    expect(checkout.heard('pay-success')).to.equal(1);
    expect(Boolean(checkout.element.querySelector('iframe'))).to.equal(false);
  });

  it('shows the marks of the accepted cards after the fields, without moving anything', async () => {
    const service = serviceOf();
    service.options.card?.brands.push('unheard-of');
    const checkout = await mount(service);
    await cardFrame(checkout);
    const height = checkout.element.getBoundingClientRect().height;
    const marks = () => checkout.element.shadowRoot?.querySelector<HTMLElement>('.marks');
    await waitUntil(marks, 'no marks', { timeout: 15_000 });
    expect(marks()?.getAttribute('aria-label')).to.equal('Visa, Mastercard, American Express');
    expect(marks()?.querySelectorAll('svg').length).to.equal(3);
    expect(checkout.element.getBoundingClientRect().height).to.equal(height);
    await expect(checkout.element).to.be.accessible();
  });

  it('sends one confirm for many presses', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_visa');
    await Promise.all([
      checkout.press(pay),
      checkout.press(pay),
      checkout.element.confirm(),
      checkout.element.confirm(),
    ]);
    await checkout.waitFor('Paid, thank you');
    expect(checkout.service.count('POST /confirm')).to.equal(1);
  });

  it('accepts Enter in the frame as a press', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_visa');
    const frame = await cardFrame(checkout);
    frame.document.querySelector('input')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    await checkout.waitFor('Paid, thank you');
    expect(checkout.service.count('POST /confirm')).to.equal(1);
  });

  it('locks the card fields during the charge', async () => {
    const checkout = await mount(serviceOf());
    const release = checkout.service.hold('POST /confirm');
    await typeCard(checkout, 'tok_visa');
    await checkout.press(pay);
    const { document } = await cardFrame(checkout);
    const field = document.querySelector('input');
    for (let tries = 0; !field?.readOnly && tries < 50; tries++) await checkout.settle();
    expect(field?.readOnly).to.equal(true);
    expect(checkout.text()).to.include(pay);
    release();
    await checkout.waitFor('Paid, thank you');
  });

  it('keeps the layout while an answer is pending', async () => {
    const checkout = await mount(serviceOf());
    const release = checkout.service.holdAnswer('POST /confirm');
    await typeCard(checkout, 'tok_declined');
    const tops = () =>
      ['.tabs', '.panel', '.main'].map(
        part => checkout.element.shadowRoot?.querySelector(part)?.getBoundingClientRect().top,
      );
    const before = tops();
    await checkout.press(pay);
    checkout.service.change({ phase: 'processing', method: 'card' });
    await checkout.settle();
    await checkout.settle();
    expect(tops()).to.deep.equal(before);
    expect(checkout.text()).to.include('Rate held for');
    checkout.service.change({ phase: 'awaiting_payer', method: null });
    release();
    await checkout.waitFor('Your bank declined the card.');
  });

  it('names the invalid fields that the frame reports, and calls no service', async () => {
    const checkout = await mount(serviceOf());
    await cardFrame(checkout);
    await checkout.press(pay);
    await checkout.settle();
    expect(checkout.spoken()).to.equal('Check these fields: card number');
    expect(checkout.service.count('POST /confirm')).to.equal(0);
  });

  it('pays with the token of a wallet in the frame, and shows an error of the wallet', async () => {
    const checkout = await mount(serviceOf());
    const { connected } = await cardFrame(checkout);
    const say = (reply: object) => connected?.port.postMessage({ id: walletReply, ...reply });
    say({ type: 'error', code: 'invalid_token', message: 'The wallet could not be read.' });
    await checkout.waitFor('The wallet could not be read.');
    expect(checkout.service.count('POST /confirm')).to.equal(0);
    say({ type: 'token', token: 'tok_visa', brand: 'visa', last4: '4242' });
    await checkout.waitFor('Paid, thank you');
    const [confirm] = checkout.service.calls.filter(({ path }) => path.endsWith('/confirm'));
    expect(confirm?.body).to.deep.equal({ method: 'card', token: 'tok_visa' });
  });

  it('shows an error of the frame and accepts the next try', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'error');
    await checkout.press(pay);
    await checkout.waitFor('The card could not be checked.');
    expect(checkout.alerts()).to.deep.equal(['The card could not be checked.']);
    await typeCard(checkout, 'tok_visa');
    await checkout.press(pay);
    await checkout.waitFor('Paid, thank you');
  });

  it('shows the reason of a decline, and accepts another card with a new idempotency key', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_declined');
    await checkout.press(pay);
    await checkout.waitFor('Your bank declined the card.');
    expect(checkout.alerts()).to.have.length(1);
    expect(checkout.heard('pay-error')).to.equal(1);
    await typeCard(checkout, 'tok_visa');
    await checkout.press(pay);
    await checkout.waitFor('Paid, thank you');
    const keys = checkout.service.calls
      .filter(({ path }) => path.endsWith('/confirm'))
      .map(({ headers }) => headers.get('Idempotency-Key'));
    expect(new Set(keys).size).to.equal(2);
  });

  it('repeats a confirm without an answer with the same key', async () => {
    speedUpTimers();
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_visa');
    checkout.service.refuseNext('POST /confirm', null);
    checkout.service.refuseNext('POST /confirm', { status: 503, code: 'unavailable' });
    await checkout.press(pay);
    await checkout.waitFor('Paid, thank you');
    const keys = checkout.service.calls
      .filter(({ path }) => path.endsWith('/confirm'))
      .map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys).to.have.length(3);
    expect(new Set(keys).size).to.equal(1);
    expect(checkout.heard('pay-success')).to.equal(1);
  });

  it('shows the bank’s page in a dialog, and continues automatically after the bank’s answer', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_3ds');
    await checkout.press(pay);
    await checkout.waitFor('Confirm with your bank');
    const dialog = checkout.element.shadowRoot?.querySelector('dialog');
    expect(dialog?.matches(':modal')).to.equal(true);
    const frame = dialog?.querySelector('iframe');
    expect(frame?.src).to.match(/\/fake-bank-page\.html$/);
    checkout.service.change(paidPayment());
    await checkout.waitFor('Paid, thank you');
    expect(Boolean(checkout.element.shadowRoot?.querySelector('dialog'))).to.equal(false);
  });

  for (const { page, url, rules } of [
    {
      page: 'a bank',
      url: 'https://bank.example/3ds',
      rules: 'allow-scripts allow-forms allow-same-origin allow-popups',
    },
    { page: 'the service itself', url: `${location.origin}/test/element/support/fake-bank-page.html`, rules: null },
  ]) {
    it(`frames a page of ${page} ${rules ? 'with a sandbox that prevents it from navigating the shop’s page' : 'without a sandbox'}`, async () => {
      const payment = { phase: 'requires_action', method: 'card', next_action: { type: 'redirect', url } } as const;
      const checkout = await mount(serviceOf(payment));
      await checkout.waitForButton('Continue to your bank');
      await checkout.press('Continue to your bank');
      await checkout.waitFor('Confirm with your bank');
      const frame = checkout.element.shadowRoot?.querySelector('dialog iframe');
      expect(frame?.getAttribute('src')).to.equal(url);
      expect(frame?.getAttribute('sandbox') ?? null).to.equal(rules);
    });
  }

  it('lets the payer close the bank’s page, open it again, or use another card', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_3ds');
    await checkout.press(pay);
    await checkout.waitFor('Confirm with your bank');
    await checkout.press('Close');
    await checkout.waitForButton('Continue to your bank');
    await checkout.waitForFocus('Continue to your bank');
    await checkout.press('Continue to your bank');
    await checkout.waitFor('Confirm with your bank');
    await checkout.press('Close');
    await checkout.press('Use another card');
    await checkout.waitForButton(pay);
    const { document } = await cardFrame(checkout);
    expect(document.querySelector('input')?.value).to.equal('');
    await typeCard(checkout, 'tok_visa');
    await checkout.press(pay);
    await checkout.waitFor('Paid, thank you');
  });

  it('opens only http or https bank pages', async () => {
    const url = 'javascript:parent.hacked=1';
    const payment = { phase: 'requires_action', method: 'card', next_action: { type: 'redirect', url } } as const;
    const checkout = await mount(serviceOf(payment));
    await checkout.waitForButton('Continue to your bank');
    await checkout.press('Continue to your bank');
    await waitUntil(() => checkout.alerts().join().includes('cannot be opened'));
    expect(Boolean(checkout.element.shadowRoot?.querySelector('dialog iframe'))).to.equal(false);
  });
});

describe('<pay-checkout> and its card frame', () => {
  it('puts the frame into light DOM, with a title, the exact origin and its own session', async () => {
    const checkout = await mount(serviceOf());
    const { connected } = await cardFrame(checkout);
    const frame = checkout.element.querySelector('iframe');
    expect(frame?.slot).to.equal('card');
    expect(frame?.title).to.include('Card details');
    expect(frame?.allow).to.equal('payment');
    expect(frame?.src).to.include(`parent=${encodeURIComponent(location.origin)}`);
    expect(connected?.hello.session).to.have.length.at.least(22);
    expect(connected?.hello.brands).to.deep.equal(['visa', 'mastercard', 'amex']);
    expect(connected?.hello.appearance).to.include({
      scheme: 'light',
      ink: 'rgb(16, 21, 29)',
      fieldRadius: '10px',
      fontSize: '16px',
    });
  });

  it('accepts messages only from its own port', async () => {
    const checkout = await mount(serviceOf());
    const frame = await cardFrame(checkout);
    const session = frame.connected?.hello.session;
    for (const data of [
      { type: 'success' },
      { type: 'token', id: '1', token: 'tok_visa', brand: 'visa', last4: '4242' },
      { type: 'pay-card:token', session, token: 'tok_visa' },
      { type: 'submit-request', session },
    ]) {
      window.postMessage(data, location.origin);
      (frame as Window).parent.postMessage(data, location.origin);
      frame.connected?.port.postMessage({ ...data, type: data.type === 'submit-request' ? 'nothing' : data.type });
    }
    await new Promise(done => setTimeout(done, 100));
    expect(checkout.service.count('POST /confirm')).to.equal(0);
    expect(checkout.heard('pay-success')).to.equal(0);
    expect(checkout.text()).to.include(pay);
  });

  it('hides a frame that does not answer, says so after a press on Pay, and offers to load it again', async () => {
    speedUpTimers();
    const service = serviceOf();
    service.options = exampleOptions(12_840, `${location.origin}/test/element/support/fake-bank-page.html`);
    const checkout = await mount(service);
    await checkout.waitForButton(pay);
    const frame = checkout.element.querySelector('iframe') as HTMLIFrameElement;
    expect(getComputedStyle(frame).visibility).to.equal('hidden');
    await checkout.press(pay);
    await checkout.waitFor('The card fields are still loading. One moment, then press Pay.');
    await checkout.waitForButton('Load the card fields again');
    restoreTimers();
    expect(checkout.text()).not.to.include('still loading');
    service.options = exampleOptions();
    await checkout.press(pay);
    await checkout.waitFor(pay);
    expect(checkout.buttons()).not.to.include('Load the card fields again');
    expect(checkout.element.querySelector('iframe')).not.to.equal(frame);
  });

  it('notifies the frame when the page becomes dark', async () => {
    const checkout = await mount(serviceOf());
    const { connected } = await cardFrame(checkout);
    checkout.element.theme = 'dark';
    for (let tries = 0; tries < 50 && !connected?.requests.some(isDark); tries++) await checkout.settle();
    expect(connected?.requests.some(isDark)).to.equal(true);
  });

  it('loads the frame once, also when the options are read again', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_visa');
    checkout.service.change({ amount_received: 8000, phase: 'partially_paid' });
    await checkout.waitForButton('Pay €48.40');
    const { document } = await cardFrame(checkout);
    expect(document.querySelector('input')?.value).to.equal('tok_visa');
  });
});

function isDark(request: { type: string; appearance?: { scheme: string } }): boolean {
  return request.type === 'appearance' && request.appearance?.scheme === 'dark';
}
