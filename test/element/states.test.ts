import { expect } from '@open-wc/testing';
import type { Payment } from '../../src/api/payment.ts';
import { exampleInstructions, exampleNow, exampleQuote, paidPayment, receivedPart } from './support/example-payment.ts';
import { cardFrame, mount, serviceOf, tidyUp } from './support/mounted.ts';

afterEach(tidyUp);

const past = new Date(exampleNow - 1000).toISOString();
const short: Partial<Payment> = {
  phase: 'partially_paid',
  exception: 'underpaid',
  method: 'bank_transfer',
  amount_received: 8000,
  next_action: exampleInstructions(4840),
};

const authorized: Partial<Payment> = {
  phase: 'authorized',
  method: 'card',
  capture_method: 'manual',
  amount_capturable: 12_840,
  card: { brand: 'jcb', last4: '4242', three_d_secure: 'not_requested' },
};

interface State {
  readonly name: string;
  readonly payment: Partial<Payment>;
  readonly says: readonly (string | RegExp)[];
  readonly offers: readonly string[];
  readonly lacks?: readonly string[];
}

const states: readonly State[] = [
  {
    name: 'an open payment shows whom, what, how much and for how long, and the card form',
    payment: {},
    says: [
      'Nordlys Supply',
      'Order A-1042 · 3 items',
      '€128.40 EUR',
      /Rate held for 14:4\d The shop receives ≈ 139\.21 USDC/,
      'Settles on Stellar · Test mode',
    ],
    offers: ['Pay €128.40'],
  },
  {
    name: 'an open payment with a way back links to the shop',
    payment: { cancel_url: 'https://nordlys.example/cart' },
    says: ['Back to Nordlys Supply'],
    offers: ['Pay €128.40'],
  },
  {
    name: 'a payment with a part received has no way back',
    payment: { ...short, cancel_url: 'https://nordlys.example/cart' },
    says: ['Remaining balance: €48.40.'],
    offers: [],
    lacks: ['Back to Nordlys Supply'],
  },
  {
    name: 'a payment on its way has no way back',
    payment: { phase: 'processing', method: 'card', cancel_url: 'https://nordlys.example/cart' },
    says: ['Your payment is on its way'],
    offers: [],
    lacks: ['Back to Nordlys Supply'],
  },
  {
    name: 'a live payment says nothing of a test',
    payment: { livemode: true },
    says: ['Settles on Stellar'],
    offers: ['Pay €128.40'],
    lacks: ['Test mode'],
  },
  {
    name: 'a payment that settles in a currency says nothing of Stellar',
    payment: { settlement_asset: 'EUR' },
    says: ['Test mode'],
    offers: ['Pay €128.40'],
    lacks: ['Settles on Stellar'],
  },
  {
    name: 'bank details are shown to a payer who comes back for them',
    payment: { phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions() },
    says: [
      'LT60 1010 0123 4567 8901',
      'NRD-7F3K-92QX',
      'Transfer €128.40 from your bank app.',
      'Transfers arrive within a minute.',
      'Waiting for the transfer',
    ],
    offers: ['Copy IBAN', 'Copy Reference (required)', 'Simulate my bank'],
    lacks: ['Pay €128.40'],
  },
  {
    name: 'in live mode the page cannot play the bank',
    payment: { livemode: true, phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions() },
    says: ['Waiting for the transfer'],
    offers: ['Copy IBAN'],
    lacks: ['Simulate'],
  },
  {
    name: 'a shortfall is told without blame, in one place, and what is left is what is asked for',
    payment: short,
    says: [
      '€48.40 EUR still due',
      '€80.00 of €128.40 received',
      'We’ve received €80.00. Remaining balance: €48.40. Scan the code',
    ],
    offers: ['Copy IBAN'],
    lacks: ['€128.40 EUR', '€128.40 from', 'Transfer €48.40'],
  },
  {
    name: 'a rate that has run out is renewed for a payer who pays the same',
    payment: { expires_at: past, quote: exampleQuote({ expires_at: past }) },
    says: [/Rate held for (15:00|14:5\d) The shop receives ≈ 139\.48 USDC/],
    offers: ['Pay €128.40'],
    lacks: ['Get today’s rate'],
  },
  {
    name: 'a transfer in the price’s currency waits on while the rate is renewed',
    payment: { phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions(), expires_at: past },
    says: ['LT60 1010 0123 4567 8901', /Rate held for (15:00|14:5\d)/],
    offers: ['Simulate my bank'],
    lacks: ['Get today’s rate'],
  },
  {
    name: 'a transfer in another currency that waits while the rate runs out still counts',
    payment: {
      phase: 'awaiting_funds',
      method: 'bank_transfer',
      next_action: { ...exampleInstructions(), rail: 'ach', currency: 'USD' },
      expires_at: past,
    },
    says: ['Rate no longer held', 'A transfer you have sent still counts.', 'LT60 1010 0123 4567 8901'],
    offers: ['Get today’s rate'],
  },
  {
    name: 'a declined card is told in the bank’s words, with the form still there',
    payment: {
      last_attempt: { method: 'card', code: 'card_declined', message: 'The bank said no. Try another card.' },
    },
    says: ['The bank said no. Try another card.'],
    offers: ['Pay €128.40'],
  },
  {
    name: 'a bank that needs to confirm the payer can be answered, or left for another card, and an old refusal is silent',
    payment: {
      phase: 'requires_action',
      method: 'card',
      last_attempt: { method: 'card', code: 'card_declined', message: 'The bank said no. Try another card.' },
      next_action: { type: 'redirect', url: 'https://bank.example/3ds' },
    },
    says: ['Your bank needs to confirm it’s you.'],
    offers: ['Continue to your bank', 'Use another card'],
    lacks: ['Pay €128.40', 'The bank said no'],
  },
  {
    name: 'money on its way leaves nothing to do but wait, and says how long',
    payment: { phase: 'processing', method: 'card' },
    says: ['Your payment is on its way', 'You can close this page.'],
    offers: [],
    lacks: ['Rate held', 'Pay €128.40'],
  },
  {
    name: 'a paid payment says thank you, shows the receipt and the way back',
    payment: paidPayment(),
    says: [
      'Paid, thank you',
      '€128.40 to Nordlys Supply',
      'Paid with Card',
      /Date Nov 21, 2026/,
      'pay_3kTMd0PpC1hJ6nLq2uXs9B',
    ],
    offers: ['Back to the shop', 'Copy Reference', 'Copy Payment', 'Download the receipt'],
    lacks: ['Rate held'],
  },
  {
    name: 'a code that the amount has is not repeated',
    payment: { currency: 'KWD' },
    says: [/KWD.12\.840 Rate held/],
    offers: [],
  },
  {
    name: 'an authorized card says that the shop takes the money later, and asks for nothing more',
    payment: { ...authorized, redirect_url: 'https://nordlys.example/thanks' },
    says: [
      'Your card is authorized',
      'Nordlys Supply takes up to €128.40 later',
      'There is nothing more to do.',
      'Card JCB •••• 4242',
    ],
    offers: ['Back to the shop', 'Copy Reference', 'Copy Payment'],
    lacks: ['Paid', 'Rate held', 'Pay €128.40', 'Date'],
  },
  {
    name: 'a payment of which the shop took a part shows what it took',
    payment: paidPayment({ capture_method: 'manual', amount_received: 5000 }),
    says: ['Paid, thank you', '€50.00 to Nordlys Supply'],
    offers: ['Back to the shop'],
    lacks: ['€128.40'],
  },
  {
    name: 'a card that could not be charged later says that nothing was taken',
    payment: { ...authorized, status: 'failed', phase: 'declined', failure: { code: 'card_declined', message: '' } },
    says: ['This payment could not be made', 'Your card’s bank refused it. Nothing was taken.'],
    offers: ['Questions? Write to Nordlys Supply: help@nordlys.example'],
    lacks: ['Too many attempts'],
  },
  {
    name: 'a payment in parts lists each part, with the transaction of crypto',
    payment: paidPayment({
      received: [
        receivedPart({ method: 'bank_transfer', rail: 'sepa', amount: '64.20', credited: 6420 }),
        receivedPart({ method: 'card', card: { brand: 'visa', last4: '4242' }, amount: '32.10', credited: 3210 }),
        receivedPart({
          method: 'crypto',
          chain: 'stellar',
          asset: 'USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5',
          amount: '34.9890000',
          credited: 3210,
          tx_hash: '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889',
        }),
      ],
    }),
    says: [
      ...['Bank transfer · SEPA €64.20', 'Card · Visa •••• 4242 €32.10', 'USDC · Stellar 34.989 USDC'],
      '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889',
    ],
    offers: [
      '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889',
      'Copy Transaction · 34.989\u00a0USDC',
      'Download the receipt',
    ],
  },
  {
    name: 'a receipt leaves out an asset that was not asked for',
    payment: paidPayment({
      received: [
        receivedPart({ method: 'crypto', chain: 'stellar', asset: 'XLM', amount: '5.0000000', credited: 0 }),
        receivedPart({ card: { brand: 'visa', last4: '4242' } }),
      ],
    }),
    says: ['Paid, thank you', 'Paid with Card · Visa •••• 4242'],
    offers: ['Back to the shop'],
    lacks: ['XLM'],
  },
  {
    name: 'a paid invoice leaves the receipt to the invoice',
    payment: paidPayment({ invoice: 'inv_7Kq2uXs9B3kTMd0PpC1hJ6' }),
    says: ['Paid, thank you'],
    offers: ['Back to the shop'],
    lacks: ['Download the receipt'],
  },
  {
    name: 'an overpaid payment says how much too much, and whom to ask',
    payment: paidPayment({ exception: 'overpaid', amount_received: 13_340 }),
    says: ['Paid, thank you', 'You sent €5.00 more than was asked.'],
    offers: ['Back to the shop', 'Questions? Write to Nordlys Supply: help@nordlys.example'],
  },
  {
    name: 'a part sent back is told',
    payment: paidPayment({ phase: 'partially_refunded', amount_refunded: 2000 }),
    says: ['Paid, thank you', '€20.00 was sent back to you.'],
    offers: ['Back to the shop'],
  },
  {
    name: 'a refunded payment says that the money is coming back, and when',
    payment: paidPayment({ status: 'refunded', phase: 'refunded', amount_refunded: 12_840 }),
    says: ['Your money is on its way back', '€128.40 was sent back to you.', 'up to 10 days'],
    offers: ['Questions? Write to Nordlys Supply: help@nordlys.example'],
  },
  {
    name: 'an expired payment is a way back, not a dead end',
    payment: { status: 'failed', phase: 'expired', redirect_url: 'https://nordlys.example/' },
    says: ['This payment has expired', 'Nothing was taken.'],
    offers: ['Back to the shop', 'Questions? Write to Nordlys Supply: help@nordlys.example'],
  },
  {
    name: 'money that came too late is safe',
    payment: { status: 'failed', phase: 'expired', exception: 'paid_late', amount_received: 12_840 },
    says: ['Your money arrived after this payment expired.', '€128.40 is safe.'],
    offers: ['Questions? Write to Nordlys Supply: help@nordlys.example'],
    lacks: ['Nothing was taken'],
  },
  {
    name: 'a canceled payment says who canceled it',
    payment: { status: 'failed', phase: 'canceled' },
    says: ['Nordlys Supply has canceled this payment'],
    offers: ['Questions? Write to Nordlys Supply: help@nordlys.example'],
  },
  {
    name: 'a payment of an invoice that was paid meanwhile says so',
    payment: {
      status: 'failed',
      phase: 'canceled',
      failure: { code: 'invoice_paid', message: 'The invoice has been paid. There is nothing to pay.' },
    },
    says: ['This invoice has been paid already', 'Nothing more is due'],
    offers: ['Questions? Write to Nordlys Supply: help@nordlys.example'],
    lacks: ['has canceled'],
  },
  {
    name: 'money that came for an invoice after it was canceled is safe, and the payer is told who canceled it',
    payment: {
      status: 'failed',
      phase: 'declined',
      exception: 'paid_late',
      amount_received: 12_840,
      failure: { code: 'invoice_void', message: 'The invoice was canceled before your money arrived.' },
    },
    says: ['Nordlys Supply has canceled this payment', '€128.40 is safe.'],
    offers: ['Questions? Write to Nordlys Supply: help@nordlys.example'],
    lacks: ['could not be made', 'Nothing was taken'],
  },
  {
    name: 'a payment declined too often says so',
    payment: { status: 'failed', phase: 'declined' },
    says: ['This payment could not be made', 'Too many attempts'],
    offers: ['Questions? Write to Nordlys Supply: help@nordlys.example'],
  },
  {
    name: 'methods that are not there yet say whom to ask',
    payment: { payment_methods: ['crypto'] },
    says: ['There is no way to pay here just now'],
    offers: ['Questions? Write to Nordlys Supply: help@nordlys.example'],
  },
];

