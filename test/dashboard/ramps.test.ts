import '../../src/dashboard/ramps/ramp-page.ts';
import '../../src/dashboard/ramps/ramps-page.ts';
import { expect } from '@open-wc/testing';
import type { Event } from '../../src/api/event.ts';
import type { Ramp } from '../../src/api/ramps/ramp.ts';
import { exampleRamp, heldRamp } from './support/example-ramp.ts';
import { type Answer, exampleEvent, listOf } from './support/fake-service.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const ada = { id: 'cus_1', object: 'customer', email: 'ada@example.com', name: 'Ada Lovelace' };

describe('the list of ramps', () => {
  it('shows customer, method, state and both amounts, and filters by state', async () => {
    const service = serviceOf({
      'GET /v1/ramps': listOf(exampleRamp(), heldRamp({ id: 'ramp_2' })),
      'GET /v1/customers/cus_1': ada,
    });
    const { page } = await mountPage('pay-ramps-page', { query: 'status=on_hold' });
    await waitUntil(() => textOf(page).includes('Ada Lovelace'));
    expect(textOf(page)).to.match(/Bank transfer To be paid €100\.00 → for 107\.365 USDC .* On hold/);
    expect(service.callsOf('GET /v1/ramps')[0]?.query.get('status')).to.equal('on_hold');
    expect(service.callsOf('GET /v1/customers/cus_1')).to.have.length(1);
    await expect(page).shadowDom.to.be.accessible();
  });

  it('says how to begin when there is none', async () => {
    serviceOf({ 'GET /v1/ramps': listOf() });
    const { page } = await mountPage('pay-ramps-page');
    await waitUntil(() => textOf(page).includes('No ramps yet'));
    expect(find(page, 'a', 'Set up ramps').getAttribute('href')).to.equal('/dashboard/settings/ramps');
  });
});

