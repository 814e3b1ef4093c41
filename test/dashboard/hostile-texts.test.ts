import '../../src/dashboard/balance/dispute-page.ts';
import '../../src/dashboard/balance/unmatched-page.ts';
import '../../src/dashboard/customers/customer-page.ts';
import '../../src/dashboard/customers/customers-page.ts';
import '../../src/dashboard/developers/events-page.ts';
import '../../src/dashboard/frame/dashboard-app.ts';
import '../../src/dashboard/home/home-page.ts';
import '../../src/dashboard/invoices/invoice-page.ts';
import '../../src/dashboard/invoices/invoices-page.ts';
import '../../src/dashboard/links/link-page.ts';
import '../../src/dashboard/links/links-page.ts';
import '../../src/dashboard/payments/payment-page.ts';
import '../../src/dashboard/payments/payments-page.ts';
import { expect, fixture, html } from '@open-wc/testing';
import { paidPayment } from '../element/support/example-payment.ts';
import { type Answer, exampleEvent, listOf } from './support/fake-service.ts';
import { historyAnswer } from './support/history-answer.ts';
import {
  deep,
  exampleSession,
  find,
  mountPage,
  serviceOf,
  settle,
  textOf,
  tidyUp,
  waitUntil,
} from './support/mounted.ts';

const start = location.pathname + location.search;
afterEach(() => {
  tidyUp();
  history.replaceState(null, '', start);
});

/** A text that runs if a page takes it as HTML. Pictures and scripts would both set `hacked`. */
const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const at = new Date().toISOString();

const customer = {
  id: 'cus_1',
  object: 'customer',
  email: 'ada@example.com',
  name: evil,
  phone: evil,
  tax_id: evil,
  address: { line1: evil, city: evil, country: 'DE' },
  description: evil,
  metadata: { [evil]: evil },
  livemode: false,
  created_at: at,
};
const payment = {
  ...paidPayment({ customer: { id: 'cus_1', email: 'ada@example.com', name: evil } }),
  description: evil,
  reference: evil,
  metadata: { [evil]: evil },
  line_items: [{ name: evil, quantity: 1, amount: 12_840 }],
};
const transfer = {
  id: 'tr_1',
  object: 'transfer',
  rail: 'sepa',
  amount: 2_000,
  currency: 'EUR',
  asset: null,
  asset_amount: null,
  reference: evil,
  memo: evil,
  sender: evil,
  problem: null,
  failure: null,
  status: 'unmatched',
  created_at: at,
};
const invoice = {
  id: 'inv_1',
  object: 'invoice',
  status: 'sent',
  number: 'INV-1',
  currency: 'EUR',
  total: 0,
  taxes: [],
  customer: { id: 'cus_1', email: 'ada@example.com', name: evil, address: customer.address, tax_id: evil },
  lines: [{ description: evil, quantity: '1', unit: evil, unit_amount: 0, subtotal: 0, total: 0, taxes: [] }],
  discount_total: 0,
  amount_paid: 0,
  amount_credited: 0,
  amount_remaining: 0,
  amount_overpaid: 0,
  amount_refunded: 0,
  due_date: null,
  installments: [],
  reference: evil,
  memo: evil,
  footer: evil,
  sent_at: null,
  viewed_at: null,
  hosted_invoice_url: null,
  pdf_url: null,
  buyer_reference: evil,
  order_number: evil,
  delivery_date: null,
  period: null,
  warnings: [],
  metadata: { [evil]: evil },
};
const link = {
  id: 'plink_1',
  object: 'payment_link',
  url: 'https://pay.example/l/1',
  state: 'open',
  status: 'active',
  qr_code_url: 'data:image/svg+xml,.svg',
  poster_url: 'https://pay.example/l/1.pdf',
  description: evil,
  amount: 2_220,
  currency: 'EUR',
  custom_amount: null,
  reference: evil,
  uses: 1,
  max_uses: 10,
  opens: 4,
  received: [],
  settlement_asset: 'USDC:GA',
  starts_at: null,
  expires_at: null,
  line_items: [],
  payment_methods: ['card'],
  livemode: false,
  created_at: at,
};
const dispute = {
  id: 'dp_1',
  object: 'dispute',
  payment: payment.id,
  amount: 2_840,
  currency: 'EUR',
  reason: 'fraudulent',
  status: 'under_review',
  outcome: null,
  closed_at: null,
  evidence_submitted_at: at,
  evidence_due_at: at,
  evidence: { explanation: evil, tracking_number: evil, customer_message: evil, file_names: [evil] },
  livemode: false,
  created_at: at,
};
const own = `GET /v1/payments/${payment.id}/history`;

