import { expect } from '@open-wc/testing';
import type { CryptoTransfer } from '../../src/api/crypto.ts';
import type { Payment } from '../../src/api/payment.ts';
import { awaitingCrypto, baseAddress, eurc, exampleTransfer, muxedAddress, usdc } from './support/example-crypto.ts';
import { exampleNow, exampleQuote, paidPayment } from './support/example-payment.ts';
import { offerCrypto } from './support/fake-service.ts';
import { speedUpTimers } from './support/fast-timers.ts';
import { type Mounted, mount, serviceOf, tidyUp } from './support/mounted.ts';

afterEach(() => {
  document.documentElement.dir = '';
  tidyUp();
});

const past = new Date(exampleNow - 1000).toISOString();

/** Mounts a checkout that offers crypto. */
const takingCrypto = (payment: Partial<Payment> = {}): Promise<Mounted> => mount(offerCrypto(serviceOf(payment)));

async function cryptoTab(payment: Partial<Payment> = {}): Promise<Mounted> {
  const checkout = await takingCrypto(payment);
  await checkout.waitForButton('Pay €128.40');
  await checkout.chooseTab('Crypto');
  await checkout.waitForButton('Continue with USDC');
  return checkout;
}

/** Mounts a checkout that waits for the payer's transfer. */
async function waiting(change: Partial<CryptoTransfer> = {}, payment: Partial<Payment> = {}): Promise<Mounted> {
  const checkout = await takingCrypto({ ...awaitingCrypto(change), ...payment });
  await checkout.waitFor('Waiting for your payment');
  return checkout;
}

async function codeOf({ element, settle }: Mounted): Promise<SVGSVGElement> {
  const find = () => element.shadowRoot?.querySelector<SVGSVGElement>('#panel-crypto [part=qr]');
  for (let tries = 0; tries < 150 && !find()?.querySelector('path')?.getAttribute('d'); tries++) await settle();
  return find() as SVGSVGElement;
}

/** Runs `presses` with a fake clipboard and returns the copied texts. */
async function copying(presses: () => Promise<void>): Promise<string[]> {
  const copied: string[] = [];
  const clipboard = { writeText: async (text: string) => void copied.push(text) };
  const kept = Object.getOwnPropertyDescriptor(Navigator.prototype, 'clipboard');
  Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => clipboard, configurable: true });
  await presses();
  if (kept) Object.defineProperty(Navigator.prototype, 'clipboard', kept);
  return copied;
}

