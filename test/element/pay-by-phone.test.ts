import { expect } from '@open-wc/testing';
import type { Payment } from '../../src/api/payment.ts';
import { exampleOperators, paidByPhone, promptedPayment, refusedPrompt } from './support/example-mobile-money.ts';
import { exampleInstructions, exampleNow, exampleOptions } from './support/example-payment.ts';
import { offerPhones } from './support/fake-service.ts';
import { speedUpTimers } from './support/fast-timers.ts';
import { type Mounted, mount, serviceOf, tidyUp } from './support/mounted.ts';
import { bodies, field, fieldFocused, phoneTab, resumed, send } from './support/phone-tab.ts';

// The checkout asks for changes every one and a half seconds.
beforeEach(speedUpTimers);
afterEach(tidyUp);

describe('<pay-checkout> paying by mobile money', () => {
  it('shows the prompt with operator, number, amounts and countdown, and moves the focus to it', async () => {
    const checkout = await phoneTab();
    await checkout.type('Phone number', '0772123456');
    await checkout.press(send);
    await checkout.waitFor('Confirm on your phone');
    await checkout.settle();
    await checkout.waitForFocus('Confirm on your phone');
    expect(checkout.spoken()).to.include('We’ve sent a prompt to your phone.');
    const text = checkout.text().replace(/[\u2066\u2069]/g, '');
    expect(text).to.include('MTN MoMo has sent a prompt to +256772123456. Approve UGX 529,300 with your PIN.');
    expect(text).to.match(/The prompt ends in 0(2:00|1:5\d)/);
    expect(text).to.include('The shop asks for €128.40');
    expect(text).not.to.include('You pay UGX 529,300 You');
    await checkout.unfold('No prompt on your phone?');
    await checkout.waitFor('Check that the phone with this number is on');
    await expect(checkout.element).shadowDom.to.be.accessible();
  });

  it('continues with the prompt after a reload and on a second device, and says when its time is over', async () => {
    const checkout = await resumed(promptedPayment());
    await checkout.waitFor('Confirm on your phone');
    expect(checkout.chosenTab()).to.equal('Mobile money');
    const { next_action: prompt } = promptedPayment();
    const expires_at = new Date(exampleNow - 1000).toISOString();
    checkout.service.change({ next_action: { ...prompt, expires_at } as Payment['next_action'] });
    await checkout.waitFor('The prompt has ended. We’re asking MTN MoMo whether you approved it.');
  });

  it('leads to another method, and warns of paying twice', async () => {
    const checkout = await resumed(promptedPayment());
    await checkout.waitFor('Refuse the prompt on your phone first');
    await checkout.press('Use another way to pay');
    await checkout.waitForButton('Pay €128.40');
    expect(checkout.chosenTab()).to.equal('Card');
    await checkout.waitForFocus('Card');
    expect(checkout.events.filter(({ name }) => name === 'pay-method')).to.have.length(1);
    expect(checkout.text()).not.to.include('Continue to your bank');
  });

  it('says that a prompt is open if the service refuses a second one', async () => {
    const checkout = await phoneTab();
    await checkout.type('Phone number', '0772123456');
    Object.assign(checkout.service.payment, promptedPayment());
    await checkout.press(send);
    await checkout.waitFor('A prompt is already open on this phone. Answer it there, or wait until it ends.');
    expect(checkout.text()).to.include('Confirm on your phone');
  });

  it('warns on the other tabs while a prompt is open, and shows the prompt again', async () => {
    const warning = 'A prompt is open on your phone. Refuse it there before you pay another way.';
    const checkout = await resumed(promptedPayment());
    await checkout.waitFor('Confirm on your phone');
    await checkout.chooseTab('Card');
    await checkout.waitFor(warning);
    await checkout.chooseTab('Bank');
    await checkout.waitForButton('Show bank details');
    expect(checkout.text()).to.include(warning);
    await expect(checkout.element).shadowDom.to.be.accessible();
    await checkout.press('Show bank details');
    await checkout.waitFor('IBAN');
    expect(checkout.text()).to.include(warning);
    await checkout.chooseTab('Mobile money');
    expect(checkout.text()).to.include('Confirm on your phone');
    expect(checkout.buttons()).not.to.include(send);
    checkout.service.change({ open_prompt: null });
    await checkout.waitForButton(send);
    await checkout.chooseTab('Bank');
    expect(checkout.text()).not.to.include(warning);
  });

  it('warns on a second device of a prompt that was left for another method, and shows it', async () => {
    const { open_prompt } = promptedPayment();
    const method = 'bank_transfer';
    const next_action = exampleInstructions(12_840);
    const service = serviceOf({ phase: 'awaiting_funds', method, next_action, open_prompt: open_prompt ?? null });
    const checkout = await mount(offerPhones(service, exampleOperators));
    await checkout.waitFor('A prompt is open on your phone. Refuse it there before you pay another way.');
    await checkout.chooseTab('Mobile money');
    await checkout.waitFor('Confirm on your phone');
    expect(checkout.text().replace(/[\u2066\u2069]/g, '')).to.include('sent a prompt to •••456. Approve UGX 529,300');
    service.change({ open_prompt: null });
    await checkout.waitForButton(send);
    await checkout.chooseTab('Bank');
    expect(checkout.text()).not.to.include('A prompt is open');
  });

  it('sends the amount that it has shown, and asks before it sends another', async () => {
    const checkout = await phoneTab();
    await checkout.type('Phone number', '0772123456');
    const { service } = checkout;
    service.refuseNext('POST /confirm', { status: 409, code: 'price_changed', message: 'Another price.' });
    offerPhones(
      service,
      exampleOperators.map(each => ({ ...each, amount: each.amount + 100 })),
    );
    await checkout.press(send);
    await checkout.waitFor('The amount changed to UGX 529,400. Send the prompt?');
    await checkout.press(send);
    await checkout.waitFor('Confirm on your phone');
    expect(bodies(checkout).map(({ amount }) => amount)).to.deep.equal([529_300, 529_400]);
  });

  it('announces the prompt only while it is shown', async () => {
    for (const [leave, text] of [
      [({ service }: Mounted) => service.change(refusedPrompt('prompt_refused')), 'You refused the prompt'],
      [(checkout: Mounted) => checkout.chooseTab('Card'), 'A prompt is open on your phone.'],
    ] as const) {
      const checkout = await phoneTab();
      await checkout.type('Phone number', '0772123456');
      await checkout.press(send);
      await checkout.waitFor('Confirm on your phone');
      await checkout.settle();
      expect(checkout.spoken()).to.include('We’ve sent a prompt to your phone.');
      await leave(checkout);
      await checkout.waitFor(text);
      await checkout.settle();
      expect(checkout.spoken()).not.to.include('We’ve sent a prompt');
      tidyUp();
      speedUpTimers();
    }
  });

  it('is paid when the payer approves, and names operator, last digits and the charged amount', async () => {
    const checkout = await resumed(promptedPayment());
    await checkout.waitFor('Confirm on your phone');
    checkout.service.change(paidByPhone());
    await checkout.waitFor('Paid, thank you');
    expect(checkout.text()).to.include('MTN MoMo · •••456 UGX 529,300');
    expect(checkout.heard('pay-success')).to.equal(1);
  });

  it('shows at the number what the service says about it', async () => {
    const checkout = await phoneTab();
    await checkout.type('Phone number', '0772123000');
    await checkout.press(send);
    await checkout.waitFor('This number has no mobile-money account.');
    await fieldFocused(checkout);
    await checkout.type('Phone number', '0772123456');
    await checkout.press(send);
    await checkout.waitFor('Confirm on your phone');
  });

  for (const [status, code, text] of [
    [409, 'prompt_open', 'A prompt is already open on this phone. Answer it there, or wait until it ends.'],
    [429, 'too_many_attempts', 'This number got too many prompts. Wait some minutes, or pay another way.'],
  ] as const) {
    it(`says at the number what to do after ${code}`, async () => {
      const checkout = await phoneTab();
      await checkout.type('Phone number', '0772123456');
      checkout.service.refuseNext('POST /confirm', { status, code, message: 'Refused.', param: 'number' });
      await checkout.press(send);
      await checkout.waitFor(text);
      await fieldFocused(checkout);
      expect(field(checkout).getAttribute('aria-describedby')).to.equal('wrong-number');
      await checkout.press(send);
      await checkout.waitFor('Confirm on your phone');
    });
  }

  for (const [code, text, button = 'Try again'] of [
    ['prompt_refused', 'You refused the prompt on your phone.'],
    ['wrong_pin', 'The PIN was wrong.'],
    ['insufficient_funds', 'There is not enough money in this account.'],
    ['prompt_expired', 'The prompt was not answered in time.'],
    ['number_not_registered', 'This number has no mobile-money account.'],
    ['operator_limit', 'The amount is over a limit of your account.'],
    ['processing_error', 'Your operator could not do this.'],
    ['prompt_unanswered', 'We don’t know yet whether the first prompt was paid.', send],
    ['anything_else', 'The operator took nothing.'],
  ] as const) {
    it(`says after ${code} what to do, once, and tries again with the same number`, async () => {
      const checkout = await phoneTab();
      await checkout.type('Phone number', '0772123456');
      await checkout.press(send);
      await checkout.waitFor('Confirm on your phone');
      checkout.service.change(refusedPrompt(code));
      await checkout.waitFor(text);
      expect(checkout.alerts()).to.have.length(1);
      await checkout.waitForFocus(text);
      expect(field(checkout).value).to.equal('772123456');
      await checkout.press(button);
      await checkout.waitFor('Confirm on your phone');
      expect(bodies(checkout)).to.have.length(2);
      await checkout.chooseTab('Card');
      expect(checkout.text()).not.to.include(text);
    });
  }

  for (const [locale, tab, texts] of [
    ['ar', 'مال عبر الهاتف', ['أكّد على هاتفك', 'رقم الهاتف', 'الرقم السري غير صحيح.']],
    ['ja', 'モバイルマネー', ['携帯電話で確認してください', '電話番号', '暗証番号が違います。']],
  ] as const) {
    it(`speaks ${locale}, with the number left-to-right`, async () => {
      const service = offerPhones(serviceOf(promptedPayment()), exampleOperators);
      const { id } = service.payment;
      const checkout = await mount(service, { paymentId: id, clientSecret: `${id}_secret_x1`, locale });
      await checkout.waitFor(texts[0]);
      expect(checkout.chosenTab()).to.equal(tab);
      await expect(checkout.element).shadowDom.to.be.accessible();
      service.change(refusedPrompt('wrong_pin'));
      await checkout.waitFor(texts[2]);
      expect(checkout.text()).to.include(texts[1]);
      expect(getComputedStyle(field(checkout)).direction).to.equal('ltr');
      await expect(checkout.element).shadowDom.to.be.accessible();
    });
  }

  for (const [change, text] of [
    [{}, 'Nothing is due any more. If a prompt is open on your phone, refuse it.'],
    [
      { amount_received: 12_840, exception: 'paid_late' },
      'Your money arrived after this payment was closed. €128.40 is safe.',
    ],
  ] as const) {
    it(`says after a cancellation: ${text}`, async () => {
      const checkout = await resumed(promptedPayment());
      await checkout.waitFor('Confirm on your phone');
      checkout.service.change({ status: 'failed', phase: 'canceled', next_action: null, ...change });
      await checkout.waitFor(text);
      await expect(checkout.element).shadowDom.to.be.accessible();
    });
  }

  it('has no tab without operators', async () => {
    const service = offerPhones(serviceOf(), []);
    expect(exampleOptions().mobile_money).to.equal(undefined);
    const checkout = await mount(service);
    await checkout.waitForButton('Pay €128.40');
    expect(checkout.tabs()).to.deep.equal(['Card', 'Bank']);
  });
});
