import '../../src/dashboard/customers/customer-page.ts';
import '../../src/dashboard/customers/customers-page.ts';
import { expect } from '@open-wc/testing';
import { paidPayment } from '../element/support/example-payment.ts';
import { listOf, Refusal } from './support/fake-service.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const ada = {
  id: 'cus_1',
  object: 'customer',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  phone: null,
  tax_id: null,
  address: { line1: 'Main Street 1', state: 'CA', country: 'US' },
  description: null,
  metadata: { tier: 'gold' },
  created_at: new Date().toISOString(),
};

describe('customers', () => {
  it('are found by e-mail, and created with an error at its field', async () => {
    const refused = new Refusal(400, 'parameter_invalid', 'This is no e-mail address.', 'email');
    const service = serviceOf({ 'GET /v1/customers': listOf(ada), 'POST /v1/customers': refused });
    const { page, visits } = await mountPage('pay-customers-page', { query: 'email=ada@example.com' });
    await waitUntil(() => textOf(page).includes('Ada Lovelace'));
    expect(service.callsOf('GET /v1/customers')[0]?.query.get('email')).to.equal('ada@example.com');
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'New customer').click();
    await settle(page);
    const email = find<HTMLInputElement>(page, 'pay-dialog input[name=email]');
    email.value = 'grace@example.com';
    email.dispatchEvent(new InputEvent('input'));
    await settle(page);
    find(page, 'button', 'Create customer').click();
    await waitUntil(() => textOf(page).includes('This is no e-mail address.'));
    const inDialog = find(page, 'pay-action-dialog').shadowRoot;
    await waitUntil(() => inDialog?.activeElement?.getAttribute('name') === 'email');
    const city = find<HTMLInputElement>(page, 'pay-dialog input[name="address.city"]');
    city.value = 'Bonn';
    city.dispatchEvent(new InputEvent('input'));
    service.answers['POST /v1/customers'] = ada;
    find(page, 'button', 'Create customer').click();
    await waitUntil(() => visits.includes('/customers/cus_1'));
    const created = { email: 'grace@example.com', address: { city: 'Bonn' } };
    expect(service.callsOf('POST /v1/customers').at(-1)?.body).to.deep.equal(created);
  });

  it('show their payments and invoices, and keep what an edit does not name', async () => {
    const service = serviceOf({
      'GET /v1/customers/cus_1': ada,
      'GET /v1/payments': listOf(paidPayment()),
      'GET /v1/invoices': listOf(),
      'GET /v1/customer-credits': listOf(
        { id: 'cred_1', object: 'customer_credit', currency: 'EUR', amount: 3_000 },
        { id: 'cred_2', object: 'customer_credit', currency: 'JPY', amount: 500 },
      ),
      'PATCH /v1/customers/cus_1': ada,
    });
    const { page, toasts } = await mountPage('pay-customer-page', { params: { id: 'cus_1' } });
    await waitUntil(() => textOf(page).includes('€128.40'));
    expect(textOf(page)).to.contain('Credit €30.00 Credit ¥500').and.contain('Metadata Edit tier gold');
    expect(service.callsOf('GET /v1/customer-credits')[0]?.query.get('customer')).to.equal('cus_1');
    expect(service.callsOf('GET /v1/payments')[0]?.query.get('customer')).to.equal('ada@example.com');
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Edit').click();
    await settle(page);
    find(page, 'pay-dialog button.main', 'Save').click();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('PATCH /v1/customers/cus_1')[0]?.body).to.deep.include({
      name: 'Ada Lovelace',
      phone: null,
      address: { line1: 'Main Street 1', state: 'CA', country: 'US' },
    });
    find(page, 'button', 'Edit metadata').click();
    await settle(page);
    const value = find<HTMLInputElement>(page, 'pay-dialog input[name=value_0]');
    value.value = 'silver';
    value.dispatchEvent(new InputEvent('input'));
    await settle(page);
    find(page, 'pay-dialog button.main', 'Save').click();
    await waitUntil(() => toasts.length === 2);
    expect(service.callsOf('PATCH /v1/customers/cus_1')[1]?.body).to.deep.equal({ metadata: { tier: 'silver' } });
  });

  it('are read again after events of their objects only', async () => {
    const service = serviceOf({
      'GET /v1/customers/cus_1': ada,
      'GET /v1/payments': listOf(),
      'GET /v1/invoices': listOf(),
      'GET /v1/customer-credits': listOf(),
    });
    const { page, live } = await mountPage('pay-customer-page', { params: { id: 'cus_1' } });
    live.start(page.app.client, 'customer');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    service.tell('invoice.paid', { id: 'inv_2', customer: { id: 'cus_2', email: 'eve@example.com' } });
    service.tell('invoice.paid', { id: 'inv_1', customer: { id: 'cus_1', email: ada.email } });
    service.answers['GET /v1/payments'] = listOf(paidPayment());
    await waitUntil(() => textOf(page).includes('€128.40'));
    live.stop();
    expect(service.callsOf('GET /v1/payments')).to.have.length(2);
  });
});
