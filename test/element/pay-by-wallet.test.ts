import { expect } from '@open-wc/testing';
import { walletMachine } from '../../src/element/wallets/wallet-flow.ts';
import { type FreighterDouble, type FreighterSettings, installFreighterDouble } from '../support/freighter-double.ts';
import {
  awaitingCrypto,
  eurc,
  exampleWallet,
  muxedAddress,
  payerAddress,
  testnetPassphrase,
} from './support/example-crypto.ts';
import { paidPayment } from './support/example-payment.ts';
import { offerCrypto } from './support/fake-service.ts';
import { speedUpTimers } from './support/fast-timers.ts';
import { type Mounted, mount, serviceOf, tidyUp } from './support/mounted.ts';

let freighter: FreighterDouble | undefined;

afterEach(() => {
  freighter?.remove();
  freighter = undefined;
  tidyUp();
});

/** Installs a double of Freighter, on the payment's network, whose owner approves. */
function withFreighter(change: Partial<FreighterSettings> = {}): FreighterDouble {
  window.freighterDoubleSign = envelope => `signed ${envelope}`;
  freighter = installFreighterDouble({
    address: payerAddress,
    network: 'TESTNET',
    networkPassphrase: testnetPassphrase,
    isAllowed: false,
    access: 'grant',
    signing: 'sign',
    ...change,
  });
  return freighter;
}

async function waiting(): Promise<Mounted> {
  const checkout = await mount(offerCrypto(serviceOf(awaitingCrypto())));
  await checkout.waitForButton('Pay with Freighter');
  return checkout;
}

/** A checkout at the choice of a holding. */
async function choosing(): Promise<Mounted> {
  const checkout = await waiting();
  await checkout.press('Pay with Freighter');
  await checkout.waitForButton('Continue with EURC');
  return checkout;
}

/** A checkout at the review of the transaction. */
async function reviewing(): Promise<Mounted> {
  const checkout = await choosing();
  await checkout.press('Continue with EURC');
  await checkout.waitForButton('Confirm in Freighter');
  await checkout.settle();
  return checkout;
}

const asked = (type: string) => freighter?.requests.filter(request => request.type === type) ?? [];

describe('<pay-checkout> paying with Freighter', () => {
  it('is accessible at each step', async () => {
    withFreighter();
    const checkout = await choosing();
    await expect(checkout.element).shadowDom.to.be.accessible();
    await checkout.press('Continue with EURC');
    await checkout.waitForButton('Confirm in Freighter');
    await expect(checkout.element).shadowDom.to.be.accessible();
  });

  it('shows the holdings with the cost of each, payable ones first', async () => {
    withFreighter();
    const checkout = await choosing();
    expect(checkout.choices()).to.deep.equal([
      'EURC You have 5,120.55 about 128.90',
      'BRLC You have 900.00 about 752.00',
      'XLM You have 3.20, not enough about 412.09',
      'USDC You have 20.00, not enough about 139.21',
      'SHELL You have 12,000.00, no exchange found',
    ]);
    const radios = [...(checkout.element.shadowRoot?.querySelectorAll<HTMLInputElement>('[name=holding]') ?? [])];
    expect(radios.map(({ disabled }) => disabled)).to.deep.equal([false, false, true, true, true]);
    expect(checkout.text()).to.include('Pay 139.214 USDC with Your account GAIU…QTLV');
    const { query } = checkout.service.calls.find(call => call.query.has('payer_address')) ?? {};
    expect(query?.get('payer_address')).to.equal(payerAddress);
  });

  it('pays: review with the highest cost, signature, network, success', async () => {
    withFreighter();
    const checkout = await reviewing();
    const { body } = checkout.service.calls.find(({ path }) => path.endsWith('/wallet_transactions')) ?? {};
    expect(body).to.deep.equal({ chain: 'stellar', address: payerAddress, asset: eurc });
    for (const words of [
      'You pay about 128.9013 EURC, and never more than 129.5458065 EURC.',
      'may move by up to 0.5 %',
      'Arrives for this payment 139.214 USDC',
      'EURC → XLM → USDC',
      `From your account ${payerAddress}`,
    ]) {
      expect(checkout.text()).to.include(words);
    }
    await checkout.press('Confirm in Freighter');
    await checkout.waitFor('Your payment is on its way');
    expect(asked('SUBMIT_TRANSACTION')).to.deep.equal([
      {
        type: 'SUBMIT_TRANSACTION',
        network: undefined,
        networkPassphrase: testnetPassphrase,
        transactionXdr: 'AAAAwtx_1',
        accountToSign: payerAddress,
      },
    ]);
    const submitted = checkout.service.calls.find(({ path }) => path.endsWith('/wallet_transactions/wtx_1/submit'));
    expect(submitted?.body).to.deep.equal({ signed_envelope_xdr: 'signed AAAAwtx_1' });
    checkout.service.change(paidPayment({ method: 'crypto' }));
    await checkout.waitFor('Paid, thank you');
    expect(checkout.heard('pay-success')).to.equal(1);
  });

  it('takes the only payable holding without asking, and mentions no conversion when there is none', async () => {
    withFreighter();
    const checkout = await waiting();
    const [, usdc] = exampleWallet().assets;
    if (usdc) checkout.service.wallet = exampleWallet({ assets: [{ ...usdc, balance: '500.0000000' }] });
    await checkout.press('Pay with Freighter');
    await checkout.waitForButton('Confirm in Freighter');
    expect(checkout.text()).to.include('You pay 139.214 USDC.');
    expect(checkout.text()).not.to.include('may move');
  });

  it('keeps the focus on the main button, and says what it is waiting for', async () => {
    withFreighter({ signing: 'ignore' });
    const checkout = await reviewing();
    checkout.element.shadowRoot?.querySelector<HTMLElement>('.main')?.focus();
    await checkout.press('Confirm in Freighter');
    await checkout.settle();
    await checkout.waitForFocus('Confirm in Freighter');
    expect(checkout.spoken()).to.equal('Confirm in Freighter');
    const button = checkout.element.shadowRoot?.querySelector('.main');
    expect(button?.getAttribute('aria-disabled')).to.equal('true');
    expect(checkout.buttons()).not.to.include('Change what you pay with');
  });

  it('does not ask a payer for access again', async () => {
    withFreighter({ isAllowed: true, access: 'reject' });
    const checkout = await waiting();
    await checkout.press('Pay with Freighter');
    await checkout.waitForButton('Continue with EURC');
    expect(asked('REQUEST_ACCESS').length).to.equal(1);
  });
});