/** Pages that show texts of payers. Team, mails and deliveries have such a test beside their own. */
const pages: readonly (readonly [tag: string, answers: Record<string, Answer>, params?: Record<string, string>])[] = [
  ['pay-payments-page', { 'GET /v1/payments': listOf(payment) }],
  [
    'pay-payment-page',
    { [own]: historyAnswer(payment as never, { event: [exampleEvent('payment.completed', payment)] }) },
    { id: payment.id },
  ],
  ['pay-customers-page', { 'GET /v1/customers': listOf(customer) }],
  [
    'pay-customer-page',
    {
      'GET /v1/customers/cus_1': customer,
      'GET /v1/payments': listOf(payment),
      'GET /v1/invoices': listOf(),
      'GET /v1/customer-credits': listOf(),
    },
    { id: 'cus_1' },
  ],
  ['pay-unmatched-page', { 'GET /v1/transfers': listOf(transfer) }],
  ['pay-invoices-page', { 'GET /v1/invoices': listOf(invoice) }],
  [
    'pay-invoice-page',
    {
      'GET /v1/invoices/inv_1': invoice,
      'GET /v1/invoices/inv_1/payments': listOf(payment),
      'GET /v1/invoices/inv_1/credit-notes': listOf(),
      'GET /v1/invoices/inv_1/reminders': listOf(),
      'GET /v1/events': listOf(exampleEvent('invoice.sent', invoice)),
    },
    { id: 'inv_1' },
  ],
  ['pay-links-page', { 'GET /v1/payment-links': listOf(link) }],
  [
    'pay-link-page',
    { 'GET /v1/payment-links/plink_1': link, 'GET /v1/payment-links/plink_1/payments': listOf(payment) },
    { id: 'plink_1' },
  ],
  ['pay-dispute-page', { 'GET /v1/disputes/dp_1': dispute }, { id: 'dp_1' }],
  ['pay-home-page', { 'GET /v1/payments': listOf(payment) }],
  ['pay-events-page', { 'GET /v1/events': listOf(exampleEvent('payment.completed', payment)) }],
];

/** Waits until the page shows the text, and looks for what it would have made. */
async function expectInert(root: HTMLElement): Promise<void> {
  await waitUntil(() => /onerror=\\?"window\.hacked=1/.test(textOf(root)), 'the text is shown');
  await settle(root);
  const made = [...deep(root.shadowRoot ?? root)].filter(element => element.matches('script, img[src=x]'));
  expect(made).to.deep.equal([]);
  expect(window).not.to.have.property('hacked');
}

describe('a script that a payer has written', () => {
  for (const [tag, answers, params = {}] of pages) {
    it(`is text on ${tag}`, async () => {
      serviceOf(answers);
      const { page } = await mountPage(tag, { params });
      if (tag === 'pay-events-page') {
        await waitUntil(() => textOf(page).includes('payment.completed'));
        find(page, 'button.type').click();
      }
      await expectInert(page);
    });
  }

  it('is text in a message and at the bell', async () => {
    const service = serviceOf({
      'GET /v1/session': exampleSession(),
      'GET /v1/payments': listOf(),
      'GET /v1/events': listOf(exampleEvent('payment.completed', payment)),
    });
    history.replaceState(null, '', '/dashboard/payments');
    const app = await fixture<HTMLElement>(html`<pay-dashboard></pay-dashboard>`);
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1 && find(app, 'pay-bell'));
    service.tell('payment.completed', payment);
    await expectInert(find(app, 'pay-toasts'));
    find(app, 'button', 'Notifications, 1 new').click();
    await expectInert(find(app, 'pay-bell'));
  });
});
