import '../../src/dashboard/balance/approvals-page.ts';
import '../../src/dashboard/balance/movements-page.ts';
import '../../src/dashboard/balance/unmatched-page.ts';
import '../../src/dashboard/settings/settings-page.ts';
import { expect } from '@open-wc/testing';
import type { Role } from '../../src/api/people/person.ts';
import { balance } from '../../src/dashboard/balance/module.ts';
import { exampleAccount as account } from './support/example-account.ts';
import { listOf, Refusal } from './support/fake-service.ts';
import {
  deep,
  find,
  mountPage,
  repeatedNames,
  serviceOf,
  settle,
  textOf,
  tidyUp,
  waitUntil,
} from './support/mounted.ts';

afterEach(tidyUp);

const at = new Date().toISOString();
const member = { object: 'team_member', role: 'finance', two_factor: false, created_at: at, last_seen_at: null };
const team = listOf(
  { ...member, id: 'person_1', name: 'Ada Lovelace', email: 'ada@example.com' },
  { ...member, id: 'person_2', name: 'Grace Hopper', email: 'grace@example.com' },
);
const withdrawal = {
  id: 'appr_1',
  object: 'approval',
  kind: 'withdrawal',
  status: 'awaiting_approval',
  subject: 'wd_1',
  description: 'Withdrawal of 500.00 EUR to GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  worth: { amount: 50_000, currency: 'EUR' },
  change: null,
  requested_by: 'person_2',
  decided_by: null,
  decided_at: null,
  livemode: false,
  created_at: at,
};
const own = { ...withdrawal, id: 'appr_2', kind: 'conversion', description: 'Conversion of 900.00 EUR to USD' };
const ownRequest = { ...own, subject: 'conv_1', requested_by: 'person_1' };
const byKey = { ...withdrawal, id: 'appr_3', kind: 'refund', description: 'Refund of 20.00 EUR to DE89', worth: null };
const keyRequest = { ...byKey, subject: 're_1', requested_by: 'key_1' };
const limitChange = {
  ...withdrawal,
  id: 'appr_4',
  kind: 'approval_limit',
  description: 'Remove the limit for approvals',
  worth: null,
  change: { approval_above: null },
  subject: 'acct_1',
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
    const { pathname, search } = find<HTMLAnchorElement>(page, 'a.second', 'Approval limit');
    expect(pathname + search).to.equal('/dashboard/settings?field=payouts.approval_above.amount');
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

  it('name people who left, and keys that the role may not list', async () => {
    const left = { ...withdrawal, id: 'appr_5', requested_by: 'person_9', status: 'approved', decided_by: 'key_2' };
    const { page } = await open([keyRequest, left], {}, { role: 'finance' });
    await waitUntil(() => /Key key_1.*A former member.*Approved by Key key_2/.test(textOf(page)));
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
      id: 'tr_1',
      object: 'transfer',
      rail: 'sepa',
      amount: 2_000,
      currency: 'EUR',
      asset: null,
      memo: null,
      asset_amount: null,
      reference: 'thanks',
      sender: 'Ada',
      problem: null,
      failure: null,
      created_at: at,
    };
    const lists: Record<string, object> = { awaiting_approval: listOf({ ...transfer, status: 'awaiting_approval' }) };
    serviceOf({ 'GET /v1/transfers': ({ query }) => lists[query.get('status') ?? ''] ?? listOf() });
    const { page } = await mountPage('pay-unmatched-page');
    await waitUntil(() => textOf(page).includes('To be sent back'));
    expect(state(page)).to.equal('/dashboard/approvals');
    expect(() => find(page, 'button', 'Send back €20.00, tr_1')).to.throw();
  });
});

