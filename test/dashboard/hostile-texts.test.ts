import '../../src/dashboard/balance/unmatched-page.ts';
import '../../src/dashboard/customers/customer-page.ts';
import '../../src/dashboard/customers/customers-page.ts';
import '../../src/dashboard/developers/events-page.ts';
import '../../src/dashboard/payments/payment-page.ts';
import '../../src/dashboard/payments/payments-page.ts';
import { expect } from '@open-wc/testing';
import { paidPayment } from '../element/support/example-payment.ts';
import { type Answer, exampleEvent, listOf } from './support/fake-service.ts';
import { deep, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

/** A text that runs if a page takes it as HTML. Pictures and scripts would both set `hacked`. */
const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const at = new Date().toISOString();

const customer = {
  ...{ id: 'cus_1', object: 'customer', email: 'ada@example.com', name: evil, phone: evil, tax_id: evil },
  ...{ address: { line1: evil, city: evil, country: 'DE' }, description: evil, metadata: { [evil]: evil } },
  ...{ livemode: false, created_at: at },
};
const payment = {
  ...paidPayment({ customer: { id: 'cus_1', email: 'ada@example.com', name: evil } }),
  ...{ description: evil, reference: evil, metadata: { [evil]: evil } },
  line_items: [{ name: evil, quantity: 1, amount: 12_840 }],
};
const transfer = {
  ...{ id: 'tr_1', object: 'transfer', rail: 'sepa', amount: 2_000, currency: 'EUR', asset: null, asset_amount: null },
  ...{ reference: evil, memo: evil, sender: evil, problem: null, status: 'unmatched', created_at: at },
};
const own = `GET /v1/payments/${payment.id}`;

/** Every page that shows texts of payers. Team, mails and deliveries have such a test beside their own. */
const pages: readonly (readonly [tag: string, answers: Record<string, Answer>, params?: Record<string, string>])[] = [
  ['pay-payments-page', { 'GET /v1/payments': listOf(payment) }],
  [
    'pay-payment-page',
    {
      [own]: payment,
      'GET /v1/events': listOf(exampleEvent('payment.completed', payment)),
      ...Object.fromEntries(
        [
          `${own}/attempts`,
          `${own}/refunds`,
          'GET /v1/transfers',
          'GET /v1/balance/entries',
          'GET /v1/webhook-endpoints',
        ].map(call => [call, listOf()]),
      ),
    },
    { id: payment.id },
  ],
  ['pay-customers-page', { 'GET /v1/customers': listOf(customer) }],
  [
    'pay-customer-page',
    { 'GET /v1/customers/cus_1': customer, 'GET /v1/payments': listOf(payment), 'GET /v1/invoices': listOf() },
    { id: 'cus_1' },
  ],
  ['pay-unmatched-page', { 'GET /v1/transfers': listOf(transfer) }],
  ['pay-events-page', { 'GET /v1/events': listOf(exampleEvent('payment.completed', payment)) }],
];

describe('a script that a payer has written', () => {
  for (const [tag, answers, params = {}] of pages) {
    it(`is text on ${tag}`, async () => {
      serviceOf(answers);
      const { page } = await mountPage(tag, { params });
      if (tag === 'pay-events-page') {
        await waitUntil(() => textOf(page).includes('payment.completed'));
        [...deep(page.renderRoot as ShadowRoot)]
          .find(element => element.matches('button.type'))
          ?.dispatchEvent(new Event('click'));
      }
      await waitUntil(() => /onerror=\\?"window\.hacked=1/.test(textOf(page)), 'the text is shown');
      await settle(page);
      const made = [...deep(page.renderRoot as ShadowRoot)].filter(element => element.matches('script, img[src=x]'));
      expect(made).to.deep.equal([]);
      expect(window).not.to.have.property('hacked');
    });
  }
});