describe('<pay-checkout> selecting an asset', () => {
  it('is accessible', async () => {
    const checkout = await cryptoTab();
    await expect(checkout.element).shadowDom.to.be.accessible();
  });

  it('offers well-known assets first, each with its amount, and the network fee', async () => {
    const checkout = await cryptoTab();
    expect(checkout.choices()).to.deep.equal([
      'USDC US dollars 139.214 ≈ €128.40',
      'EURC Euros 128.40 ≈ €128.40',
      'XLM Stellar lumens 412.0943211 ≈ €128.40',
      'NGNC Nigerian naira 215,420.50 ≈ €128.40',
      'BRLC Brazilian reais 751.14 ≈ €128.40',
    ]);
    expect(checkout.text()).to.include(
      'Sent over Stellar in about 5 seconds. Its fee of about 0.00001 XLM comes on top.',
    );
    expect(checkout.service.count('POST /confirm')).to.equal(0);
  });

  it('reads the options again when the shop’s own asset is missing, as while a service starts', async () => {
    speedUpTimers();
    const service = offerCrypto(serviceOf());
    const { options } = service;
    const isLumens = ({ asset }: { asset: string }) => asset === 'XLM';
    service.options = { ...options, crypto: { assets: options.crypto?.assets.filter(isLumens) ?? [] } };
    const checkout = await mount(service);
    await checkout.chooseTab('Crypto');
    await checkout.waitForButton('Continue with XLM');
    service.options = options;
    for (let tries = 0; tries < 100 && checkout.choices().length < 2; tries++) await checkout.settle();
    expect(checkout.choices()).to.have.length(5);
  });

  it('does not read the options again when no asset is missing', async () => {
    speedUpTimers();
    const { service } = await cryptoTab();
    await new Promise(resolve => setTimeout(resolve, 5_500));
    expect(service.count('POST /open')).to.equal(1);
  });

  it('distinguishes assets of one code by their issuer', async () => {
    const service = offerCrypto(serviceOf());
    const [first] = service.options.crypto?.assets ?? [];
    const other = 'USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
    if (first) service.options.crypto?.assets.push({ ...first, asset: other });
    const checkout = await mount(service);
    await checkout.waitForButton('Pay €128.40');
    await checkout.chooseTab('Crypto');
    await checkout.waitFor('US dollars · GBEQ…TCLP');
    expect(checkout.text()).to.include('US dollars · GA5Z…KZVN');
  });

  it('has one tab stop for the list, with arrow keys inside', async () => {
    const checkout = await cryptoTab();
    const radios = [...(checkout.element.shadowRoot?.querySelectorAll<HTMLInputElement>('[name=asset]') ?? [])];
    expect(new Set(radios.map(({ name, type }) => `${name} ${type}`)).size).to.equal(1);
    await checkout.mark('XLM');
    await checkout.waitForButton('Continue with XLM');
    expect(checkout.chosen()).to.equal('XLM Stellar lumens 412.0943211 ≈ €128.40');
    expect(checkout.spoken()).to.include('Its fee of about 0.00001 XLM');
  });

  it('shows the address for the selected asset, moves the focus to it, and remembers the selection', async () => {
    const checkout = await cryptoTab();
    await checkout.mark('EURC');
    await checkout.press('Continue with EURC');
    await checkout.waitFor('EURC on Stellar');
    await checkout.settle();
    const { body } = checkout.service.calls.find(({ path }) => path.endsWith('/confirm')) ?? { body: {} };
    expect(body).to.deep.equal({ method: 'crypto', chain: 'stellar', asset: eurc });
    await checkout.waitForFocus('Copy Amount');
    expect(checkout.spoken()).to.equal('Here is what to send, and where to.');
    checkout.element.remove();

    const next = await takingCrypto();
    await next.waitForButton('Continue with EURC');
    expect(next.chosenTab()).to.equal('Crypto');
  });

  it('returns to the list with the asset selected, and accepts another', async () => {
    const checkout = await waiting({ asset: eurc, amount: '128.4000000' });
    await checkout.press('Change what you pay with');
    await checkout.waitForButton('Continue with EURC');
    expect(checkout.focused()).to.equal('');
    expect(checkout.chosen()).to.equal('EURC Euros 128.40 ≈ €128.40');
    await checkout.mark('USDC');
    await checkout.press('Continue with USDC');
    await checkout.waitFor('Send 139.214 USDC from your wallet.');
  });

  it('shows no list for a single asset', async () => {
    const service = offerCrypto(serviceOf(awaitingCrypto()));
    service.options = { ...service.options, crypto: { assets: service.options.crypto?.assets.slice(2, 3) ?? [] } };
    const checkout = await mount(service);
    await checkout.waitFor('Waiting for your payment');
    expect(checkout.buttons()).not.to.include('Change what you pay with');
  });

  it('shows in the heading what the payer pays in the picked asset, and in other tabs what the shop receives', async () => {
    const checkout = await cryptoTab();
    await checkout.waitFor('You pay 139.214 USDC');
    await checkout.mark('EURC');
    await checkout.waitFor('You pay 128.40 EURC');
    expect(checkout.text()).not.to.include('139.21 USDC');
    await checkout.press('Continue with EURC');
    await checkout.waitFor('Waiting for your payment');
    expect(checkout.text()).to.include('You pay 128.40 EURC');
    await checkout.chooseTab('Card');
    await checkout.waitFor('The shop receives ≈ 139.21 USDC');
    await checkout.chooseTab('Bank');
    await checkout.waitForButton('Show bank details');
    await checkout.mark('United States');
    await checkout.waitFor('You pay $139.21');
    await checkout.mark('Europe');
    await checkout.waitFor('The shop receives ≈ 139.21 USDC');
  });

  it('shows the service’s refusal and keeps the list', async () => {
    const checkout = await cryptoTab();
    checkout.service.refuseNext('POST /confirm', {
      status: 402,
      code: 'chain_unavailable',
      message: 'Stellar cannot be used now. Pay another way.',
    });
    await checkout.press('Continue with USDC');
    await checkout.waitFor('Stellar cannot be used now.');
    expect(checkout.chosen()).to.equal('USDC US dollars 139.214 ≈ €128.40');
  });
});

