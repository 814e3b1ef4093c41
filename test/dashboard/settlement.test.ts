import '../../src/dashboard/settlement/settlement-page.ts';
import '../../src/dashboard/settlement/settlement-setup-page.ts';
import '../../src/dashboard/settlement/settlements-page.ts';
import { expect } from '@open-wc/testing';
import type { Settlement } from '../../src/api/client.ts';
import { exampleAccount } from './support/example-account.ts';
import { type Answer, listOf, Refusal } from './support/fake-service.ts';
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

afterEach(tidyUp);

const iban = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Nordlys' } as const;
const wallet = { type: 'mobile_money', provider: 'mtn', number: '+256772123456' } as const;
const wire = { type: 'bank_account', bic: 'CHASUS33', account: '123456', country: 'US' } as const;
const routed = { type: 'bank_account', country: 'US', routing: '021000021', account: '123456' } as const;

const accountWith = (settlement: object) => ({
  ...exampleAccount,
  timezone: 'Europe/Berlin',
  settlement: { ...exampleAccount.settlement, ...settlement },
});
const inEuro = { asset: 'EUR', destination: iban, batch: 'daily', hour: 17 };

const open: Settlement = {
  id: 'set_1',
  object: 'settlement',
  status: 'open',
  batch: 'daily',
  currency: 'EUR',
  amount: 11_840,
  gross: 12_840,
  deducted: 1_000,
  carried: 0,
  payments: 12,
  destination: null,
  payout: null,
  scheduled_at: new Date(2026, 10, 23, 17).toISOString(),
  failure: null,
  livemode: false,
  created_at: new Date(2026, 10, 22, 9).toISOString(),
  closed_at: null,
  paid_at: null,
};
const failure = { code: 'account_closed', message: 'The account is closed.' };
const sent = { destination: iban, payout: 'po_1', scheduled_at: null, closed_at: open.created_at };
const payoutOf = (id: string, status: 'failed' | 'returned') => {
  return { id, status, amount: 11_840, failure, created_at: open.created_at, completed_at: open.created_at };
};
const returned: Settlement = { ...open, ...sent, id: 'set_2', status: 'returned', failure };

const capabilities = {
  pay_out: [
    { id: 'sepa', type: 'bank_account', state: 'on' },
    { id: 'mtn', type: 'mobile_money', state: 'on' },
  ],
};
const me = { id: exampleSession().person.id, name: 'Me', email: 'me@example.com', role: 'owner' };
const other = { id: 'per_9', name: 'Grace', email: 'grace@example.com', role: 'admin' };

async function openSetup(account: object, answers: Record<string, Answer> = {}, role: 'owner' | 'viewer' = 'owner') {
  const service = serviceOf({
    'GET /v1/account': account,
    'GET /v1/capabilities': capabilities,
    'GET /v1/team': listOf(me, other),
    'GET /v1/api-keys': listOf(),
    'GET /v1/settlements': listOf(),
    ...answers,
  });
  const { page, toasts } = await mountPage('pay-settlement-setup-page', { role });
  await waitUntil(() => textOf(page).includes('Payments become'));
  const field = (name: string) => find<HTMLInputElement>(page, `[name="${name}"]`);
  const choose = async (name: string, value: string) => {
    field(name).value = value;
    for (const type of ['input', 'change']) field(name).dispatchEvent(new Event(type));
    await settle(page);
  };
  const save = () => find<HTMLFormElement>(page, 'form').requestSubmit();
  return { service, page, toasts, field, choose, save };
}

