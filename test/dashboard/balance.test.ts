import '../../src/dashboard/balance/balance-page.ts';
import '../../src/dashboard/balance/movements-page.ts';
import '../../src/dashboard/balance/unmatched-page.ts';
import { expect } from '@open-wc/testing';
import { listOf, Refusal } from './support/fake-service.ts';
import { deep, find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const at = new Date().toISOString();
const balance = {
  object: 'balance',
  available: [{ currency: 'EUR', amount: 12_840 }],
  pending: [],
  reserved: [],
  livemode: false,
  suspense: [{ asset: 'USDC:GA', amount: '20.0000000' }],
  receivable: [],
};
const account = { settlement: { asset: 'USDC', stellar_address: 'GABCDEFGHIJKLMNOP', schedule: 'manual' } };
const entry = {
  id: 'be_1',
  object: 'balance_entry',
  account: 'available',
  kind: 'payment',
  amount: 12_840,
  currency: 'EUR',
  asset: null,
  asset_amount: null,
  payment: 'pay_123456789012',
  refund: null,
  source: null,
  created_at: at,
};
const stray = {
  id: 'tr_1',
  object: 'transfer',
  rail: 'sepa',
  amount: 2_000,
  currency: 'EUR',
  asset: null,
  asset_amount: null,
  reference: 'thanks',
  memo: null,
  sender: 'Ada Lovelace',
  problem: null,
  status: 'unmatched',
  created_at: at,
  failure: { code: 'account_closed', message: 'The account is closed.' },
};

async function openBalance(more: Parameters<typeof serviceOf>[0] = {}) {
  const known = { 'GET /v1/balance': balance, 'GET /v1/account': account, 'GET /v1/balance/entries': listOf(entry) };
  const service = serviceOf({ ...known, ...more });
  const { page, toasts } = await mountPage('pay-balance-page');
  await waitUntil(() => textOf(page).includes('Withdraw'));
  const type = async (value: string) => {
    const input = find<HTMLInputElement>(page, 'input[name=amount]');
    input.value = value;
    input.dispatchEvent(new InputEvent('input'));
    await settle(page);
  };
  const press = async (name: string, selector = 'button') => {
    find(page, selector, name).click();
    await settle(page);
  };
  /** The units that a form of the page offers, by its label. */
  const offeredIn = (form: string) => [...deep(find(page, form))].filter(each => each.matches('option')).map(textOf);
  return { service, page, toasts, type, press, offeredIn };
}

describe('the balance', () => {
  it('shows each part and its entries', async () => {
    const { page, offeredIn } = await openBalance();
    expect(textOf(page)).to.match(/Available.*€128\.40.*To decide.*20\.00 USDC/);
    expect(offeredIn('form')).to.deep.equal(['EUR', 'USDC']);
    await expect(page).shadowDom.to.be.accessible();
  });

  it('is withdrawn after the page has said what arrives where', async () => {
    const { service, page, toasts, type, press } = await openBalance({ 'POST /v1/balance/withdrawals': {} });
    await press('Withdraw');
    expect(find<HTMLButtonElement>(page, 'pay-dialog button.main').disabled).to.equal(true);
    await type('100.50');
    expect(textOf(page)).to.match(/Leaves the balance €100\.50.*USDC, at the market rate.*GABCDE/);
    await press('Withdraw €100.50');
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('POST /v1/balance/withdrawals')[0]?.body).to.deep.equal({ currency: 'EUR', amount: 10_050 });
  });

  it('is stated in the settlement asset also before it is held', async () => {
    const { offeredIn } = await openBalance({ 'GET /v1/balance': { ...balance, suspense: [] } });
    expect(offeredIn('form')).to.deep.equal(['EUR', 'USDC']);
  });

  it('says where to send money, and shows a refusal of the amount at its field', async () => {
    const way = {
      type: 'bank_instructions',
      rail: 'sepa',
      reference: 'TU-1',
      currency: 'EUR',
      amount: 5_000,
      qr: null,
      fields: [{ name: 'iban', label: 'IBAN', value: 'DE02 1203' }],
    };
    const refused = new Refusal(400, 'invalid_amount', 'Too much.', 'amount');
    const { service, page, type, press, offeredIn } = await openBalance({ 'POST /v1/balance/top-ups': refused });
    await press('Add money');
    expect(offeredIn('pay-dialog')).to.deep.equal(['EUR', 'USDC']);
    await type('50');
    await press('Show where to send');
    await waitUntil(() => textOf(page).includes('Too much.'));
    service.answers['POST /v1/balance/top-ups'] = { id: 'tu_1', instructions: way };
    await press('Show where to send');
    await waitUntil(() => textOf(page).includes('Reference (required)'));
    expect(textOf(page)).to.contain('TU-1');
  });
});