describe('the approval limit', () => {
  const euros = (amount: number) => ({ amount, currency: 'EUR' });
  const amountName = 'payouts.approval_above.amount';
  const withLimit = (limit: object | null, change?: object) => ({
    ...account,
    payouts: { approval_above: limit, ...(change && { approval_change: change }) },
  });
  const asked = { id: 'appr_1', requested_by: 'person_2', livemode: false, created_at: new Date().toISOString() };
  const change = { ...asked, approval_above: euros(200_000) };
  const person = (id: string, role: Role, name: string) => ({ object: 'team_member', id, role, name, email: null });
  const ada = person('person_1', 'owner', 'Ada Lovelace');
  const grace = (role: Role) => person('person_2', role, 'Grace Hopper');
  const limit = (amount: string, currency: string) => ({ amount, currency });

  async function openLimit(answers: Parameters<typeof serviceOf>[0] = {}, role: Role = 'owner', query = '') {
    const lists = { 'GET /v1/team': team, 'GET /v1/api-keys': listOf() };
    const service = serviceOf({ 'GET /v1/account': account, ...lists, ...answers });
    const mounted = await mountPage('pay-settings-page', { role, query });
    await waitUntil(() => textOf(mounted.page).includes('Approval limit'));
    const field = (name: string) => find<HTMLInputElement>(mounted.page, `[name="${name}"]`);
    const save = () => find<HTMLFormElement>(mounted.page, 'form', 'Approval limit').requestSubmit();
    return { ...mounted, service, field, save };
  }

  it('is saved as it is typed; an empty amount removes it', async () => {
    const typed: readonly [texts: { amount: string; currency: string }, above: object | null][] = [
      [limit('500', 'eur'), euros(50_000)],
      [limit('1.234,50', 'EUR'), euros(123_450)],
      [limit('500', 'JPY'), { amount: 500, currency: 'JPY' }],
      [limit('1.5', 'KWD'), { amount: 1_500, currency: 'KWD' }],
      [limit('0', 'EUR'), euros(0)],
      [limit('', 'EUR'), null],
    ];
    const { service, toasts, field, save } = await openLimit({ 'PATCH /v1/account': account });
    for (const [index, [{ amount, currency }, above]] of typed.entries()) {
      field(amountName).value = amount;
      field('payouts.approval_above.currency').value = currency;
      save();
      await waitUntil(() => toasts.length === index + 1);
      expect(service.callsOf('PATCH /v1/account')[index]?.body).to.deep.equal({ payouts: { approval_above: above } });
    }
    expect(toasts[0]?.text).to.equal('Approval limit saved');
  });

  it('says at its fields what is wrong', async () => {
    const refused = new Refusal(400, 'invalid_currency', 'No such currency.', 'payouts.approval_above.currency');
    const { service, page, field, save } = await openLimit({ 'PATCH /v1/account': refused });
    field(amountName).value = 'lots';
    save();
    await waitUntil(() => page.shadowRoot?.activeElement === field(amountName));
    expect(textOf(page)).to.contain('Write the amount as a number, for example 500.00.');
    expect(service.callsOf('PATCH /v1/account')).to.have.length(0);
    field(amountName).value = '500';
    save();
    await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === 'payouts.approval_above.currency');
    expect(textOf(page)).to.contain('No such currency.');
  });

  it('stands in its fields while a change waits, as another page leads there', async () => {
    const before = withLimit(euros(50_000));
    const after = withLimit(euros(50_000), { ...change, requested_by: 'person_1' });
    const answers = { 'GET /v1/account': before, 'PATCH /v1/account': after, 'GET /v1/team': listOf(ada) };
    const { service, page, toasts, field, save } = await openLimit(answers, 'owner', `field=${amountName}`);
    await waitUntil(() => page.shadowRoot?.activeElement === field(amountName));
    expect(field(amountName).value).to.equal('500.00');
    field(amountName).value = '2000';
    save();
    await waitUntil(() => toasts[0]?.text === 'The new limit waits for another person');
    await waitUntil(() => /You asked now to change the limit from €500\.00 to €2,000\.00 ?\./.test(textOf(page)));
    await waitUntil(() => field(amountName).value === '500.00');
    service.answers['PATCH /v1/account'] = before;
    save();
    await waitUntil(() => toasts[1]?.text === 'The change of the limit is withdrawn');
    expect(textOf(page)).not.to.contain('waits for another person');
  });

  const own = { ...change, requested_by: 'person_1' };
  const changes: readonly [what: string, waiting: object, words: RegExp, link: string | null, role?: Role][] = [
    ['of another person', change, /Grace Hopper asked now to change .* Approve or cancel it/, 'Approve or cancel it'],
    [
      'of their own',
      own,
      /You asked now .* Another owner or admin must approve it\. See the approvals/,
      'See the approvals',
    ],
    [
      'that removes it',
      { ...change, approval_above: null },
      /Grace Hopper asked now to remove the limit of €500\.00 ?\./,
      'Approve or cancel it',
    ],
    [
      'to finance',
      change,
      /Grace Hopper asked now .* An owner or admin decides\. See the approvals/,
      'See the approvals',
      'finance',
    ],
    [
      'of live mode',
      { ...change, livemode: true },
      /Grace Hopper asked now .* in live mode: switch to it to decide\./,
      null,
    ],
  ];
  for (const [what, waiting, words, link, role] of changes) {
    it(`shows a change that waits: ${what}`, async () => {
      const answers = { 'GET /v1/account': withLimit(euros(50_000), waiting) };
      const { page } = await openLimit({ ...answers, 'GET /v1/team': listOf(ada, grace('admin')) }, role);
      await waitUntil(() => words.test(textOf(page)));
      const links = [...deep(page.shadowRoot as ShadowRoot)].filter(each => each.matches('a[href$="/approvals"]'));
      expect(links.map(each => each.textContent)).to.deep.equal(link === null ? [] : [link]);
      await expect(page).shadowDom.to.be.accessible();
    });
  }

  it('follows decisions of others', async () => {
    const answers = {
      'GET /v1/account': withLimit(euros(50_000), change),
      'GET /v1/team': listOf(ada, grace('admin')),
    };
    const { service, page, live, field } = await openLimit(answers);
    live.start(page.app.client, 'approvals');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    service.answers['GET /v1/account'] = withLimit(euros(200_000));
    service.tell('approval.approved', { ...change, object: 'approval', kind: 'approval_limit' });
    await waitUntil(() => field(amountName).value === '2000.00');
    expect(textOf(page)).not.to.contain('asked now');
    live.stop();
  });

  const lonely = 'You are the only person who can approve.';
  const noSecond = 'No other person can approve a change of this limit.';
  const teams: readonly [who: string, team: object[], words: string | null, role?: Role][] = [
    ['an owner alone', [ada], lonely],
    ['an owner with people who cannot approve', [ada, grace('developer'), grace('viewer')], lonely],
    ['an owner with finance', [ada, grace('finance')], noSecond],
    ['an owner with an admin', [ada, grace('admin')], null],
    ['a viewer', [ada], null, 'viewer'],
  ];
  for (const [who, team, words, role] of teams) {
    it(`${words === null ? 'does not warn' : 'warns'} ${who}`, async () => {
      const { service, page } = await openLimit({ 'GET /v1/team': listOf(...team) }, role);
      if (role === undefined) await waitUntil(() => service.callsOf('GET /v1/team').length === 1);
      await settle(page);
      const found = [lonely, noSecond].filter(text => textOf(page).includes(text));
      expect(found).to.deep.equal(words === null ? [] : [words]);
    });
  }
});
