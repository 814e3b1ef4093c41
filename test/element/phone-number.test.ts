import { expect } from '@open-wc/testing';
import { exampleOperators } from './support/example-mobile-money.ts';
import { tidyUp } from './support/mounted.ts';
import { bodies, enter, field, fieldFocused, paste, phoneTab, place, send } from './support/phone-tab.ts';

afterEach(tidyUp);

describe('the phone number in <pay-checkout>', () => {
  for (const [typed, provider, number] of [
    ['0772 123 456', 'mtn', '+256772123456'],
    ['772-123456', 'mtn', '+256772123456'],
    ['(0)752 123456', 'airtel', '+256752123456'],
    ['٠٧٧٢١٢٣٤٥٦', 'mtn', '+256772123456'],
    ['+256 772 123456', 'mtn', '+256772123456'],
    ['00256752123456', 'airtel', '+256752123456'],
    ['256772123456', 'mtn', '+256772123456'],
    ['+254 733 123456', 'airtel', '+254733123456'],
    ['+225 07 12 34 56 78', 'wave', '+2250712345678'],
  ] as const) {
    it(`asks ${provider} for a prompt on ${typed}`, async () => {
      const checkout = await phoneTab();
      await paste(checkout, typed);
      await checkout.press(send);
      await checkout.waitFor('Confirm on your phone');
      const { amount } = checkout.service.payment.next_action as { amount: number };
      expect(bodies(checkout)).to.deep.equal([{ method: 'mobile_money', provider, number, amount }]);
    });
  }

  for (const [typed, message] of [
    ['', 'Enter your phone number.'],
    ['abc', 'Enter your phone number.'],
    ['0772 123', 'This number is too short. Numbers in Uganda have 9 digits after +256.'],
    ['0772 123 456 7', 'This number is too long. Numbers in Uganda have 9 digits after +256.'],
    ['+44 7700 900123', 'from a country that is not offered here. You can use a number from Uganda, Kenya, and'],
  ] as const) {
    it(`says at the field what is wrong with “${typed}”, and asks for no prompt`, async () => {
      const checkout = await phoneTab();
      await paste(checkout, typed);
      await checkout.press(send);
      await checkout.settle();
      expect(checkout.text().replace(/[\u2066\u2069]/g, '')).to.include(message);
      await fieldFocused(checkout);
      expect(field(checkout).getAttribute('aria-invalid')).to.equal('true');
      expect(field(checkout).getAttribute('aria-describedby')).to.equal('wrong-number');
      expect(bodies(checkout)).to.deep.equal([]);
      if (typed === '') await expect(checkout.element).shadowDom.to.be.accessible();
      await checkout.type('Phone number', '0772123456');
      expect(field(checkout).getAttribute('aria-invalid')).to.equal('false');
    });
  }

  it('chooses the operator while the payer types, and leaves the choice to the payer', async () => {
    const checkout = await phoneTab();
    expect(checkout.choices()).to.deep.equal(['MTN MoMo', 'Airtel Money']);
    expect(checkout.chosen()).to.equal(null);
    await checkout.type('Phone number', '075');
    expect(checkout.chosen()).to.equal('Airtel Money');
    expect(checkout.spoken()).to.equal('Your operator is Airtel Money.');
    await checkout.type('Phone number', '0752123456');
    await checkout.mark('MTN MoMo');
    expect(checkout.text()).to.include('This does not look like a number of MTN MoMo.');
    await checkout.press(send);
    await checkout.waitFor('Confirm on your phone');
    expect(bodies(checkout)[0]).to.include({ provider: 'mtn', number: '+256752123456' });
  });

  it('asks for the operator of a number with an unknown prefix', async () => {
    const checkout = await phoneTab();
    await checkout.type('Phone number', '0202123456');
    await checkout.press(send);
    await checkout.settle();
    expect(checkout.text()).to.include('Choose your operator.');
    expect(bodies(checkout)).to.deep.equal([]);
    const focused = checkout.element.shadowRoot?.activeElement as HTMLInputElement;
    expect(focused.type).to.equal('radio');
    expect(focused.closest('fieldset')?.getAttribute('aria-describedby')).to.equal('wrong-operator');
    await checkout.mark('Airtel Money');
    await checkout.press(send);
    await checkout.waitFor('Confirm on your phone');
  });

  it('keeps a pasted number without its code, also over the same number or from the keyboard’s clipboard', async () => {
    const checkout = await phoneTab();
    const whole = '+256 772 123456';
    const fromKeyboard = { inputType: 'insertText', data: whole };
    for (const event of [{ inputType: 'insertFromPaste' }, { inputType: 'insertFromDrop' }, fromKeyboard]) {
      await enter(checkout, whole, event);
      expect([place(checkout)?.value, field(checkout).value]).to.deep.equal(['UG', '772123456']);
    }
  });

  it('keeps the code of a number that the payer types or deletes until the field is left', async () => {
    const checkout = await phoneTab();
    await enter(checkout, '+2547', { inputType: 'insertText', data: '7' });
    await enter(checkout, '+254', { inputType: 'deleteContentBackward' });
    expect([place(checkout)?.value, field(checkout).value]).to.deep.equal(['KE', '+254']);
    field(checkout).value = '+254733123456';
    field(checkout).dispatchEvent(new Event('change'));
    await checkout.settle();
    expect(field(checkout).value).to.equal('733123456');
  });

  it('offers the countries of the operators with flag and code, and takes the country of a pasted number', async () => {
    const checkout = await phoneTab();
    const names = [...(place(checkout)?.options ?? [])].map(({ text }) => text.trim());
    expect(names).to.deep.equal(['🇺🇬 Uganda (+256)', '🇰🇪 Kenya (+254)', '🇨🇮 Côte d’Ivoire (+225)']);
    await paste(checkout, '+254733123456');
    expect(place(checkout)?.value).to.equal('KE');
    expect(field(checkout).value).to.equal('733123456');
    expect(checkout.text()).to.include('You pay KES 17,980.00');
    const select = place(checkout) as HTMLSelectElement;
    select.value = 'CI';
    select.dispatchEvent(new Event('change'));
    await checkout.settle();
    expect(checkout.text()).to.match(/You pay (F CFA|CFA).84,230/);
  });

  it('begins with a country of the payment’s currency, and does not ask for the only country and operator', async () => {
    const checkout = await phoneTab(exampleOperators, { amount: 12_840 });
    expect(place(checkout)?.value).to.equal('UG');
    tidyUp();
    const [operator] = exampleOperators;
    const alone = await phoneTab(operator ? [{ ...operator, amount: 12_840, currency: 'EUR' }] : []);
    expect(place(alone)).to.equal(null);
    expect(alone.choices()).to.deep.equal([]);
    expect(alone.text()).to.include('approve €128.40 there');
    expect(alone.text()).not.to.include('today’s rate');
  });

  it('says what the payer pays in the currency of the prompt', async () => {
    const checkout = await phoneTab();
    expect(checkout.text()).to.include('You pay UGX 529,300');
    expect(checkout.text()).to.include('This is €128.40 at today’s rate, rounded up.');
    await expect(checkout.element).shadowDom.to.be.accessible();
  });
});
