import '../../src/dashboard/balance/approvals-page.ts';
import '../../src/dashboard/balance/movements-page.ts';
import '../../src/dashboard/balance/unmatched-page.ts';
import '../../src/dashboard/settings/settings-page.ts';
import { expect } from '@open-wc/testing';
import { balance } from '../../src/dashboard/balance/module.ts';
import { listOf, Refusal } from './support/fake-service.ts';
import { find, mountPage, repeatedNames, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const at = new Date().toISOString();
const member = { object: 'team_member', role: 'finance', two_factor: false, created_at: at, last_seen_at: null };
const team = listOf(
  { ...member, id: 'person_1', name: 'Ada Lovelace', email: 'ada@example.com' },
  { ...member, id: 'person_2', name: 'Grace Hopper', email: 'grace@example.com' },
);
const withdrawal = {
  ...{ id: 'appr_1', object: 'approval', kind: 'withdrawal', status: 'awaiting_approval', subject: 'wd_1' },
  description: 'Withdrawal of 500.00 EUR to GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  ...{ worth: { amount: 50_000, currency: 'EUR' }, change: null, requested_by: 'person_2', decided_by: null },
  ...{ decided_at: null, livemode: false, created_at: at },
};
const own = { ...withdrawal, id: 'appr_2', kind: 'conversion', description: 'Conversion of 900.00 EUR to USD' };
const ownRequest = { ...own, subject: 'conv_1', requested_by: 'person_1' };
const byKey = { ...withdrawal, id: 'appr_3', kind: 'refund', description: 'Refund of 20.00 EUR to DE89', worth: null };
const keyRequest = { ...byKey, subject: 're_1', requested_by: 'key_1' };
const limitChange = {
  ...{ ...withdrawal, id: 'appr_4', kind: 'approval_limit', description: 'Remove the limit for approvals' },
  ...{ worth: null, change: { approval_above: null }, subject: 'acct_1' },
};

async function open(rows: object[], more: Parameters<typeof serviceOf>[0] = {}, options: object = {}) {
  const keys = listOf({ id: 'key_1', object: 'api_key', name: 'Backend' });
  const known = { 'GET /v1/approvals': listOf(...rows), 'GET /v1/team': team, 'GET /v1/api-keys': keys };
  const service = serviceOf({ ...known, ...more });
  const mounted = await mountPage('pay-approvals-page', options);
  await waitUntil(() => /Nothing waits|No approvals|Asked by/.test(textOf(mounted.page)));
  const press = async (name: string, within = 'button') => {
    find(mounted.page, within, name).click();
    await settle(mounted.page);
  };
  return { ...mounted, service, press };
}

describe('the approvals', () => {
  it('are one page of the dashboard, to which the list of open work leads', () => {
    expect(balance.pages.map(({ path }) => path)).to.include('/approvals');
  });

  it('show what waits: what, worth, who asked and when', async () => {
    const { service, page } = await open([withdrawal, ownRequest, keyRequest, limitChange]);
    await waitUntil(() => textOf(page).includes('Key “Backend”'));
    const asked = Object.fromEntries(service.callsOf('GET /v1/approvals')[0]?.query ?? []);
    expect(asked).to.deep.equal({ status: 'awaiting_approval', limit: '50' });
    expect(textOf(page)).to.match(/Withdrawal of 500\.00 EUR.*€500\.00.*Grace Hopper.*now.*Waiting/);
    expect(textOf(page)).to.match(/Conversion of 900\.00 EUR.*You.*Another person must approve this\./);
    expect(() => find(page, 'button', `Approve ${ownRequest.description}`)).to.throw();
    expect(repeatedNames(page)).to.deep.equal([]);
    await expect(page).shadowDom.to.be.accessible();
  });

  it('are filtered by status', async () => {
    const { page, service, visits } = await open([], {}, { query: 'status=all' });
    expect(service.callsOf('GET /v1/approvals')[0]?.query.has('status')).to.equal(false);
    expect(textOf(page)).to.contain('No approvals');
    const select = find<HTMLSelectElement>(page, 'select[name=status]');
    select.value = '';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    expect(visits[0]).to.match(/^\/approvals\??$/);
  });

  it('are approved after the page has said what will happen', async () => {
    const approved = { ...withdrawal, status: 'approved', decided_by: 'person_1' };
    const { service, page, toasts, press } = await open([withdrawal], {
      'POST /v1/approvals/appr_1/approve': approved,
    });
    await press(`Approve ${withdrawal.description}`);
    expect(textOf(page)).to.match(
      /What Withdrawal of 500\.00 EUR to GA7Q.*Worth €500\.00.*Asked by Grace Hopper.*sent/,
    );
    service.answers['GET /v1/approvals'] = listOf();
    await press('Approve', 'pay-dialog button.main');
    await waitUntil(() => toasts.length === 1 && textOf(page).includes('Nothing waits'));
    expect(service.callsOf('POST /v1/approvals/appr_1/approve')).to.have.length(1);
  });

  it('say in plain words that the same person cannot approve', async () => {
    const refused = new Refusal(
      403,
      'approval_required',
      'Another person must approve this. A key counts as its maker.',
    );
    const { page, press } = await open([keyRequest], { 'POST /v1/approvals/appr_3/approve': refused });
    await press(`Approve ${keyRequest.description}`);
    await press('Approve', 'pay-dialog button.main');
    await waitUntil(() => textOf(page).includes('Another person must approve this.'));
  });

  it('are canceled, and then send nothing', async () => {
    const { service, page, toasts, press } = await open([ownRequest], {
      'POST /v1/approvals/appr_2/cancel': ownRequest,
    });
    await press(`Cancel ${ownRequest.description}`);
    expect(textOf(page)).to.contain('The money Is not sent, and is available again');
    await press('Cancel it');
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('POST /v1/approvals/appr_2/cancel')).to.have.length(1);
  });

  it('of a limit are decided by owners and admins', async () => {
    const { page } = await open([withdrawal, limitChange], {}, { role: 'finance' });
    find(page, 'button', `Approve ${withdrawal.description}`);
    expect(() => find(page, 'button', `Approve ${limitChange.description}`)).to.throw();
  });

  it('appear when others ask', async () => {
    const { service, page, live } = await open([]);
    live.start(page.app.client, 'approvals');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    service.answers['GET /v1/approvals'] = listOf(withdrawal);
    service.tell('approval.created', withdrawal);
    await waitUntil(() => textOf(page).includes('Grace Hopper'));
    live.stop();
  });

  it('are cards on a phone, without sideways scrolling', async () => {
    const { page } = await open([withdrawal, keyRequest]);
    const frame = page.parentElement as HTMLElement;
    frame.style.cssText = 'display: block; inline-size: 328px';
    await settle(page);
    expect(frame.scrollWidth).to.be.at.most(328);
  });
});

