import '../../../src/element/define.ts';
import type { Payment } from '../../../src/api/payment.ts';
import {
  exampleInstructions,
  exampleNow,
  exampleOptions,
  examplePayment,
  exampleQuote,
  paidPayment,
  receivedPart,
} from '../support/example-payment.ts';
import { startFakeService } from '../support/fake-service.ts';
import { cryptoStories } from './gallery-crypto.ts';
import { press, type Story, wait } from './gallery-story.ts';

const bank: Partial<Payment> = { phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions() };
const short: Partial<Payment> = {
  phase: 'partially_paid',
  exception: 'underpaid',
  method: 'bank_transfer',
  amount_received: 8000,
  next_action: exampleInstructions(4840),
};
const past = new Date(exampleNow - 1000).toISOString();
const soon = new Date(exampleNow + 58_000).toISOString();

/**
 * A page that shows one state of the checkout: `gallery.html?state=declined&theme=dark&dir=rtl&text=200`. Without a
 * state it lists all. `?frame=` is the address of a real card frame. `npx vite .` serves the page at
 * `/test/element/gallery/gallery.html`.
 */
const stories: Readonly<Record<string, Story>> = {
  card: {},
  loading: { prepare: service => void service.hold('POST /open') },
  'bank-choose': { act: element => press(element, 'Bank') },
  bank: { payment: bank },
  'bank-ach': {
    payment: {
      ...bank,
      next_action: {
        ...exampleInstructions(13_921),
        rail: 'ach',
        currency: 'USD',
        qr: null,
        fields: [
          { name: 'account_holder', label: 'Account holder', value: 'Nordlys Supply', copyable: true },
          { name: 'routing_number', label: 'Routing number', value: '110000000', copyable: true },
          { name: 'account_number', label: 'Account number', value: '000123456789', copyable: true },
          { name: 'reference', label: 'Reference', value: 'NRD-7F3K-92QX', copyable: true },
          { name: 'amount', label: 'Amount in USD', value: '139.21', copyable: true },
        ],
      },
    },
  },
  short: { payment: short, act: element => press(element, 'Card') },
  'short-bank': { payment: short },
  firm: {
    payment: {
      created_at: new Date(exampleNow - 842_000).toISOString(),
      expires_at: soon,
      quote: exampleQuote({ expires_at: soon }),
    },
  },
  over: { payment: { expires_at: past, quote: exampleQuote({ expires_at: past }) } },
  'over-bank': {
    payment: {
      ...bank,
      next_action: { ...exampleInstructions(13_921), rail: 'ach', currency: 'USD' },
      expires_at: past,
      quote: exampleQuote({ expires_at: past }),
    },
  },
  declined: {
    payment: {
      last_attempt: {
        method: 'card',
        code: 'card_declined',
        message: 'Your bank declined the card. Try another card, or pay another way.',
      },
    },
  },
  challenge: {
    payment: {
      phase: 'requires_action',
      method: 'card',
      next_action: { type: 'redirect', url: `${location.origin}/test/element/fake-bank-page.html` },
    },
  },
  'challenge-open': {
    payment: {
      phase: 'requires_action',
      method: 'card',
      next_action: { type: 'redirect', url: `${location.origin}/test/element/fake-bank-page.html` },
    },
    act: element => press(element, 'Continue to your bank'),
  },
  processing: { payment: { phase: 'processing', method: 'card' } },
  offline: {
    async act(_element, service) {
      // Live updates, which notice it, are loaded some time after the payment.
      await wait(2000);
      service.offline = true;
      Object.defineProperty(navigator, 'onLine', { value: false });
      dispatchEvent(new Event('offline'));
      await wait(200);
    },
  },
  unreachable: {
    prepare(service) {
      service.offline = true;
    },
    act: () => wait(6000),
  },
  'link-wrong': {
    prepare: service =>
      service.refuseNext('POST /open', {
        status: 404,
        code: 'resource_missing',
        message: 'No such payment.',
      }),
  },
  'frame-silent': {
    prepare: service => {
      service.options = exampleOptions(12_840, `${location.origin}/test/element/fake-bank-page.html`);
    },
    act: () => wait(9_000),
  },
  paid: { payment: paidPayment() },
  'paid-in-parts': {
    payment: paidPayment({
      received: [
        receivedPart({ method: 'bank_transfer', rail: 'sepa', amount: '64.20', credited: 6420 }),
        receivedPart({ card: { brand: 'visa', last4: '4242' }, amount: '32.10', credited: 3210 }),
        receivedPart({
          method: 'crypto',
          chain: 'stellar',
          asset: 'USDC',
          amount: '34.9890000',
          credited: 3210,
          tx_hash: '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889',
        }),
      ],
    }),
  },
  overpaid: { payment: paidPayment({ exception: 'overpaid', amount_received: 13_340, method: 'bank_transfer' }) },
  'paid-refunded-partly': { payment: paidPayment({ phase: 'partially_refunded', amount_refunded: 2000 }) },
  refunded: { payment: paidPayment({ status: 'refunded', phase: 'refunded', amount_refunded: 12_840 }) },
  expired: { payment: { status: 'failed', phase: 'expired', redirect_url: 'https://nordlys.example/' } },
  'expired-short': { payment: { ...short, status: 'failed', phase: 'expired', next_action: null } },
  'paid-late': {
    payment: {
      status: 'failed',
      phase: 'expired',
      exception: 'paid_late',
      amount_received: 12_840,
      method: 'bank_transfer',
    },
  },
  canceled: { payment: { status: 'failed', phase: 'canceled' } },
  failed: { payment: { status: 'failed', phase: 'declined' } },
  closed: { payment: { payment_methods: ['crypto'] } },
  'one-method': { payment: { payment_methods: ['card'] } },
  details: { attributes: { 'api-key': 'pk_test_1', amount: '12840', currency: 'EUR', 'settlement-asset': 'USDC' } },
  'details-wrong': {
    attributes: { 'api-key': 'pk_test_1', amount: '12840', currency: 'EUR', 'settlement-asset': 'USDC' },
    act: element => press(element, 'Continue'),
  },
  'secret-key': { attributes: { 'api-key': 'sk_test_1', amount: '12840', currency: 'EUR' } },
  'popup-button': {
    attributes: {
      'api-key': 'pk_test_1',
      amount: '12840',
      currency: 'EUR',
      mode: 'popup',
      'customer-email': 'jo@example.com',
    },
  },
  popup: {
    attributes: {
      'api-key': 'pk_test_1',
      amount: '12840',
      currency: 'EUR',
      mode: 'popup',
      'customer-email': 'jo@example.com',
    },
    act: async element => {
      element.open();
      await wait(500);
    },
  },
  long: {
    payment: {
      amount: 12_345_678_900,
      currency: 'VND',
      reference: 'Bestellnummer-2026-11-21-0000000001042',
      merchant: {
        name: 'Donaudampfschifffahrtsgesellschaftskapitänsmützenmanufaktur & Söhne',
        support_email: null,
        support_url: null,
        logo: null,
        primary_color: '#0a7d55',
      },
    },
  },
  brand: {
    payment: {
      merchant: { name: 'Sunny', support_email: null, support_url: null, logo: null, primary_color: '#ffd400' },
    },
  },
  ...cryptoStories,
};