describe('<pay-checkout> when Freighter cannot be used', () => {
  it('says that it is not installed, where to get it, and keeps the QR code', async () => {
    speedUpTimers();
    const checkout = await waiting();
    await checkout.press('Pay with Freighter');
    await checkout.waitFor('Looking for Freighter');
    await checkout.waitFor('Freighter is not in this browser.');
    expect(checkout.alerts().join()).to.include('pay from any other Stellar wallet with the code above');
    expect(checkout.link('Get Freighter')).to.equal('https://www.freighter.app/');
    expect(checkout.copyable()['Address']).to.equal(muxedAddress);
    await expect(checkout.element).shadowDom.to.be.accessible();
    withFreighter();
    await checkout.press('Try again');
    await checkout.waitForButton('Continue with EURC');
  });

  it('names its network and how to switch, and continues after the switch', async () => {
    const { settings } = withFreighter({ network: 'PUBLIC', networkPassphrase: 'Public Global Stellar Network' });
    const checkout = await waiting();
    await checkout.press('Pay with Freighter');
    await checkout.waitFor('Your wallet is on PUBLIC, this payment is on TESTNET.');
    expect(checkout.text()).to.include('choose Test Net, then try again');
    expect(checkout.copyable()['Address']).to.equal(muxedAddress);
    expect(asked('REQUEST_ACCESS')).to.deep.equal([]);
    await expect(checkout.element).shadowDom.to.be.accessible();
    Object.assign(settings, { network: 'TESTNET', networkPassphrase: testnetPassphrase });
    await checkout.press('Try again');
    await checkout.waitForButton('Continue with EURC');
  });

  it('identifies networks by passphrase, not by name', async () => {
    withFreighter({ network: 'TESTNET', networkPassphrase: 'Standalone Network ; February 2017' });
    const checkout = await waiting();
    await checkout.press('Pay with Freighter');
    await checkout.waitFor('Your wallet is on TESTNET, this payment is on TESTNET.');
    expect(asked('SUBMIT_TRANSACTION')).to.deep.equal([]);
  });

  it('requests no signature after a switch to another network', async () => {
    const { settings } = withFreighter();
    const checkout = await reviewing();
    Object.assign(settings, { network: 'PUBLIC', networkPassphrase: 'Public Global Stellar Network' });
    await checkout.press('Confirm in Freighter');
    await checkout.waitFor('Your wallet is on PUBLIC, this payment is on TESTNET.');
    expect(asked('SUBMIT_TRANSACTION')).to.deep.equal([]);
  });

  it('accepts a refused access, and can ask again', async () => {
    const { settings } = withFreighter({ access: 'reject' });
    const checkout = await waiting();
    await checkout.press('Pay with Freighter');
    await checkout.waitFor('You did not let this page see your account. Nothing was sent.');
    settings.access = 'grant';
    await checkout.press('Try again');
    await checkout.waitForButton('Continue with EURC');
  });

  it('lets the payer stop waiting, and ignores later answers', async () => {
    const { settings } = withFreighter({ access: 'ignore' });
    const checkout = await waiting();
    await checkout.press('Pay with Freighter');
    await checkout.waitFor('Allow this page in Freighter');
    expect(checkout.copyable()['Address']).to.equal(muxedAddress);
    await checkout.press('Do not wait for Freighter');
    await checkout.waitForButton('Pay with Freighter');
    await checkout.settle();
    await checkout.waitForFocus('Pay with Freighter');
    settings.access = 'grant';
    await checkout.press('Pay with Freighter');
    await checkout.waitForButton('Continue with EURC');
  });

  it('submits no transaction that was signed after the payer returned to the QR code', async () => {
    withFreighter();
    const { promise, resolve: answer } = Promise.withResolvers<string>();
    window.freighterDoubleSign = () => promise;
    const checkout = await reviewing();
    await checkout.press('Confirm in Freighter');
    await checkout.settle();
    await checkout.press('Use the code instead');
    await checkout.waitForButton('Pay with Freighter');
    answer('signed AAAAwtx_1');
    for (let tries = 0; tries < 10; tries++) await checkout.settle();
    expect(checkout.service.count('POST /submit')).to.equal(0);
    expect(checkout.copyable()['Address']).to.equal(muxedAddress);
  });

  it('says so when the holdings cannot be read', async () => {
    withFreighter();
    const checkout = await waiting();
    checkout.service.refuseNext('GET /options', { status: 404, code: 'resource_missing', message: '' });
    await checkout.press('Pay with Freighter');
    await checkout.waitFor('Your account could not be looked at.');
    await checkout.press('Try again');
    await checkout.waitForButton('Continue with EURC');
  });

  const accounts = [
    ['account_missing', 'The account GAIU…QTLV does not exist on TESTNET yet. Put some XLM into it'],
    ['wrong_address', 'Freighter showed an account that cannot pay here.'],
  ] as const;
  for (const [problem, words] of accounts) {
    it(`explains what to do about ${problem}`, async () => {
      withFreighter();
      const checkout = await waiting();
      checkout.service.wallet = exampleWallet({ problem, assets: [] });
      await checkout.press('Pay with Freighter');
      await checkout.waitFor(words);
      checkout.service.wallet = exampleWallet();
      await checkout.press('Try again');
      await checkout.waitForButton('Continue with EURC');
    });
  }

  it('says that no holding suffices, and reads them again on request', async () => {
    withFreighter();
    const checkout = await waiting();
    checkout.service.wallet = exampleWallet({
      assets: exampleWallet().assets.map(held => ({ ...held, balance: held.amount_max === null ? '1' : '1.5000000' })),
    });
    await checkout.press('Pay with Freighter');
    await checkout.waitFor('Nothing in this account is enough.');
    await expect(checkout.element).shadowDom.to.be.accessible();
    checkout.service.wallet = exampleWallet();
    await checkout.press('Try again');
    await checkout.waitForButton('Continue with EURC');
  });

  it('requires a balance for the worst price allowed, to the stroop', async () => {
    withFreighter();
    const checkout = await waiting();
    const assets = exampleWallet().assets.map((held, at) => ({
      ...held,
      balance: at < 2 ? (held.amount_max ?? '0') : at === 2 ? '129.5458064' : '0',
    }));
    checkout.service.wallet = exampleWallet({ assets });
    await checkout.press('Pay with Freighter');
    await checkout.waitForButton('Continue with USDC');
    expect(checkout.choices().slice(0, 3)).to.deep.equal([
      'USDC You have 139.21 about 139.21',
      'XLM You have 414.15 about 412.09',
      'EURC You have 129.55, not enough about 128.90',
    ]);
  });
});