function rangeOf(text: Text): DOMRect {
  const range = document.createRange();
  range.selectNodeContents(text);
  return range.getBoundingClientRect();
}

const unreachable = { name: 'Nordlys Supply', support_email: null, support_url: null, logo: null, primary_color: null };

describe('<pay-checkout> when the payer cannot continue', () => {
  for (const phase of ['expired', 'canceled', 'declined'] as const) {
    it(`names the shop of a payment that is ${phase}, and links back, when there is no support contact`, async () => {
      const redirect_url = 'https://nordlys.example/cart';
      const checkout = await mount(serviceOf({ status: 'failed', phase, merchant: unreachable, redirect_url }));
      await checkout.waitFor('Questions? Contact Nordlys Supply, the shop you came from.');
      await checkout.waitForButton('Back to the shop');
      expect(checkout.link('Back to the shop')).to.include('https://nordlys.example/cart');
      await expect(checkout.element).shadowDom.to.be.accessible();
    });
  }

  const british = [
    [{ status: 'failed', phase: 'canceled' }, 'Nordlys Supply has cancelled this payment'],
    [authorized, 'Your card is authorised'],
  ] as const;
  for (const [changes, title] of british) {
    it(`writes to a payer in Britain in British spelling: ${title}`, async () => {
      const payment = serviceOf(changes);
      const { id } = payment.payment;
      const checkout = await mount(payment, { paymentId: id, clientSecret: `${id}_secret_x1`, locale: 'en-GB' });
      await checkout.waitFor(title);
    });
  }

  it('links to the shop’s support page', async () => {
    const merchant = { ...unreachable, support_url: 'https://nordlys.example/help' };
    const checkout = await mount(serviceOf({ status: 'failed', phase: 'canceled', merchant }));
    await checkout.waitForButton('Questions? Nordlys Supply can help');
    expect(checkout.link('Questions? Nordlys Supply can help')).to.equal('https://nordlys.example/help');
  });

  it('names the contact when no payment can be opened', async () => {
    const service = serviceOf();
    service.refuseNext('POST /open', { status: 404, code: 'resource_missing', message: 'No such payment.' });
    const checkout = await mount(service, {
      paymentId: 'pay_none',
      clientSecret: 'x',
      redirectUrl: 'https://nordlys.example/cart',
    });
    await checkout.waitFor('The payment could not be opened. No such payment.');
    await checkout.waitFor('Contact the shop you came from.');
    expect(checkout.link('Back to the shop')).to.include('https://nordlys.example/cart');
    await expect(checkout.element).shadowDom.to.be.accessible();
  });
});