const query = new URLSearchParams(location.search);
const name = query.get('state');
const story = name ? stories[name] : undefined;

if (story) await show(story);
else list();

async function show({ payment, attributes, prepare, act }: Story): Promise<void> {
  localStorage.clear();
  sessionStorage.clear();
  const service = startFakeService(examplePayment(payment));
  const frame = query.get('frame');
  if (frame)
    service.options = exampleOptions(
      service.payment.amount - service.payment.amount_received,
      new URL(frame, location.href).href,
    );
  if (service.payment.currency !== 'EUR' && service.options.card) {
    service.options = { ...service.options, card: { ...service.options.card, currency: service.payment.currency } };
  }
  prepare?.(service);
  document.documentElement.dir = query.get('dir') ?? 'ltr';
  const element = document.createElement('pay-checkout');
  const given = attributes ?? {
    'payment-id': service.payment.id,
    'client-secret': 'pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_x1',
  };
  for (const [attribute, value] of Object.entries(given)) element.setAttribute(attribute, value);
  element.baseUrl = location.origin;
  element.theme = query.get('theme') ?? 'light';
  document.documentElement.style.colorScheme = element.theme;
  element.locale = query.get('locale') ?? 'en';
  if (query.has('text')) element.style.setProperty('--pay-font-size', `${(Number(query.get('text')) * 16) / 100}px`);
  document.body.append(element);
  await wait(700);
  await act?.(element, service);
  await wait(300);
  document.body.dataset['settled'] = '';
}

function list(): void {
  for (const state of Object.keys(stories)) {
    const link = document.createElement('a');
    link.href = `?state=${state}`;
    link.textContent = state;
    const line = document.createElement('p');
    line.append(link);
    document.body.append(line);
  }
}