describe('top-ups and withdrawals', () => {
  const unit = { currency: 'EUR', asset: null, metadata: {}, livemode: false, created_at: at };
  const topUp = {
    ...unit,
    id: 'tu_1',
    object: 'top_up',
    status: 'awaiting_funds',
    amount: null,
    amount_received: 700,
    instructions: {
      type: 'bank_instructions',
      rail: 'sepa',
      reference: 'TU-1',
      currency: 'EUR',
      amount: null,
      qr: null,
      fields: [
        { name: 'iban', label: 'IBAN', value: 'DE02 1203' },
        { name: 'reference', label: 'Reference', value: 'TU-1' },
      ],
    },
  };
  const withdrawal = {
    ...unit,
    id: 'wd_1',
    object: 'withdrawal',
    status: 'failed',
    amount: 10_050,
    tx_hash: null,
    ledger: null,
    paid: { asset: 'USDC:GA', amount: '109.5450000' },
    destination: { address: 'GABCDEFGHIJKLMNOPQRSTUV' },
    failure: { code: 'no_trustline', message: 'The account does not hold USDC.' },
  };

  it('are found again with their state, and say again where to send money', async () => {
    const service = serviceOf({
      'GET /v1/balance/top-ups': listOf(topUp),
      'GET /v1/balance/withdrawals': listOf(withdrawal),
    });
    const { page, live } = await mountPage('pay-movements-page');
    live.start(page.app.client, 'movements');
    await waitUntil(() => /Any EUR.*Waiting.*€7\.00.*TU-1/.test(textOf(page)));
    expect(textOf(page)).to.match(/€100\.50.*Failed The account does not hold USDC\..*109\.545 USDC.*GABCDE/);
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Where to send').click();
    await waitUntil(() => textOf(page).includes('DE02 1203'));
    expect(textOf(page).match(/Reference \(required\) TU-1/g)).to.have.length(1);
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    service.answers['GET /v1/balance/top-ups'] = listOf({ ...topUp, status: 'received' });
    service.tell('top_up.received', { id: 'tu_1' });
    await waitUntil(() => textOf(page).includes('Received €7.00'), 'the new state');
    live.stop();
  });
});

describe('the ledger', () => {
  it('is exported as a whole, and a refusal is shown', async () => {
    const refused = new Refusal(403, 'role_not_allowed', 'Ask an owner.');
    const { service, page, press } = await openBalance({ 'GET /v1/ledger.csv': refused });
    await press('Ledger as CSV');
    await waitUntil(() => textOf(page).includes('Ask an owner.'));
    expect(service.callsOf('GET /v1/ledger.csv')).to.have.length(1);
  });
});

describe('unmatched money', () => {
  it('is assigned to a payment, or sent back', async () => {
    const service = serviceOf({ 'GET /v1/transfers': listOf(stray), 'POST /v1/transfers/tr_1/assign': stray });
    const { page, toasts } = await mountPage('pay-unmatched-page');
    await waitUntil(() => textOf(page).includes('thanks'));
    expect(service.callsOf('GET /v1/transfers')[0]?.query.get('status')).to.equal('unmatched');
    expect(textOf(page)).to.contain('Not sent back: The account is closed.');
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Send back €20.00, tr_1').click();
    await settle(page);
    expect(textOf(page)).to.contain('Send back €20.00');
    find(page, 'button', 'Go back').click();
    await settle(page);
    find(page, 'button', 'Assign €20.00, tr_1').click();
    await settle(page);
    const input = find<HTMLInputElement>(page, 'input[name=payment_id]');
    input.value = 'pay_1';
    input.dispatchEvent(new InputEvent('input'));
    await settle(page);
    find(page, 'pay-dialog button.main', 'Assign').click();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('POST /v1/transfers/tr_1/assign')[0]?.body).to.deep.equal({ payment_id: 'pay_1' });
    await waitUntil(() => textOf(page).includes('Nothing to decide'));
  });
});