describe('<pay-checkout> waiting for a crypto transfer', () => {
  it('is accessible, folded and unfolded, light and dark', async () => {
    const checkout = await waiting();
    await codeOf(checkout);
    await expect(checkout.element).shadowDom.to.be.accessible();
    await checkout.unfold('My wallet cannot send to M… addresses');
    checkout.element.theme = 'dark';
    await checkout.settle();
    await expect(checkout.element).shadowDom.to.be.accessible();
  });

  it('shows the exact amount and the muxed address, and the base address with its memo', async () => {
    const checkout = await waiting();
    expect(checkout.copyable()).to.deep.equal({ Amount: '139.214 USDC', Address: muxedAddress });
    await checkout.unfold('My wallet cannot send to M… addresses');
    expect(checkout.copyable()).to.deep.equal({
      Amount: '139.214 USDC',
      Address: muxedAddress,
      'G… address': baseAddress,
      Memo: '890263',
      Issuer: usdc.split(':')[1],
    });
    expect(checkout.text()).to.include('With this memo (id, required)');
  });

  it('shows the memo at once when the address needs it', async () => {
    const checkout = await waiting({ address: baseAddress, base_address: null, memo: 'A-1042', memo_type: 'text' });
    expect(checkout.copyable()).to.deep.equal({ Amount: '139.214 USDC', Address: baseAddress, Memo: 'A-1042' });
    expect(checkout.text()).to.include('With this memo (text, required)');
    expect(checkout.text()).not.to.include('M… addresses');
  });

  it('copies values for wallets: amounts without trailing zeros, units and separators', async () => {
    const checkout = await waiting({ amount: '1234567.5000000' });
    expect(checkout.copyable()['Amount']).to.equal('1,234,567.50 USDC');
    await checkout.unfold('My wallet cannot send to M… addresses');
    const copied = await copying(async () => {
      for (const name of ['Amount', 'Address', 'G… address', 'Memo', 'Issuer']) await checkout.press(`Copy ${name}`);
    });
    expect(copied).to.deep.equal(['1234567.5', muxedAddress, baseAddress, '890263', usdc.split(':')[1]]);
    await checkout.waitForButton('Issuer copied');
    expect(checkout.spoken()).to.equal('Issuer copied');
  });

  for (const [amount, copy] of [
    ['100.0000000', '100'],
    ['100', '100'],
    ['0.0000001', '0.0000001'],
    ['412.0943210', '412.094321'],
  ] as const) {
    it(`copies ${amount} as ${copy}`, async () => {
      const checkout = await waiting({ amount });
      expect(await copying(() => checkout.press('Copy Amount'))).to.deep.equal([copy]);
    });
  }

  it('shows a QR code of at least 200 px with quiet zone, dark on white in each theme', async () => {
    const checkout = await waiting();
    checkout.element.theme = 'dark';
    const code = await codeOf(checkout);
    expect(code.getBoundingClientRect().width).to.be.at.least(264);
    expect(code.getAttribute('aria-label')).to.match(/^Payment code for a Stellar wallet: 139\.214\sUSDC$/);
    expect(getComputedStyle(code).backgroundColor).to.equal('rgb(255, 255, 255)');
    expect(getComputedStyle(code).fill).to.equal('rgb(0, 0, 0)');
    const { x, width } = (code.querySelector('path') as SVGPathElement).getBBox();
    expect([x, width]).to.deep.equal([4, code.viewBox.baseVal.width - 8]);
  });

  it('links to a wallet app, and explains what to do without one', async () => {
    const checkout = await waiting();
    expect(checkout.link('Open in a wallet app')).to.equal(exampleTransfer().uri);
    checkout.element.shadowRoot?.addEventListener('click', event => event.preventDefault());
    await checkout.press('Open in a wallet app');
    await checkout.waitFor('Nothing opened?');
  });

  it('asks to open an app on a phone, which cannot scan its own screen', async () => {
    const real = window.matchMedia;
    window.matchMedia = query => ({ ...real(query), matches: /coarse/.test(query), addEventListener() {} }) as never;
    try {
      const checkout = await waiting();
      await checkout.waitFor('Send 139.214 USDC from your wallet. Open a wallet app, and the details fill in.');
      await checkout.waitFor('Is your wallet on another device? Scan this.');
    } finally {
      window.matchMedia = real;
    }
  });

  for (const uri of ['javascript:alert(1)', 'https://evil.example/', ' web+stellar:pay', null]) {
    it(`makes no link of ${uri}`, async () => {
      const checkout = await waiting({ uri });
      expect(checkout.link('Open in a wallet app')).to.equal(null);
    });
  }

  it('shows no QR code when the service sends none', async () => {
    const checkout = await waiting({ qr: null });
    expect(checkout.element.shadowRoot?.querySelector('#panel-crypto [part=qr]')).to.equal(null);
    expect(checkout.copyable()['Address']).to.equal(muxedAddress);
  });

  it('does not change while the chain is unavailable', async () => {
    const checkout = await waiting();
    checkout.service.takesCrypto = false;
    checkout.service.change({ amount_received: 1 });
    await checkout.waitFor('€128.39 EUR still due');
    await checkout.settle();
    expect(checkout.chosenTab()).to.equal('Crypto');
    expect(checkout.copyable()).to.deep.equal({ Amount: '139.214 USDC', Address: muxedAddress });
    expect(checkout.buttons()).not.to.include('Pay with Freighter');
  });

  it('says when the deposit is seen, and then that the payment is completed', async () => {
    const checkout = await waiting();
    checkout.service.change({ phase: 'confirming' });
    await checkout.waitFor('Your payment is on its way');
    expect(checkout.text()).to.include('The network has it and confirms it within seconds.');
    expect(checkout.spoken()).to.include('Your payment is on its way');
    await expect(checkout.element).shadowDom.to.be.accessible();
    checkout.service.change(paidPayment({ method: 'crypto' }));
    await checkout.waitFor('Paid, thank you');
    expect(checkout.text()).to.include('Paid with Crypto');
    expect(checkout.heard('pay-success')).to.equal(1);
  });

  it('counts confirmations when more than one is required', async () => {
    const checkout = await takingCrypto({
      ...awaitingCrypto({ confirmations: 2, required_confirmations: 6 }),
      phase: 'confirming',
    });
    await checkout.waitFor('2 of 6 confirmations so far.');
  });

  it('asks for the rest after a partial payment, without blame', async () => {
    const checkout = await waiting();
    checkout.service.change({
      ...awaitingCrypto({ amount: '52.4760000', amount_received: '86.7380000' }),
      phase: 'partially_paid',
      exception: 'underpaid',
      amount_received: 8000,
    });
    await checkout.waitFor('Send the rest, 52.476 USDC. We’ve received 86.738 USDC.');
    expect(checkout.text()).to.include('Remaining balance: €48.40.');
    expect(checkout.copyable()['Amount']).to.equal('52.476 USDC');
    expect(checkout.text()).not.to.include('Before, it was');
    expect(checkout.text()).to.match(/€80\.00 of €128\.40 received · rate held for [\d:]+ You pay 52\.476 USDC/);
    await checkout.chooseTab('Card');
    await checkout.waitForButton('Pay €48.40');
    expect(checkout.text()).not.to.include('The shop receives');
  });

  it('says which asset arrived instead of which, and that it is safe', async () => {
    const part = {
      method: 'crypto',
      rail: null,
      chain: 'stellar',
      card: null,
      tx_hash: 'ab12',
      at: '2026-11-21T14:01:00Z',
    };
    const sent = { ...part, asset: 'EURC:GDHU', amount: '128.4000000', credited: 0 } as const;
    const checkout = await waiting({}, { exception: 'wrong_asset', received: [sent] as Payment['received'] });
    await checkout.waitFor('You sent 128.40 EURC; we asked for USDC. It is safe');
    expect(checkout.spoken()).to.include('You sent 128.40 EURC; we asked for USDC.');
  });

  it('says that a wrong asset arrived, and that it is safe', async () => {
    const checkout = await waiting({}, { exception: 'wrong_asset' });
    await checkout.waitFor('You sent a different asset. It is safe');
    await expect(checkout.element).shadowDom.to.be.accessible();
  });

  it('asks for a new rate when the old one has expired, and still accepts a sent deposit', async () => {
    const checkout = await waiting({}, { expires_at: past, quote: exampleQuote({ expires_at: past }) });
    expect(checkout.text()).to.include('A transfer you have sent still counts.');
    expect(checkout.buttons()).not.to.include('Pay with Freighter');
    expect(checkout.link('Open in a wallet app')).to.equal(null);
    expect(checkout.copyable()).to.deep.equal({});
    expect(checkout.text()).not.to.match(/Send|Scan/);
    expect(checkout.element.shadowRoot?.querySelector('.qr')).to.equal(null);
    await checkout.press('Get today’s rate');
    await checkout.waitFor('Send 139.48 USDC at today’s rate. Before, it was 139.214 USDC.');
    expect(checkout.copyable()).to.deep.equal({ Amount: '139.48 USDC', Address: muxedAddress });
  });
});

