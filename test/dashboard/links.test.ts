import '../../src/dashboard/links/links-page.ts';
import '../../src/dashboard/links/link-page.ts';
import { expect } from '@open-wc/testing';
import type { PaymentLink } from '../../src/api/link.ts';
import { paidPayment } from '../element/support/example-payment.ts';
import { listOf, Refusal } from './support/fake-service.ts';
import { deep, find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const mug = {
  id: 'plink_1',
  object: 'payment_link',
  url: 'https://pay.example/l/mug',
  state: 'open',
  status: 'active',
  qr_code_url: 'data:image/svg+xml,.svg',
  poster_url: 'https://pay.example/l/mug.pdf',
  description: 'Enamel mug',
  amount: 2_220,
  currency: 'EUR',
  custom_amount: null,
  reference: null,
  uses: 1,
  max_uses: 10,
  opens: 4,
  received: [{ currency: 'EUR', amount: 2_220 }],
  settlement_asset: 'USDC:GA',
  starts_at: null,
  expires_at: null,
  created_at: new Date().toISOString(),
  line_items: [],
  payment_methods: ['card'],
  livemode: false,
} as unknown as PaymentLink;

describe('the list of links', () => {
  it('shows price, state, payments and sum, and grows by itself', async () => {
    const service = serviceOf({ 'GET /v1/payment-links': listOf(mug) });
    const { page, live } = await mountPage('pay-links-page');
    live.start(page.app.client, 'links');
    await waitUntil(() => textOf(page).includes('Enamel mug'));
    expect(textOf(page)).to.match(/€22\.20.*Open.*1 of 10 payments/);
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    service.tell('payment_link.created', {
      ...mug,
      id: 'plink_2',
      description: 'Tip',
      amount: null,
      custom_amount: { max: 5_000 },
    });
    await waitUntil(() => textOf(page).includes('Up to €50.00'));
    live.stop();
    await expect(page).shadowDom.to.be.accessible();
  });

  it('teaches when it is empty, and offers nothing that the role may not do', async () => {
    serviceOf({ 'GET /v1/payment-links': listOf() });
    const { page } = await mountPage('pay-links-page', { role: 'viewer' });
    await waitUntil(() => textOf(page).includes('No links yet'));
    expect(textOf(page)).not.to.contain('New link');
  });

  it('has no error before anything was tried', async () => {
    serviceOf({ 'GET /v1/payment-links': listOf() });
    const { page } = await mountPage('pay-links-page');
    await waitUntil(() => textOf(page).includes('No links yet'));
    expect([...deep(page.renderRoot as ShadowRoot)].filter(element => element.matches('[role=alert]'))).to.deep.equal(
      [],
    );
  });

  it('creates a link from the typed fields, and opens it', async () => {
    const service = serviceOf({ 'GET /v1/payment-links': listOf(), 'POST /v1/payment-links': mug });
    const { page, visits } = await mountPage('pay-links-page', { query: 'new=1' });
    const type = (name: string, value: string) => {
      find<HTMLInputElement>(page, `input[name=${name}]`).value = value;
    };
    await waitUntil(() => textOf(page).includes('Last day'));
    type('amount', '22.2x');
    find(page, 'button', 'Create link').click();
    await settle(page);
    expect(textOf(page)).to.contain('Write the amount as a number');
    expect(service.callsOf('POST /v1/payment-links')).to.have.length(0);
    type('amount', '22.20');
    type('currency', 'eur');
    type('description', 'Enamel mug');
    find(page, 'label.check input').click();
    // Enter in a field presses the submit button of its form.
    const { form, type: kind } = find<HTMLButtonElement>(page, 'button', 'Create link');
    expect([form, kind]).to.deep.equal([find(page, 'form#link'), 'submit']);
    find(page, 'button', 'Create link').click();
    await waitUntil(() => visits.length > 0);
    expect(service.callsOf('POST /v1/payment-links')[0]?.body).to.deep.equal({
      currency: 'EUR',
      amount: 2_220,
      description: 'Enamel mug',
      single_use: true,
    });
    expect(visits).to.deep.equal(['/links/plink_1']);
  });

  it('shows a refusal at its field', async () => {
    const refused = new Refusal(400, 'parameter_invalid', 'ABC is no currency.', 'currency');
    serviceOf({ 'GET /v1/payment-links': listOf(), 'POST /v1/payment-links': refused });
    const { page } = await mountPage('pay-links-page', { query: 'new=1' });
    await waitUntil(() => textOf(page).includes('Last day'));
    find(page, 'button', 'Create link').click();
    await waitUntil(() => textOf(page).includes('ABC is no currency.'));
    expect(find(page, 'input[name=currency]').getAttribute('aria-invalid')).to.equal('true');
  });
});

describe('the page of a link', () => {
  const answers = {
    'GET /v1/payment-links/plink_1': mug,
    'GET /v1/payment-links/plink_1/payments': listOf(paidPayment({ payment_link: mug.id })),
  };

  it('shows code, address, poster and payments', async () => {
    const service = serviceOf(answers);
    const { page } = await mountPage('pay-link-page', { params: { id: 'plink_1' } });
    await waitUntil(() => /Paid/.test(textOf(page)));
    // Without it the service answers as to a payer.
    expect(service.callsOf('GET /v1/payment-links/plink_1')[0]?.headers.get('x-csrf-token')).to.equal('csrf_1');
    expect(textOf(page)).to.contain('pay.example/l/mug');
    expect(find(page, 'a', 'Poster').getAttribute('href')).to.equal(mug.poster_url);
    await expect(page).shadowDom.to.be.accessible();
  });

  it('turns the link off after it has said what that does', async () => {
    const service = serviceOf({
      ...answers,
      'PATCH /v1/payment-links/plink_1': { ...mug, status: 'disabled', state: 'disabled' },
    });
    const { page, toasts } = await mountPage('pay-link-page', { params: { id: 'plink_1' } });
    await waitUntil(() => textOf(page).includes('Turn off'));
    find(page, 'button', 'Turn off').click();
    await settle(page);
    expect(textOf(page)).to.contain('you can turn it on again');
    find(page, 'pay-dialog button.main', 'Turn off').click();
    await waitUntil(() => toasts.length > 0);
    expect(service.callsOf('PATCH /v1/payment-links/plink_1')[0]?.body).to.deep.equal({ status: 'disabled' });
    await waitUntil(() => textOf(page).includes('Turn on'));
  });
});