describe('<pay-checkout> when a payment with Freighter fails', () => {
  it('accepts a refused signature, and keeps the transaction to confirm', async () => {
    const { settings } = withFreighter({ signing: 'reject' });
    const checkout = await reviewing();
    await checkout.press('Confirm in Freighter');
    await checkout.waitFor('You did not confirm in Freighter. Nothing was sent.');
    await expect(checkout.element).shadowDom.to.be.accessible();
    expect(checkout.service.count('POST /submit')).to.equal(0);
    settings.signing = 'sign';
    await checkout.press('Confirm in Freighter');
    await checkout.waitFor('Your payment is on its way');
    expect(checkout.service.count('POST /wallet_transactions')).to.equal(1);
  });

  it('says that Freighter could not sign', async () => {
    withFreighter();
    window.freighterDoubleSign = () => Promise.reject(new Error('a broken extension'));
    const checkout = await reviewing();
    await checkout.press('Confirm in Freighter');
    await checkout.waitFor('Freighter could not sign. Nothing was sent.');
  });

  const refusals = [
    ['wallet_transaction_changed', 400, 'What Freighter signed is not what was prepared.', 'Confirm in Freighter', 1],
    ['stellar_bad_signature', 402, 'The signature is not of the account GAIU…QTLV.', 'Confirm in Freighter', 1],
    ['wallet_transaction_expired', 409, 'The time to confirm ran out.', 'Confirm in Freighter', 2],
    ['stellar_price_moved', 402, 'The price moved further than allowed.', 'Confirm in Freighter', 2],
    ['stellar_no_trustline', 402, 'does not take EURC.', 'Continue with EURC', 1],
    ['stellar_underfunded', 402, 'There is not enough EURC in your account.', 'Continue with EURC', 1],
    ['stellar_no_path', 402, 'EURC cannot be exchanged for this payment right now.', 'Continue with EURC', 1],
    ['stellar_account_missing', 402, 'Your account does not exist on this network.', 'Try again', 1],
    ['payment_conflict', 409, 'That did not work. Nothing was sent.', 'Confirm in Freighter', 1],
  ] as const;
  for (const [code, status, words, next, prepared] of refusals) {
    it(`explains ${code} with a next step`, async () => {
      withFreighter();
      const checkout = await reviewing();
      checkout.service.refuseNext('POST /submit', { status, code, message: 'in the words of a machine' });
      await checkout.press('Confirm in Freighter');
      await checkout.waitFor(words);
      await checkout.waitForButton(next);
      expect(checkout.alerts().filter(text => text.includes(words)).length).to.equal(1);
      expect(checkout.service.count('POST /wallet_transactions')).to.equal(prepared);
      await expect(checkout.element).shadowDom.to.be.accessible();
    });
  }

  const unprepared = [
    ['stellar_no_path', 402, 'EURC cannot be exchanged for this payment right now.', 'Continue with EURC'],
    ['stellar_account_missing', 402, 'Your account does not exist on this network.', 'Try again'],
    ['parameter_invalid', 400, 'That did not work. Nothing was sent.', 'Continue with EURC'],
  ] as const;
  for (const [code, status, words, next] of unprepared) {
    it(`explains ${code} before the confirmation`, async () => {
      withFreighter();
      const checkout = await choosing();
      checkout.service.refuseNext('POST /wallet_transactions', { status, code });
      await checkout.press('Continue with EURC');
      await checkout.waitFor(words);
      await checkout.waitForButton(next);
    });
  }

  it('warns against paying twice while the outcome is unknown, hides the QR code, and submits the same transaction again', async () => {
    withFreighter();
    const checkout = await reviewing();
    speedUpTimers();
    for (let tries = 0; tries < 4; tries++) {
      checkout.service.refuseNext('POST /submit', { status: 503, code: 'stellar_timeout' });
    }
    await checkout.press('Confirm in Freighter');
    await checkout.waitFor('Please do not pay a second time.');
    expect(checkout.copyable()).to.deep.equal({});
    expect(checkout.buttons()).to.deep.equal(['Check again']);
    await expect(checkout.element).shadowDom.to.be.accessible();
    await checkout.press('Check again');
    await checkout.waitFor('Your payment is on its way');
    const sent = checkout.service.calls.filter(({ path }) => path.endsWith('/submit')).map(({ body }) => body);
    expect(sent.length).to.equal(5);
    expect(new Set(sent.map(body => body['signed_envelope_xdr']))).to.deep.equal(new Set(['signed AAAAwtx_1']));
    expect(asked('SUBMIT_TRANSACTION').length).to.equal(1);
  });

  it('continues automatically when the deposit is seen before the answer', async () => {
    withFreighter();
    const checkout = await reviewing();
    checkout.service.hold('POST /submit');
    await checkout.press('Confirm in Freighter');
    await checkout.waitFor('Sending your payment');
    expect(checkout.buttons()).to.deep.equal(['Sending your payment']);
    checkout.service.change(paidPayment({ method: 'crypto' }));
    await checkout.waitFor('Paid, thank you');
  });

  it('drops the prepared transaction when a new rate changes the amount', async () => {
    withFreighter();
    const checkout = await reviewing();
    checkout.service.change({
      ...awaitingCrypto({ amount: '52.4760000', amount_received: '86.7380000' }),
      phase: 'partially_paid',
      exception: 'underpaid',
      amount_received: 8000,
    });
    await checkout.waitForButton('Pay with Freighter');
    expect(checkout.copyable()['Amount']).to.equal('52.476 USDC');
  });
});

describe('the steps of paying with a wallet', () => {
  it('lead back to the QR code, except when the network may have the payment', () => {
    const stuck = walletMachine.states.filter(step => step !== 'closed' && !walletMachine.can(step, 'closed'));
    expect(stuck).to.deep.equal(['unsure']);
  });
});