describe('the setup of settlement', () => {
  const setups: readonly [what: string, before: object, typed: readonly (readonly [string, string])[], sent: object][] =
    [
      [
        'an asset on Stellar',
        accountWith({}),
        [
          ['asset', 'XLM'],
          ['settlement.stellar_address', 'GABC'],
          ['settlement.schedule', 'manual'],
        ],
        { asset: 'XLM', stellar_address: 'GABC', schedule: 'manual' },
      ],
      [
        'each payment to a bank account',
        accountWith({}),
        [
          ['kind', 'currency'],
          ['currency', 'eur'],
          ['destination.iban', iban.iban],
          ['destination.account_holder', 'Nordlys'],
          ['when', 'payment'],
        ],
        { asset: 'EUR', destination: iban, schedule: 'automatic', batch: 'payment' },
      ],
      [
        'once a day to a wallet',
        accountWith({}),
        [
          ['kind', 'currency'],
          ['currency', 'UGX'],
          ['destination.kind', 'mobile'],
          ['destination.provider', 'mtn'],
          ['destination.number', wallet.number],
          ['when', 'daily'],
          ['settlement.hour', '18'],
        ],
        { asset: 'UGX', destination: wallet, schedule: 'automatic', batch: 'daily', hour: 18 },
      ],
      [
        'another account by IBAN',
        accountWith(inEuro),
        [['destination.account_holder', 'Nordlys AS']],
        {
          asset: 'EUR',
          destination: { ...iban, account_holder: 'Nordlys AS' },
          schedule: 'automatic',
          batch: 'daily',
          hour: 17,
        },
      ],
      [
        'another account by SWIFT',
        accountWith({ ...inEuro, asset: 'USD', destination: wire, batch: 'payment' }),
        [['destination.account', '654321']],
        { asset: 'USD', destination: { ...wire, account: '654321' }, schedule: 'automatic', batch: 'payment' },
      ],
      [
        'another account by routing number',
        accountWith({ asset: 'USD', destination: routed, schedule: 'manual' }),
        [['destination.account', '654321']],
        { asset: 'USD', destination: { ...routed, account: '654321' }, schedule: 'manual' },
      ],
    ];
  for (const [what, before, typed, body] of setups) {
    it(`sends ${what}`, async () => {
      const { service, page, choose, save, toasts } = await openSetup(before, { 'PATCH /v1/account': before });
      for (const [name, value] of typed) await choose(name, value);
      await expect(page).to.be.accessible();
      save();
      await waitUntil(() => toasts.length === 1);
      expect(service.callsOf('PATCH /v1/account')[0]?.body).to.deep.equal({ settlement: body });
    });
  }

  it('offers no wallets on chains, and says when no rail reaches the destination', async () => {
    const { page, field, choose } = await openSetup(accountWith({}));
    await choose('kind', 'currency');
    const kinds = [...(field('destination.kind') as unknown as HTMLSelectElement).options].map(({ value }) => value);
    expect(kinds).to.deep.equal(['iban', 'domestic', 'swift', 'mobile']);
    expect(textOf(page)).not.to.contain('At In the account');
    await choose('when', 'daily');
    expect(textOf(page)).to.contain('In the account’s time zone, Europe/Berlin.');
  });

  it('shows a refusal at its field, which takes the focus', async () => {
    const refused = new Refusal(400, 'invalid_iban', 'The check digits are wrong.', 'settlement.destination.iban');
    const { page, save } = await openSetup(accountWith(inEuro), { 'PATCH /v1/account': refused });
    save();
    await waitUntil(() => textOf(page).includes('The check digits are wrong.'));
    await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === 'destination.iban');
    await expect(page).to.be.accessible();
  });

  const change = {
    id: 'appr_1',
    destination: wallet,
    requested_by: other.id,
    livemode: false,
    created_at: open.created_at,
  };
  it('shows a change that waits for another person, and the next payout', async () => {
    const account = accountWith({ ...inEuro, destination_change: change });
    const { page } = await openSetup(account, { 'GET /v1/settlements': listOf(open) });
    await waitUntil(() => textOf(page).includes('Grace asked'));
    expect(textOf(page)).to.match(/replace DE8937040044…3000 by MTN MoMo \+256 772 123 456/);
    expect(find(page, 'a', 'Approve or cancel it').getAttribute('href')).to.equal('/dashboard/approvals');
    await waitUntil(() => /Next payout on Nov 23, 05:00 PM: €118\.40 of 12 payments/.test(textOf(page)));
    await expect(page).to.be.accessible();
  });

  it('leaves a waiting change as it is when only the hour is saved', async () => {
    const account = accountWith({ ...inEuro, destination_change: change });
    const { service, choose, save, toasts } = await openSetup(account, { 'PATCH /v1/account': account });
    await choose('settlement.hour', '18');
    save();
    await waitUntil(() => toasts.length === 1);
    const settlement = { asset: 'EUR', schedule: 'automatic', batch: 'daily', hour: 18 };
    expect(service.callsOf('PATCH /v1/account')[0]?.body).to.deep.equal({ settlement });
    expect(toasts[0]?.text).to.equal('Payments are settled in EUR');
  });

  it('says that the new destination waits, and keeps showing the old one', async () => {
    const after = accountWith({ ...inEuro, destination_change: { ...change, requested_by: me.id } });
    const { page, choose, save, field, toasts } = await openSetup(accountWith(inEuro), { 'PATCH /v1/account': after });
    expect(textOf(page)).to.contain('Another owner or admin approves a new destination.');
    await choose('destination.iban', 'FR7630006000011234567890189');
    save();
    await waitUntil(() => toasts.length === 1);
    expect(toasts[0]?.text).to.equal('The new destination waits for another person');
    await settle(page);
    expect(field('destination.iban').value).to.equal(iban.iban);
    expect(textOf(page)).to.contain('Another owner or admin must approve it.');
  });

  it('warns who cannot change the destination alone', async () => {
    const { page } = await openSetup(accountWith(inEuro), { 'GET /v1/team': listOf(me) });
    await waitUntil(() => textOf(page).includes('No other person can approve a new destination.'));
    await expect(page).to.be.accessible();
  });

  it('can be read, not changed, by viewers', async () => {
    const { page } = await openSetup(accountWith(inEuro), {}, 'viewer');
    expect(textOf(page)).to.contain('may look but not change settings');
    expect([...deep(page.shadowRoot as ShadowRoot)].some(each => each.matches('button'))).to.equal(false);
  });
});

