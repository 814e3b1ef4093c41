import { expect } from '@open-wc/testing';
import type { PaymentMethod } from '../../src/api/payment.ts';
import { exampleInstructions } from './support/example-payment.ts';
import { offerCrypto, type Refusal } from './support/fake-service.ts';
import { cardFrame, type Mounted, mount, serviceOf, tidyUp, typeCard } from './support/mounted.ts';

afterEach(tidyUp);

const rootOf = ({ element }: Mounted) => element.shadowRoot as ShadowRoot;

/** Puts the checkout below and above a screen of other content, as in a shop on a phone. */
async function amongContent(methods: PaymentMethod[]): Promise<Mounted> {
  const service = serviceOf({ payment_methods: methods });
  if (methods.includes('crypto')) offerCrypto(service);
  const checkout = await mount(service);
  checkout.element.style.marginBlock = '150vh';
  return checkout;
}

function buttonOf(checkout: Mounted, name: string): HTMLElement {
  const found = [...rootOf(checkout).querySelectorAll<HTMLElement>('button')];
  return found.find(({ textContent }) => textContent?.trim() === name) as HTMLElement;
}

/** Presses the button as a payer who has scrolled it to the top of the screen, so that all above is out of sight. */
async function pressScrolled(checkout: Mounted, name: string): Promise<void> {
  await checkout.waitForButton(name);
  const button = buttonOf(checkout, name);
  button.scrollIntoView({ block: 'start' });
  button.focus({ preventScroll: true });
  await checkout.press(name);
}

/** Waits for the focus: the error of an earlier try may still be shown, without it. */
async function focusedAlert(checkout: Mounted, text: string): Promise<HTMLElement> {
  const isFocused = () => {
    const { activeElement } = rootOf(checkout);
    return activeElement?.getAttribute('role') === 'alert' && (activeElement as HTMLElement).innerText.includes(text);
  };
  for (let tries = 0; tries < 500 && !isFocused(); tries++) await new Promise(done => setTimeout(done, 20));
  expect(isFocused(), `an error with “${text}” has the focus`).to.equal(true);
  return rootOf(checkout).activeElement as HTMLElement;
}

function expectInSight(shown: HTMLElement): void {
  const { top, bottom } = shown.getBoundingClientRect();
  expect(top, 'top of the error').to.be.at.least(0);
  expect(bottom, 'bottom of the error').to.be.at.most(innerHeight);
}

const refused: Refusal = {
  status: 402,
  code: 'card_declined',
  message: 'Your bank declined the card. Try another card.',
};

const failures = [
  {
    name: 'a declined card',
    method: 'card',
    button: 'Pay €128.40',
    refuse: 'POST /confirm',
    text: 'declined the card',
  },
  {
    name: 'a refused transfer',
    method: 'bank_transfer',
    button: 'Show bank details',
    refuse: 'POST /confirm',
    text: 'declined',
  },
  {
    name: 'a refused asset',
    method: 'crypto',
    button: 'Continue with USDC',
    refuse: 'POST /confirm',
    text: 'declined',
  },
] as const;

describe('<pay-checkout> and the focus', () => {
  for (const { name, method, button, refuse, text } of failures) {
    it(`scrolls to ${name}, and gives it the focus`, async () => {
      const checkout = await amongContent([method]);
      if (method === 'card') await typeCard(checkout, 'tok_visa');
      checkout.service.refuseNext(refuse, refused);
      await pressScrolled(checkout, button);
      expectInSight(await focusedAlert(checkout, text));
    });
  }

  it('gives the same error the focus again after the next try', async () => {
    const checkout = await amongContent(['card']);
    await typeCard(checkout, 'tok_visa');
    for (let tries = 0; tries < 2; tries++) {
      checkout.service.refuseNext('POST /confirm', refused);
      await pressScrolled(checkout, 'Pay €128.40');
      expectInSight(await focusedAlert(checkout, 'declined the card'));
    }
  });

  it('scrolls to an error of the card frame', async () => {
    const checkout = await amongContent(['card']);
    await typeCard(checkout, 'error');
    await pressScrolled(checkout, 'Pay €128.40');
    expectInSight(await focusedAlert(checkout, 'The card could not be checked.'));
  });

  it('takes the focus from a card field in which Enter was pressed', async () => {
    const checkout = await amongContent(['card']);
    await typeCard(checkout, 'tok_visa');
    await checkout.waitForButton('Pay €128.40');
    const frame = await cardFrame(checkout);
    const input = frame.document.querySelector('input') as HTMLInputElement;
    input.focus();
    checkout.service.refuseNext('POST /confirm', refused);
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    expectInSight(await focusedAlert(checkout, 'declined the card'));
  });

  it('takes no focus from a page whose visitor does something else', async () => {
    const field = document.createElement('input');
    document.body.append(field);
    const service = serviceOf({ last_attempt: { method: 'card', code: refused.code, message: refused.message ?? '' } });
    const checkout = await mount(service);
    await checkout.waitFor('declined the card');
    expect(document.activeElement === document.body).to.equal(true);
    field.focus();
    service.change({ last_attempt: { method: 'card', code: 'expired_card', message: 'The card has expired.' } });
    await checkout.waitFor('expired');
    expect(document.activeElement === field).to.equal(true);
    field.remove();
  });

  it('moves the focus to the list when the payer chooses another kind of transfer', async () => {
    const service = serviceOf({
      phase: 'awaiting_funds',
      method: 'bank_transfer',
      next_action: exampleInstructions(),
    });
    const checkout = await mount(service);
    await pressScrolled(checkout, 'Use another kind of transfer');
    await checkout.settle();
    expect((rootOf(checkout).activeElement as HTMLInputElement | null)?.type).to.equal('radio');
    expectInSight(rootOf(checkout).activeElement as HTMLElement);
  });

  it('keeps the focus while the test bank is asked', async () => {
    const service = serviceOf({ phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions() });
    const checkout = await mount(service);
    const release = service.hold('POST /simulate_bank_transfer');
    await pressScrolled(checkout, 'Send only a part');
    await checkout.waitForFocus('Send only a part');
    release();
    await checkout.waitFor('Remaining balance');
    await checkout.settle();
    expect(rootOf(checkout).activeElement === null).to.equal(false);
  });

  it('moves the focus to the form when the payer takes another card', async () => {
    const url = `${location.origin}/test/element/support/fake-bank-page.html`;
    const service = serviceOf({ phase: 'requires_action', method: 'card', next_action: { type: 'redirect', url } });
    const checkout = await mount(service);
    await pressScrolled(checkout, 'Use another card');
    await cardFrame(checkout);
    await checkout.waitForButton('Pay €128.40');
    expect(rootOf(checkout).activeElement === null).to.equal(false);
  });

  it('moves the focus to the progress of a payment that can only be waited for', async () => {
    const checkout = await amongContent(['card']);
    await checkout.waitForButton('Pay €128.40');
    buttonOf(checkout, 'Pay €128.40').focus();
    checkout.service.change({ phase: 'processing', method: 'card' });
    await checkout.waitFor('Your payment is on its way');
    await checkout.settle();
    expect(rootOf(checkout).activeElement?.textContent).to.include('Your payment is on its way');
  });
});
