import type { PayCheckout } from '../../../src/element/pay-checkout.ts';
import { type FreighterSettings, installFreighterDouble } from '../../support/freighter-double.ts';
import { awaitingCrypto, exampleWallet, payerAddress, testnetPassphrase } from '../support/example-crypto.ts';
import { exampleNow, exampleQuote, paidPayment } from '../support/example-payment.ts';
import { type FakeService, offerCrypto } from '../support/fake-service.ts';
import { press, type Story, wait } from './gallery-story.ts';

const past = new Date(exampleNow - 1000).toISOString();

/** Installs a double of Freighter whose owner approves. */
function freighter(change: Partial<FreighterSettings> = {}): void {
  window.freighterDoubleSign = envelope => `signed ${envelope}`;
  installFreighterDouble({
    address: payerAddress,
    network: 'TESTNET',
    networkPassphrase: testnetPassphrase,
    isAllowed: false,
    access: 'grant',
    signing: 'sign',
    ...change,
  });
}

/** Pays with Freighter by pressing buttons with these labels. */
const walk =
  (words: readonly string[], change: Partial<FreighterSettings> = {}, prepare?: (service: FakeService) => void) =>
  async (element: PayCheckout, service: FakeService) => {
    freighter(change);
    prepare?.(service);
    for (const word of ['Pay with Freighter', ...words]) {
      await press(element, word);
      await wait(200);
    }
  };

const refused =
  (code: string, status = 402) =>
  (service: FakeService) =>
    service.refuseNext('POST /submit', { status, code });

const awaiting: Story = { payment: awaitingCrypto() };
const toEurc = ['Continue with EURC'];

const crypto: Readonly<Record<string, Story>> = {
  'crypto-choose': { act: element => press(element, 'Crypto') },
  'crypto-choose-two-issuers': {
    prepare(service) {
      const [first] = service.options.crypto?.assets ?? [];
      const other = 'USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
      if (first) service.options.crypto?.assets.push({ ...first, asset: other, amount: '1139.2140000' });
    },
    act: element => press(element, 'Crypto'),
  },
  crypto: awaiting,
  'crypto-by-hand': { ...awaiting, act: element => press(element, 'My wallet cannot') },
  'crypto-short': {
    payment: {
      ...awaitingCrypto({ amount: '52.4760000', amount_received: '86.7380000' }),
      phase: 'partially_paid',
      exception: 'underpaid',
      amount_received: 8000,
    },
  },
  'crypto-wrong-asset': { payment: { ...awaitingCrypto(), exception: 'wrong_asset' } },
  'crypto-over': { payment: { ...awaitingCrypto(), expires_at: past, quote: exampleQuote({ expires_at: past }) } },
  'crypto-renewed': {
    payment: { ...awaitingCrypto(), expires_at: past, quote: exampleQuote({ expires_at: past }) },
    act: element => press(element, 'Get today’s rate'),
  },
  'crypto-confirming': { payment: { ...awaitingCrypto(), phase: 'confirming' } },
  'crypto-paid': { payment: paidPayment({ method: 'crypto' }) },
  'crypto-overpaid': { payment: paidPayment({ method: 'crypto', exception: 'overpaid', amount_received: 13_340 }) },
  'crypto-expired': { payment: { status: 'failed', phase: 'expired', method: 'crypto' } },
  'crypto-expired-wrong-asset': {
    payment: { status: 'failed', phase: 'expired', method: 'crypto', exception: 'wrong_asset' },
  },
  'crypto-refunded': {
    payment: paidPayment({ method: 'crypto', status: 'refunded', phase: 'refunded', amount_refunded: 12_840 }),
  },
  'wallet-missing': {
    ...awaiting,
    async act(element) {
      await press(element, 'Pay with Freighter');
      await wait(2200);
    },
  },
  'wallet-connecting': { ...awaiting, act: walk([], { access: 'ignore' }) },
  'wallet-refused': { ...awaiting, act: walk([], { access: 'reject' }) },
  'wallet-elsewhere': { ...awaiting, act: walk([], { network: 'PUBLIC', networkPassphrase: 'Public' }) },
  'wallet-account-missing': {
    ...awaiting,
    act: walk([], {}, service => {
      service.wallet = exampleWallet({ problem: 'account_missing', assets: [] });
    }),
  },
  'wallet-choose': { ...awaiting, act: walk([]) },
  'wallet-nothing': {
    ...awaiting,
    act: walk([], {}, service => {
      service.wallet = exampleWallet({ assets: exampleWallet().assets.map(held => ({ ...held, balance: '1.5' })) });
    }),
  },
  'wallet-review': { ...awaiting, act: walk(toEurc) },
  'wallet-review-exact': {
    ...awaiting,
    act: walk([], {}, service => {
      service.wallet = exampleWallet({
        assets: exampleWallet()
          .assets.slice(1, 2)
          .map(held => ({ ...held, balance: '500' })),
      });
    }),
  },
  'wallet-signing': { ...awaiting, act: walk([...toEurc, 'Confirm in Freighter'], { signing: 'ignore' }) },
  'wallet-rejected': { ...awaiting, act: walk([...toEurc, 'Confirm in Freighter'], { signing: 'reject' }) },
  'wallet-submitting': {
    ...awaiting,
    act: walk([...toEurc, 'Confirm in Freighter'], {}, service => void service.hold('POST /submit')),
  },
  'wallet-moved': {
    ...awaiting,
    act: walk([...toEurc, 'Confirm in Freighter'], {}, refused('stellar_price_moved')),
  },
  'wallet-underfunded': {
    ...awaiting,
    act: walk([...toEurc, 'Confirm in Freighter'], {}, refused('stellar_underfunded')),
  },
  'wallet-unsure': {
    ...awaiting,
    async act(element, service) {
      for (let tries = 0; tries < 4; tries++) refused('stellar_timeout', 503)(service);
      await walk([...toEurc, 'Confirm in Freighter'])(element, service);
      await wait(5500);
    },
  },
  'wallet-sent': { ...awaiting, act: walk([...toEurc, 'Confirm in Freighter']) },
};

/** The states of the crypto tab. */
export const cryptoStories: Readonly<Record<string, Story>> = Object.fromEntries(
  Object.entries(crypto).map(([name, story]) => [
    name,
    {
      ...story,
      prepare(service: FakeService) {
        offerCrypto(service);
        story.prepare?.(service);
      },
    },
  ]),
);