describe('the list of settlements', () => {
  it('shows state, payments, deductions and amount, below the next payout', async () => {
    const service = serviceOf({ 'GET /v1/settlements': listOf(open, returned) });
    const { page } = await mountPage('pay-settlements-page', { query: 'status=returned' });
    await waitUntil(() => textOf(page).includes('The account is closed.'));
    expect(
      service
        .callsOf('GET /v1/settlements')
        .map(({ query }) => query.get('status'))
        .toSorted(),
    ).to.deep.equal([...['open', 'returned']]);
    for (const part of ['12 payments', 'Returned', '−€10.00', '€118.40', 'Next payout on Nov 23, 05:00 PM']) {
      expect(textOf(page)).to.contain(part);
    }
    await expect(page).to.be.accessible();
  });

  it('leads to the setup when there is none', async () => {
    serviceOf({ 'GET /v1/settlements': listOf() });
    const { page } = await mountPage('pay-settlements-page');
    await waitUntil(() => textOf(page).includes('No settlements yet'));
    expect(find(page, 'a', 'Set up settlement').getAttribute('href')).to.equal('/dashboard/settings/settlement');
  });
});

describe('the page of a settlement', () => {
  async function openSettlement(settlement: Settlement, role: 'owner' | 'viewer' = 'owner', answers = {}) {
    const path = `/v1/settlements/${settlement.id}`;
    const service = serviceOf({ [`GET ${path}`]: settlement, 'GET /v1/account': accountWith(inEuro), ...answers });
    const mounted = await mountPage('pay-settlement-page', { params: { id: settlement.id }, role });
    await waitUntil(() => textOf(mounted.page).includes('See the payments'));
    return { ...mounted, service };
  }

  const shown: readonly [what: string, Settlement, readonly RegExp[]][] = [
    [
      'an open one',
      open,
      [/€118\.40 Open/, /12 payments €128\.40/, /Refunds and disputes −€10\.00/, /Next payout Nov 23/],
    ],
    [
      'one below the minimum',
      { ...open, failure: { code: 'below_minimum', message: 'It waits for more.' } },
      [/It waits for more\./],
    ],
    [
      'a returned one',
      returned,
      [/Returned/, /account is closed\. The money is in your available balance/, /Payout po_1/],
    ],
    [
      'what deductions ate',
      { ...open, status: 'paid', scheduled_at: null, amount: 0 },
      [/deductions left nothing to pay/],
    ],
    [
      'the payouts of one that was sent again',
      { ...returned, payouts: [payoutOf('po_2', 'returned'), payoutOf('po_1', 'failed')] },
      [/All payouts Returned .*€118\.40 · The account is closed\. · ended .*Failed/],
    ],
    [
      'a kept one',
      { ...returned, status: 'kept', failure: null },
      [/€118\.40 Kept in balance/, /Its money is in your available balance\. It is not sent again\./],
    ],
    ['a part left over', { ...open, carried: -40 }, [/Left to the next settlement −€0\.40/]],
  ];
  for (const [what, settlement, patterns] of shown) {
    it(`shows ${what}`, async () => {
      const { page } = await openSettlement(settlement);
      for (const pattern of patterns) expect(textOf(page)).to.match(pattern);
      await expect(page).to.be.accessible();
    });
  }

  it('sends returned money again, after a table has shown where', async () => {
    const post = `POST /v1/settlements/${returned.id}/retry`;
    const { page, service, toasts } = await openSettlement(returned, 'owner', {
      [post]: { ...returned, status: 'paying' },
    });
    find(page, 'button', 'Send again').click();
    await waitUntil(() => textOf(page).includes('Leaves your available balance €118.40'));
    expect(textOf(page)).to.contain('To DE8937040044…3000');
    find(page, 'button', 'Send €118.40 again').click();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf(post)).to.have.length(1);
  });

  const manual = { 'GET /v1/account': accountWith({ ...inEuro, schedule: 'manual' }) };
  const keepable: readonly [what: string, Settlement, answers: object, effect: string][] = [
    ['returned money', returned, {}, 'Stays in your available balance €118.40'],
    ['an open one, if the account keeps its money', open, manual, 'Moves to your available balance €118.40'],
  ];
  for (const [what, settlement, answers, effect] of keepable) {
    it(`keeps ${what} in the balance, after a table has shown what that means`, async () => {
      const post = `POST /v1/settlements/${settlement.id}/keep`;
      const answer = { [post]: { ...settlement, status: 'kept' } };
      const { page, service, toasts } = await openSettlement(settlement, 'owner', { ...answers, ...answer });
      find(page, 'button', 'Keep in balance').click();
      await waitUntil(() => textOf(page).includes(effect));
      expect(textOf(page)).to.contain('This is for good: the settlement is not sent again.');
      find(page, 'button', 'Keep €118.40').click();
      await waitUntil(() => toasts.length === 1);
      expect(service.callsOf(post)).to.have.length(1);
    });
  }

  for (const [who, settlement, role] of [
    ['viewers', returned, 'viewer'],
    ['an open one', open, 'owner'],
    ['a kept one', { ...returned, status: 'kept' }, 'owner'],
  ] as const) {
    it(`offers nothing to send or keep: ${who}`, async () => {
      const { page } = await openSettlement(settlement, role);
      for (const label of ['Send again', 'Keep in balance']) {
        expect(() => find(page, 'button', label)).to.throw();
      }
    });
  }

  it('says so when there is none', async () => {
    serviceOf({ 'GET /v1/account': accountWith(inEuro) });
    const { page } = await mountPage('pay-settlement-page', { params: { id: 'set_9' } });
    await waitUntil(() => textOf(page).includes('There is none.'));
  });
});