describe('<pay-checkout> in each state', () => {
  for (const { name, payment, says, offers, lacks = [] } of states) {
    it(name, async () => {
      const checkout = await mount(serviceOf(payment));
      for (const sentence of says) await checkout.waitFor(sentence);
      for (const label of offers) await checkout.waitForButton(label);
      for (const text of lacks) expect(`${checkout.text()} ${checkout.buttons()}`).not.to.include(text);
      await expect(checkout.element).shadowDom.to.be.accessible();
    });
  }

  it('reserves the size of the card form from the first paint on', async () => {
    const service = serviceOf();
    const open = service.hold('POST /open');
    const checkout = await mount(service);
    await checkout.settle();
    const { height } = checkout.element.getBoundingClientRect();
    expect(height).to.be.within(500, 700);
    open();
    await checkout.waitForButton('Pay €128.40');
    const frame = await cardFrame(checkout);
    // The height of the real frame; the fake one is smaller.
    frame.connected?.port.postMessage({ type: 'resize', height: 259 });
    await checkout.settle();
    expect(Math.abs(checkout.element.getBoundingClientRect().height - height)).to.be.below(8);
  });

  it('opens the receipt at the page of the payment, without the client secret', async () => {
    const checkout = await mount(serviceOf(paidPayment()));
    await checkout.waitFor('Download the receipt');
    const link = checkout.element.shadowRoot?.querySelector<HTMLAnchorElement>('[part="receipt"] a');
    expect(link?.href).to.equal('https://pay.example/checkout/4fRk2Qm/receipt');
  });

  it('writes the date of the receipt in the payment’s locale', async () => {
    const checkout = await mount(serviceOf(paidPayment({ locale: 'en-DE' })), {
      paymentId: 'pay_3kTMd0PpC1hJ6nLq2uXs9B',
      clientSecret: 'pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_x1',
      locale: '',
    });
    await checkout.waitFor(/Date 21 Nov 2026, \d\d:\d\d/);
    await checkout.waitFor('€128.40');
  });

  it('keeps amounts on one line of a narrow phone, and copies the whole payment id', async () => {
    const open = await mount(serviceOf());
    open.element.style.width = '328px';
    await open.waitFor(/Rate held/);
    const amount = open.element.shadowRoot?.querySelector('.hold small') as HTMLElement;
    expect(amount.getBoundingClientRect().height).to.be.below(24);
    const paid = await mount(serviceOf(paidPayment()));
    paid.element.style.width = '328px';
    await paid.waitFor('pay_3kTMd0PpC1hJ6nLq2uXs9B');
    const id = paid.element.shadowRoot?.querySelector('.folded') as HTMLElement;
    expect(id.getBoundingClientRect().height).to.be.below(30);
    expect(id.querySelector('i')?.scrollWidth).to.be.above(id.querySelector('i')?.clientWidth ?? 0);
    expect(paid.copyable()['Payment']).to.equal('pay_3kTMd0PpC1hJ6nLq2uXs9B');
  });

  for (const width of [360, 320]) {
    it(`fits a grid column of a shop on a screen of ${width} px after the payment`, async () => {
      const checkout = await mount(serviceOf(paidPayment()));
      const place = checkout.element.parentElement as HTMLElement;
      for (const column of [place, place.parentElement as HTMLElement]) {
        Object.assign(column.style, { display: 'grid', gridTemplateColumns: '1fr', inlineSize: `${width - 48}px` });
        await checkout.waitFor('pay_3kTMd0PpC1hJ6nLq2uXs9B');
        expect(checkout.element.getBoundingClientRect().width).to.equal(width - 48);
        const card = checkout.element.shadowRoot?.querySelector('.card') as HTMLElement;
        expect(card.scrollWidth).to.be.at.most(card.clientWidth);
      }
    });
  }

  it('writes numbers from left to right within right-to-left text', async () => {
    const checkout = await mount(serviceOf(paidPayment()), {
      paymentId: 'pay_3kTMd0PpC1hJ6nLq2uXs9B',
      clientSecret: 'pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_x1',
      locale: 'ar',
    });
    await checkout.waitFor('pay_3kTMd0PpC1hJ6nLq2uXs9B');
    await checkout.waitFor('رقم الدفعة');
    const head = checkout.element.shadowRoot?.querySelector('.folded i') as HTMLElement;
    const tail = [...(head.parentNode?.childNodes ?? [])].find(node => node instanceof Text && node.data.trim());
    expect(getComputedStyle(head).direction).to.equal('ltr');
    expect(head.getBoundingClientRect().left).to.be.below(rangeOf(tail as Text).left);
  });

  it('shows no tab for an unsupported method, and no tabs for a single method', async () => {
    const all = await mount(serviceOf({ payment_methods: ['bank_transfer', 'card', 'crypto'] }));
    await all.waitForButton('Show bank details');
    expect(all.tabs()).to.deep.equal(['Bank', 'Card']);
    const one = await mount(serviceOf({ payment_methods: ['card'] }));
    await one.waitForButton('Pay €128.40');
    expect(one.tabs()).to.deep.equal([]);
  });
});
