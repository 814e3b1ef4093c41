import '../../src/dashboard/settings/rails-page.ts';
import { expect } from '@open-wc/testing';
import type { Capabilities, Capability } from '../../src/api/dashboard/capabilities.ts';
import { Refusal } from './support/fake-service.ts';
import { find, mountPage, serviceOf, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

function wayOf(fields: Partial<Capability>): Capability {
  return {
    id: 'sepa',
    type: 'bank_account',
    state: 'on',
    simulated: false,
    accepts: [],
    reason: null,
    arrives_at: null,
    settlement_days: null,
    confirmations: null,
    unreachable_since: null,
    settings: [],
    ...fields,
  };
}

const found: Capabilities = {
  object: 'capabilities',
  network: 'testnet',
  settlement_assets: ['XLM'],
  livemode: false,
  pay_in: [
    wayOf({ id: 'card', type: 'card', simulated: true, accepts: ['visa'] }),
    wayOf({ type: 'bank_transfer', accepts: ['EUR'], settlement_days: 1 }),
    wayOf({ id: 'mtn', type: 'mobile_money', simulated: true, accepts: ['UGX', 'GHS'] }),
    wayOf({ id: 'stellar', type: 'crypto', accepts: ['XLM', 'USDC:GA5Z'], confirmations: 1 }),
  ],
  pay_out: [
    wayOf({ id: 'mpesa', type: 'mobile_money', accepts: ['KES'] }),
    wayOf({
      id: 'ach',
      state: 'off',
      reason: 'The server has no account there.',
      settings: ['PAY_NETWORK', 'PAY_ACH_ROUTING'],
    }),
    wayOf({
      id: 'stellar',
      type: 'crypto_wallet',
      state: 'unreachable',
      reason: 'Stellar does not answer.',
      unreachable_since: new Date(2026, 10, 2, 9, 5).toISOString(),
    }),
  ],
};

const rowsOf = (page: Element) => [...(page.shadowRoot?.querySelectorAll('tbody tr') ?? [])].map(row => textOf(row));

describe('rails and chains', () => {
  it('says of each way whether it is on, and which settings turn it on', async () => {
    serviceOf({ 'GET /v1/capabilities': found });
    const { page } = await mountPage('pay-rails-page', { role: 'viewer' });
    await waitUntil(() => rowsOf(page).length === 7);
    expect(rowsOf(page)).to.deep.equal([
      'Cards Card Simulated Visa',
      'SEPA Bank transfer On EUR Arrives after 1 bank day',
      'MTN MoMo Mobile money Simulated UGX, GHS',
      'Stellar Crypto On XLM, USDC Final after 1 confirmation',
      'M-Pesa To mobile money On KES',
      'ACH To bank accounts Off The server has no account there. Turned on by PAY_NETWORK , PAY_ACH_ROUTING',
      'Stellar To wallets Does not answer Stellar does not answer. Since Nov 2, 09:05 AM',
    ]);
    expect(textOf(page)).to.contain('Stellar test network');
    await expect(page).to.be.accessible();
  });

  it('points to the operator where the service names no settings', async () => {
    serviceOf({ 'GET /v1/capabilities': { ...found, pay_in: [], pay_out: [] } });
    const { page } = await mountPage('pay-rails-page');
    await waitUntil(() => textOf(page).includes('None. Nothing is connected.'));
    expect(textOf(page)).to.contain('Who operates the server turns ways on');
  });

  it('shows a refusal, and loads again', async () => {
    const service = serviceOf({ 'GET /v1/capabilities': new Refusal(403, 'role_not_allowed', 'Ask an owner.') });
    const { page } = await mountPage('pay-rails-page');
    await waitUntil(() => textOf(page).includes('Ask an owner.'));
    service.answers['GET /v1/capabilities'] = found;
    find(page, 'button', 'Reload').click();
    await waitUntil(() => rowsOf(page).length === 7);
  });
});