describe('an object that waits for an approval', () => {
  const state = (page: Element) => find<HTMLAnchorElement>(page, 'a.chip', 'Waits for approval').pathname;

  it('leads from the withdrawals to the approvals', async () => {
    const unit = { currency: 'EUR', asset: null, metadata: {}, livemode: false, created_at: at, tx_hash: null };
    const paid = { paid: { asset: 'USDC:GA', amount: '5' }, destination: { address: 'GABCDEFGHIJKLMNOPQRSTUV' } };
    const row = { ...unit, ...paid, id: 'wd_1', object: 'withdrawal', amount: 500, ledger: null, failure: null };
    const failure = { code: 'canceled', message: 'A person canceled it instead of approving it.' };
    serviceOf({
      'GET /v1/balance/top-ups': listOf(),
      'GET /v1/balance/withdrawals': listOf(
        { ...row, status: 'awaiting_approval' },
        { ...row, id: 'wd_2', status: 'failed', failure },
      ),
    });
    const { page } = await mountPage('pay-movements-page');
    await waitUntil(() => textOf(page).includes('Canceled A person canceled it'));
    expect(state(page)).to.equal('/dashboard/approvals');
  });

  it('leads from unmatched money to the approvals', async () => {
    const transfer = {
      ...{ id: 'tr_1', object: 'transfer', rail: 'sepa', amount: 2_000, currency: 'EUR', asset: null, memo: null },
      ...{ asset_amount: null, reference: 'thanks', sender: 'Ada', problem: null, failure: null, created_at: at },
    };
    const lists: Record<string, object> = { awaiting_approval: listOf({ ...transfer, status: 'awaiting_approval' }) };
    serviceOf({ 'GET /v1/transfers': ({ query }) => lists[query.get('status') ?? ''] ?? listOf() });
    const { page } = await mountPage('pay-unmatched-page');
    await waitUntil(() => textOf(page).includes('To be sent back'));
    expect(state(page)).to.equal('/dashboard/approvals');
    expect(() => find(page, 'button', 'Send back €20.00, tr_1')).to.throw();
  });
});