describe('<pay-checkout> after a crypto payment', () => {
  const ends: readonly (readonly [name: string, payment: Partial<Payment>, says: string, lacks?: string])[] = [
    [
      'one that ran out warns against paying twice',
      { status: 'failed', phase: 'expired', method: 'crypto' },
      'do not pay again',
      'Nothing was taken',
    ],
    [
      'one that ran out with something else received keeps it safe',
      { status: 'failed', phase: 'expired', method: 'crypto', exception: 'wrong_asset' },
      'What you sent is safe.',
      'Nothing was taken',
    ],
    [
      'late money is safe',
      { status: 'failed', phase: 'expired', method: 'crypto', exception: 'paid_late', amount_received: 12_840 },
      'Your money arrived after this payment expired.',
    ],
    [
      'too much is told',
      paidPayment({ method: 'crypto', exception: 'overpaid', amount_received: 13_340 }),
      'You sent €5.00 more than was asked.',
    ],
    [
      'a refund goes to the wallet',
      paidPayment({ method: 'crypto', status: 'refunded', phase: 'refunded', amount_refunded: 12_840 }),
      'It arrives in the wallet it came from within minutes.',
      'Banks',
    ],
  ];
  for (const [name, payment, says, lacks = 'no such words'] of ends) {
    it(name, async () => {
      const checkout = await takingCrypto(payment);
      await checkout.waitFor(says);
      expect(checkout.text()).not.to.include(lacks);
      await checkout.waitFor('help@nordlys.example');
      await expect(checkout.element).shadowDom.to.be.accessible();
    });
  }
});

describe('<pay-checkout> with the crypto tab on small and other screens', () => {
  for (const [name, width, text, dir] of [
    ['360 px', 320, 1, 'ltr'],
    ['360 px with text twice as large', 320, 2, 'ltr'],
    ['a page written from right to left', 320, 1, 'rtl'],
  ] as const) {
    it(`fits ${name}, list and transfer`, async () => {
      document.documentElement.dir = dir;
      for (const checkout of [await cryptoTab(), await waiting()]) {
        const { element } = checkout;
        element.style.setProperty('--pay-font-size', `${16 * text}px`);
        element.style.width = `${width}px`;
        await checkout.settle();
        const card = element.shadowRoot?.querySelector('.card') as HTMLElement;
        expect(card.scrollWidth, checkout.text()).to.be.at.most(width);
        for (const target of element.shadowRoot?.querySelectorAll(
          '#panel-crypto button, #panel-crypto label, summary',
        ) ?? []) {
          const box = target.getBoundingClientRect();
          if (box.width > 0) expect(Math.min(box.width, box.height), target.outerHTML).to.be.at.least(44);
        }
      }
    });
  }
});
