import '../../src/dashboard/payouts/payout-page.ts';
import '../../src/dashboard/payouts/payouts-page.ts';
import { expect } from '@open-wc/testing';
import type { Payout } from '../../src/api/payout.ts';
import { exampleEvent, listOf, Refusal } from './support/fake-service.ts';
import { deep, find, mountPage, serviceOf, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 14, 2, second)).toISOString();

function examplePayout(fields: Partial<Payout> = {}): Payout {
  return {
    id: 'po_1',
    object: 'payout',
    status: 'queued',
    batch: 'pbat_1',
    settlement: null,
    ramp: null,
    recipient_id: 'rec_1',
    amount: 12_500,
    currency: 'EUR',
    reference: 'salary-42',
    description: 'November',
    destination: { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada <b>Lovelace</b>' },
    failure: null,
    hold: null,
    fx: null,
    fee: { amount: 0, currency: 'EUR' },
    returned: { amount: 0, currency: 'EUR' },
    trace: { rail: 'sepa', tx_hash: null, provider_reference: 'sepa-9', file_id: null },
    attempt: 1,
    eta_at: null,
    metadata: {},
    livemode: false,
    created_at: at(0),
    scheduled_at: null,
    completed_at: null,
    ...fields,
  };
}

const entry = {
  id: 'txn_1',
  object: 'balance_entry',
  account: 'reserved',
  kind: 'payout',
  amount: -12_500,
  currency: 'EUR',
  asset: null,
  asset_amount: null,
  payment: null,
  refund: null,
  source: 'po_1',
  created_at: at(8),
};

const failed = {
  status: 'failed',
  failure: { code: 'account_closed', message: 'The account is closed.' },
} as const satisfies Partial<Payout>;

async function openPayout(payout: Payout, role: 'owner' | 'viewer' = 'owner') {
  const service = serviceOf({
    'GET /v1/payouts/po_1': payout,
    'GET /v1/events': listOf(
      { ...exampleEvent('payout.processing', payout), created_at: at(5) },
      { ...exampleEvent('payout.created', payout), created_at: at(0) },
    ),
    'GET /v1/balance/entries': listOf(entry),
  });
  const mounted = await mountPage('pay-payout-page', { params: { id: 'po_1' }, role });
  await waitUntil(() => textOf(mounted.page).includes('What happened'), 'the history is there');
  return { ...mounted, service };
}

const buttonsOf = (page: Element) =>
  [...deep((page as HTMLElement).shadowRoot as ShadowRoot)]
    .filter(element => element.matches('.actions button'))
    .map(button => button.textContent?.trim());

describe('the page of a payout', () => {
  it('tells what happened, newest first, with bookings and destination', async () => {
    const { page, service } = await openPayout(examplePayout());
    const titles = [...deep(page.shadowRoot as ShadowRoot)].filter(element => element.matches('.moment h3'));
    expect(titles.map(title => title.textContent)).to.deep.equal(['Booked', 'Being sent', 'Payout accepted']);
    const text = textOf(page);
    for (const part of [
      '€125.00',
      'Queued',
      'Ada <b>Lovelace</b>',
      'DE8937040044…3000',
      'salary-42',
      'sepa-9',
      'By SEPA',
    ]) {
      expect(text).to.contain(part);
    }
    expect(find<HTMLAnchorElement>(page, 'a', 'rec_1').pathname).to.equal('/dashboard/recipients/rec_1');
    expect(service.callsOf('GET /v1/balance/entries')[0]?.query.get('source')).to.equal('po_1');
    await expect(page).to.be.accessible();
  });

  const onHold = { status: 'on_hold', hold: { code: 'rate_moved', message: 'The rate became worse.' } } as const;
  const states: readonly [Partial<Payout>, readonly string[]][] = [
    [{ status: 'queued' }, ['Cancel payout', 'Hold']],
    [{ status: 'scheduled' }, ['Cancel payout', 'Hold']],
    [onHold, ['Cancel payout', 'Send now']],
    [{ ...onHold, trace: { rail: null, tx_hash: null, provider_reference: null, file_id: null } }, ['Cancel payout']],
    [{ status: 'processing' }, []],
    [{ status: 'completed' }, []],
    [failed, ['Send again']],
  ];
  for (const [fields, buttons] of states) {
    it(`offers ${buttons.join(' and ') || 'no action'} for ${fields.status}`, async () => {
      const { page } = await openPayout(examplePayout(fields));
      expect(buttonsOf(page)).to.deep.equal(buttons);
    });
  }

  it('sends a failed payout again after a table has shown what will happen', async () => {
    const { page, service, toasts } = await openPayout(examplePayout(failed));
    find(page, 'button', 'Send again').click();
    await waitUntil(() => /Failed because The account is closed\. .*Attempt 2/.test(textOf(page)));
    const retry = 'POST /v1/payouts/po_1/retry';
    service.answers[retry] = new Refusal(402, 'insufficient_funds', 'The balance has EUR 1.00.');
    find(page, 'button', 'Send €125.00 again').click();
    await waitUntil(() => textOf(page).includes('The balance has EUR 1.00.'));
    service.answers[retry] = examplePayout({ attempt: 2 });
    find(page, 'button', 'Send €125.00 again').click();
    await waitUntil(() => toasts.length === 1);
  });

  it('says that another person approves it first, until its batch is approved or has its time', async () => {
    const words = 'Another person approves it first';
    const { page } = await openPayout(examplePayout({ status: 'scheduled' }));
    expect(textOf(page)).to.contain(words);
    const { page: later } = await openPayout(examplePayout({ status: 'scheduled', scheduled_at: at(9) }));
    expect(textOf(later)).not.to.contain(words);
  });

  it('says to a viewer why there is no button', async () => {
    const { page } = await openPayout(examplePayout(failed), 'viewer');
    expect(buttonsOf(page)).to.deep.equal([]);
    expect(textOf(page)).to.contain('Your role, viewer , may look but not move money.');
  });
});

describe('the list of payouts', () => {
  const searches: readonly [text: string, asked: object][] = [
    ['po_1', { id: 'po_1' }],
    ['rec_1', { recipient: 'rec_1' }],
  ];
  for (const [text, asked] of searches) {
    it(`shows and exports what a search for ${text} finds`, async () => {
      const service = serviceOf({ 'GET /v1/payouts': listOf(examplePayout()) });
      service.answers['GET /v1/payouts.csv'] = new Refusal(403, 'role_not_allowed', 'Ask an owner.');
      const { page } = await mountPage('pay-payouts-page', { query: `find=${text}` });
      await waitUntil(() => textOf(page).includes('Ada <b>Lovelace</b>'));
      find(page, 'button', 'Export').click();
      await waitUntil(() => textOf(page).includes('Ask an owner.'));
      const [[listed], [exported]] = [service.callsOf('GET /v1/payouts'), service.callsOf('GET /v1/payouts.csv')];
      expect(Object.fromEntries(listed?.query ?? [])).to.deep.equal({ ...asked, limit: '50' });
      expect(Object.fromEntries(exported?.query ?? [])).to.deep.equal(asked);
    });
  }

  it('shows them by the filters of the URL, follows events, and exports what it shows', async () => {
    const service = serviceOf({ 'GET /v1/payouts': listOf(examplePayout()) });
    const { page, live } = await mountPage('pay-payouts-page', { query: 'status=queued&find=salary-42' });
    await waitUntil(() => textOf(page).includes('Queued'));
    await waitUntil(() => textOf(page).includes('Ada <b>Lovelace</b>'));
    const [call] = service.callsOf('GET /v1/payouts');
    expect([call?.query.get('status'), call?.query.get('reference')]).to.deep.equal(['queued', 'salary-42']);
    live.start((page as never as { app: { client: never } }).app.client, 'test');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    service.tell('payout.completed', examplePayout({ status: 'completed' }));
    await waitUntil(() => [...deep(page.shadowRoot as ShadowRoot)].some(chip => chip.matches('.chip.good')));
    service.answers['GET /v1/payouts.csv'] = new Refusal(403, 'role_not_allowed', 'Ask an owner.');
    find(page, 'button', 'Export').click();
    await waitUntil(() => textOf(page).includes('Ask an owner.'));
    expect(service.callsOf('GET /v1/payouts.csv')[0]?.query.get('reference')).to.equal('salary-42');
    await expect(page).to.be.accessible();
    live.stop();
  });
});