describe('the page of a ramp', () => {
  async function openRamp(ramp: Ramp, { events = [], role = 'owner', answers = {} }: OpenRamp = {}) {
    const service = serviceOf({
      'GET /v1/ramps/ramp_1': ramp,
      'GET /v1/customers/cus_1': ada,
      'GET /v1/events': listOf(...events),
      ...answers,
    });
    const mounted = await mountPage('pay-ramp-page', { params: { id: 'ramp_1' }, role });
    await waitUntil(() => textOf(mounted.page).includes('What happened'));
    return { ...mounted, service };
  }

  interface OpenRamp {
    readonly events?: readonly Event[];
    readonly role?: 'owner' | 'viewer';
    readonly answers?: Record<string, Answer>;
  }

  /** An event after a number of seconds, with the former values of changed fields. */
  function told(seconds: number, ramp: Ramp, previous: Partial<Ramp> | null): Event {
    const event = exampleEvent(previous === null ? 'ramp.created' : 'ramp.updated', ramp);
    const created_at = new Date(Date.UTC(2026, 10, 20, 9, 0, seconds)).toISOString();
    return { ...event, created_at, data: { ...event.data, previous } } as Event;
  }

  it('is a timeline from the beginning to the delivery', async () => {
    const waiting = exampleRamp({ status: 'incomplete', kyc_tier_needed: 'standard', payment: null });
    const paid = exampleRamp({ status: 'pending_anchor', paid_at: waiting.created_at, deposit: null });
    const done = { ...paid, status: 'completed', tx_hash: 'ab'.repeat(32), ledger: 1_000_000 } as const;
    const { page } = await openRamp(done, {
      events: [
        told(60, done, { status: 'pending_stellar' }),
        told(50, { ...paid, status: 'pending_stellar' }, { status: 'pending_anchor' }),
        told(40, { ...paid, refunds: { amount_refunded: 20_00 } }, { refunds: { amount_refunded: 0 } }),
        told(30, paid, { status: 'pending_user_transfer_start' }),
        told(20, exampleRamp(), { status: 'incomplete' }),
        told(10, { ...waiting, kyc_status: 'under_review' }, { kyc_status: 'incomplete' }),
        told(0, waiting, null),
      ],
    });
    const history = find(page, '.timeline').textContent?.replace(/\s+/g, ' ') ?? '';
    const steps = [
      'Delivered',
      '107.365 USDC · ledger 1,000,000 · transaction abab…ab',
      'Coins on their way',
      '107.365 USDC to GA7QYN…JVSGZ',
      'Refunded in part',
      '€20.00',
      'Paid',
      '€100.00',
      'Identity check passed',
      'Identity check',
      'Under review',
      'Begun',
      '€100.00 for 107.365 USDC, by bank transfer.',
      'needs an identity check first: Standard.',
    ];
    let from = 0;
    for (const step of steps) {
      const at = history.replaceAll('\u00a0', ' ').indexOf(step, from);
      expect(at, `${step} after ${history.slice(0, from)}`).to.be.at.least(from);
      from = at + step.length;
    }
    for (const [name, path] of [
      ['Ada Lovelace', '/customers/cus_1'],
      ['pay_1', '/payments/pay_1'],
    ] as const) {
      expect(find(page, 'a', name).getAttribute('href')).to.equal(`/dashboard${path}`);
    }
    await expect(page).shadowDom.to.be.accessible();
  });

  const states: readonly [what: string, Ramp, RegExp, buttons: readonly string[]][] = [
    [
      'one that waits for an identity check',
      exampleRamp({ status: 'incomplete', kyc_tier_needed: 'basic', payment: null, deposit: null }),
      /needs an identity check first: Basic ?\./,
      ['Cancel'],
    ],
    ['one to be paid', exampleRamp(), /The customer pays next\..*To pay €100\.00/, ['Cancel']],
    [
      'one whose delivery fails',
      heldRamp({ status: 'pending_anchor', failure: { code: 'no_liquidity', message: 'The treasury lacks coins.' } }),
      /The treasury lacks coins\. The delivery is tried again\./,
      ['Refund'],
    ],
    ['one on hold', heldRamp(), /came after the price had ended/, ['Refund', 'Accept at the market rate']],
    ['one of a rejected customer', heldRamp({ kyc_status: 'rejected' }), /Identity check Rejected/, ['Refund']],
    ['one on its way', heldRamp({ status: 'pending_stellar', failure: null }), /The coins are delivered next/, []],
    [
      'one without a trustline',
      heldRamp({ status: 'pending_trust', failure: null, amount_disputed: 30_00 }),
      /The wallet has no trustline for USDC\..*Disputed €30\.00/,
      ['Refund'],
    ],
  ];
  for (const [what, ramp, words, buttons] of states) {
    it(`says what comes next, and offers what is possible: ${what}`, async () => {
      const { page } = await openRamp(ramp);
      expect(textOf(page)).to.match(words);
      const shown = [...(page.shadowRoot?.querySelectorAll('.head .actions button') ?? [])];
      expect(shown.map(({ textContent }) => textContent?.trim())).to.deep.equal(buttons);
      await expect(page).shadowDom.to.be.accessible();
    });
  }

  it('refunds a part, after a table has shown what still buys coins', async () => {
    const { page, service, toasts } = await openRamp(heldRamp({ refunds: { amount_refunded: 10_00 } }), {
      answers: { 'POST /v1/ramps/ramp_1/refunds': { id: 're_1', status: 'pending', amount: 40_00 } },
    });
    find(page, 'button', 'Refund').click();
    await settle(page);
    const amount = find<HTMLInputElement>(page, 'pay-dialog input[name=amount]');
    expect(amount.value).to.equal('90.00');
    amount.value = '40';
    amount.dispatchEvent(new InputEvent('input'));
    await waitUntil(() => textOf(page).includes('Still buys USDC €50.00'));
    find(page, 'button', 'Refund €40.00').click();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('POST /v1/ramps/ramp_1/refunds')[0]?.body).to.deep.equal({ amount: 40_00 });
  });

  it('offers viewers nothing', async () => {
    const { page } = await openRamp(heldRamp(), { role: 'viewer' });
    expect(() => find(page, 'button', 'Refund')).to.throw();
  });
});
