import { expect } from '@open-wc/testing';
import { exampleInstructions } from './support/example-payment.ts';
import { speedUpTimers } from './support/fast-timers.ts';
import { type Mounted, mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

afterEach(tidyUp);

async function bankTab(): Promise<Mounted> {
  const checkout = await mount(serviceOf());
  await checkout.waitForButton('Pay €128.40');
  await checkout.chooseTab('Bank');
  await checkout.waitForButton('Show bank details');
  return checkout;
}

describe('<pay-checkout> paying by bank transfer', () => {
  it('offers the kinds of transfer with price and duration, and confirms none until the payer presses', async () => {
    const checkout = await bankTab();
    expect(checkout.text()).to.include('Europe, in euros SEPA transfer · within a minute €128.40');
    expect(checkout.text()).to.include('United States, in dollars ACH transfer · in 2 business days $139.21');
    expect(checkout.service.count('POST /confirm')).to.equal(0);
    await checkout.mark('United States');
    await checkout.press('Show bank details');
    await checkout.waitForButton('Copy IBAN');
    await checkout.settle();
    await checkout.waitForFocus('Copy Account holder');
    expect(checkout.spoken()).to.equal('Here is where to send the money.');
    const { body } = checkout.service.calls.find(({ path }) => path.endsWith('/confirm')) ?? { body: {} };
    expect(body).to.deep.equal({ method: 'bank_transfer', rail: 'ach' });
  });

  it('offers a kind of transfer that has no translation', async () => {
    const service = serviceOf();
    const rail = { rail: 'pix', currency: 'BRL', amount: 75_114, settlement_days: 0 };
    service.options = { ...service.options, bank_transfer: { rails: [rail] } };
    const checkout = await mount(service);
    await checkout.waitForButton('Pay €128.40');
    await checkout.chooseTab('Bank');
    await checkout.waitForButton('Show bank details');
    await checkout.press('Show bank details');
    await checkout.waitFor('Waiting for the transfer');
    const { body } = service.calls.find(({ path }) => path.endsWith('/confirm')) ?? { body: {} };
    expect(body).to.deep.equal({ method: 'bank_transfer', rail: 'pix' });
  });

  it('shows the instructions of the service', async () => {
    const fields = [{ name: 'pix_key', label: 'Pix key', value: 'b2f1…9c', copyable: true }];
    const details = { ...exampleInstructions(), rail: 'pix', currency: 'BRL', amount: 75_114, fields, qr: null };
    const checkout = await mount(serviceOf({ phase: 'awaiting_funds', method: 'bank_transfer', next_action: details }));
    await checkout.waitForButton('Copy Pix key');
    expect(checkout.text()).to.include('Pix key b2f1…9c');
    expect(checkout.text()).to.include('Copy each field.');
  });

  it('does not ask when there is one kind', async () => {
    const service = serviceOf();
    service.options = {
      ...service.options,
      bank_transfer: { rails: service.options.bank_transfer?.rails.slice(0, 1) ?? [] },
    };
    const checkout = await mount(service);
    await checkout.waitForButton('Pay €128.40');
    await checkout.chooseTab('Bank');
    await checkout.waitFor('Pay from your own bank.');
    expect(checkout.text()).not.to.include('Where is your bank account?');
  });

  it('shows a QR code for bank apps, dark on white, with quiet zone, at least 200 px', async () => {
    const checkout = await mount(
      serviceOf({ phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions() }),
    );
    await checkout.waitFor('Waiting for the transfer');
    checkout.element.theme = 'dark';
    const find = () => checkout.element.shadowRoot?.querySelector<SVGSVGElement>('[part=qr]');
    for (let tries = 0; tries < 100 && !find()?.querySelector('path')?.getAttribute('d'); tries++)
      await checkout.settle();
    const code = find() as SVGSVGElement;
    const box = code.getBoundingClientRect();
    expect(box.width).to.be.at.least(200);
    expect(code.getAttribute('aria-label')).to.equal(
      'Transfer code for your bank app: €128.40, reference NRD-7F3K-92QX',
    );
    expect(getComputedStyle(code).backgroundColor).to.equal('rgb(255, 255, 255)');
    expect(getComputedStyle(code).fill).to.equal('rgb(0, 0, 0)');
    const { width, x } = (code.querySelector('path') as SVGPathElement).getBBox();
    const size = code.viewBox.baseVal.width;
    expect(x).to.equal(4);
    expect(width).to.equal(size - 8);
    expect((width - 17) % 4).to.equal(0);
  });

  it('copies values in the form that a bank accepts, and confirms it on the button and to screen readers', async () => {
    speedUpTimers();
    const copied: string[] = [];
    const clipboard = { writeText: async (text: string) => void copied.push(text) };
    const kept = Object.getOwnPropertyDescriptor(Navigator.prototype, 'clipboard');
    Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => clipboard, configurable: true });
    const checkout = await mount(
      serviceOf({ phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions() }),
    );
    await checkout.waitForButton('Copy IBAN');
    await checkout.press('Copy IBAN');
    await checkout.waitForButton('IBAN copied');
    expect(checkout.spoken()).to.include('IBAN copied');
    await checkout.waitForButton('Copy IBAN');
    expect(checkout.spoken()).to.equal('');
    await checkout.press('Copy Amount');
    await checkout.press('Copy Reference (required)');
    if (kept) Object.defineProperty(Navigator.prototype, 'clipboard', kept);
    expect(copied).to.deep.equal(['LT601010012345678901', '128.40', 'NRD-7F3K-92QX']);
  });

  it('selects the text when the browser forbids copying', async () => {
    const kept = Object.getOwnPropertyDescriptor(Navigator.prototype, 'clipboard');
    Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined, configurable: true });
    const checkout = await mount(
      serviceOf({ phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions() }),
    );
    await checkout.waitForButton('Copy BIC');
    await checkout.press('Copy BIC');
    if (kept) Object.defineProperty(Navigator.prototype, 'clipboard', kept);
    expect(checkout.spoken()).to.include('BIC is selected: copy it yourself.');
  });

  it('is paid in two parts, the second by card', async () => {
    const checkout = await bankTab();
    await checkout.press('Show bank details');
    await checkout.waitForButton('Send only a part');
    await checkout.press('Send only a part');
    await checkout.waitFor('€64.20 EUR still due');
    await checkout.waitFor('We’ve received €64.20. Remaining balance: €64.20. Scan the code');
    expect(checkout.spoken()).to.include('We’ve received €64.20.');
    await checkout.chooseTab('Card');
    await typeCard(checkout, 'tok_visa');
    await checkout.press('Pay €64.20');
    await checkout.waitFor('Paid, thank you');
    expect(checkout.heard('pay-success')).to.equal(1);
  });

  it('keeps text that was typed in another tab', async () => {
    const checkout = await mount(serviceOf());
    await typeCard(checkout, 'tok_visa');
    await checkout.chooseTab('Bank');
    await checkout.waitForButton('Show bank details');
    await checkout.chooseTab('Card');
    await checkout.press('Pay €128.40');
    await checkout.waitFor('Paid, thank you');
  });
});
