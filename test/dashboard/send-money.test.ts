import '../../src/dashboard/payouts/send/send-page.ts';
import { expect } from '@open-wc/testing';
import type { PayoutBatch } from '../../src/api/payout.ts';
import type { ServiceCall } from './support/fake-service.ts';
import { type Answer, listOf, Refusal } from './support/fake-service.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const bank = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' } as const;
const wallet = { type: 'crypto_wallet', chain: 'stellar', address: 'GDQP', asset: 'USDC:GA5Z' } as const;
const recipient = {
  id: 'rec_1',
  object: 'recipient',
  name: 'Ada <b>Lovelace</b>',
  type: 'individual',
  email: null,
  country: null,
  reference: null,
  metadata: {},
  livemode: false,
  created_at: new Date().toISOString(),
  destinations: [
    { id: 'dest_1', object: 'recipient_destination', destination: bank, default: true, verification: 'verified' },
    { id: 'dest_2', object: 'recipient_destination', destination: wallet, default: false, verification: 'unverified' },
  ],
};
const balance = {
  object: 'balance',
  available: [
    { currency: 'EUR', amount: 50_000 },
    { currency: 'USD', amount: 900 },
  ],
  pending: [],
  reserved: [],
  suspense: [],
  receivable: [],
  livemode: false,
};

const ways = [
  { id: 'sepa', type: 'bank_account', state: 'on' },
  { id: 'mpesa', type: 'mobile_money', state: 'on' },
  { id: 'mtn', type: 'mobile_money', state: 'off' },
  { id: 'stellar', type: 'crypto_wallet', state: 'on' },
];

function batchOf(fields: Partial<PayoutBatch> = {}): PayoutBatch {
  return {
    id: null,
    object: 'payout_batch',
    status: 'processing',
    statuses: null,
    errors: [],
    counts: { total: 1, accepted: 1, rejected: 0, pending: 1, completed: 0, failed: 0 },
    totals: [{ currency: 'EUR', amount: 4_250, fee: 15, count: 1 }],
    schedule: { type: 'immediate' },
    next_runs: [],
    recurring_batch: null,
    occurrence_at: null,
    approval: null,
    dry_run: true,
    payouts_url: null,
    results_url: null,
    description: null,
    metadata: {},
    livemode: false,
    created_at: new Date().toISOString(),
    completed_at: null,
    ...fields,
  };
}

const bulk = 'POST /v1/payouts/bulk';

/** Answers the check, and then the order. */
const bulkAnswer =
  (check: PayoutBatch | Refusal, sent: Answer = batchOf({ id: 'pbat_1', dry_run: false })): Answer =>
  call =>
    call.body['dry_run'] ? check : typeof sent === 'function' ? sent(call) : sent;

async function openForm(answers: Record<string, Answer> = {}, query = '', role: 'owner' | 'viewer' = 'owner') {
  const service = serviceOf({
    'GET /v1/recipients': listOf(recipient),
    'GET /v1/recipients/rec_1': recipient,
    'GET /v1/balance': balance,
    'GET /v1/capabilities': { object: 'capabilities', pay_out: ways },
    'GET /v1/payout-batches/pbat_1/payouts': listOf({ id: 'po_1', object: 'payout' }),
    [bulk]: bulkAnswer(batchOf()),
    ...answers,
  });
  const mounted = await mountPage('pay-send-page', { query, role });
  const isOpen = () => role === 'viewer' || textOf(mounted.page).includes('Continue');
  await waitUntil(isOpen, 'the form is there');
  return { ...mounted, service };
}

async function type(page: Element, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) {
    const field = find<HTMLInputElement>(page, `[name="${name}"]`);
    field.value = text;
    field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input'));
    await settle(page);
  }
}

const press = (page: Element, label: string) => find(page, 'button', label).click();
const sentCalls = (calls: readonly ServiceCall[]) => calls.filter(({ body }) => !body['dry_run']);

describe('sending money', () => {
  it('shows what will happen, sends it once, and opens the page of the payout', async () => {
    const eta_at = new Date(2030, 0, 2, 17).toISOString();
    const answer = bulkAnswer(batchOf({ eta_at }));
    const { page, service, visits } = await openForm({ [bulk]: answer }, 'recipient=rec_1');
    await waitUntil(() => textOf(page).includes('Bank account DE8937040044…3000'));
    await expect(page).to.be.accessible();
    await type(page, { amount: '42.50', reference: 'wages-11', 'schedule.at': '' });
    press(page, 'Continue');
    const words =
      /Recipient Ada <b>Lovelace<\/b> Bank account DE8937040044…3000 Amount €42\.50 Leaves your balance €42\.50 Fee €0\.15 Available now €500\.00 Sent At once Expected to arrive Jan 2, 05:00 PM Approval Not needed Reference wages-11/;
    await waitUntil(() => words.test(textOf(page)), String(words));
    expect(sentCalls(service.callsOf(bulk))).to.deep.equal([]);
    // The frame of the test has no landmarks around the page.
    await expect(page).to.be.accessible({ ignoredRules: ['landmark-no-duplicate-banner', 'landmark-unique'] });
    press(page, 'Send €42.50');
    await waitUntil(() => visits.includes('/payouts/po_1'));
    expect(sentCalls(service.callsOf(bulk)).map(({ body }) => body)).to.deep.equal([
      {
        payouts: [{ recipient_id: 'rec_1', amount: 4_250, currency: 'EUR', destination: bank, reference: 'wages-11' }],
      },
    ]);
  });

  it('pays a typed destination in an asset, at a time, after an approval', async () => {
    const at = new Date(2030, 0, 2, 9, 30).toISOString();
    const check = batchOf({ status: 'awaiting_approval', schedule: { type: 'scheduled', at } });
    const rate = { object: 'rate', from: 'EUR', to: 'USDC', rate: '1.0845', source: 'x', as_of: at };
    const { page, service } = await openForm({ [bulk]: bulkAnswer(check), 'GET /v1/rates': rate });
    await type(page, { 'destination.kind': 'stellar', 'destination.address': 'GDQP', 'destination.memo': '7' });
    await type(page, { amount: '42,50', source_currency: 'USD', 'schedule.at': '2030-01-02T09:30' });
    find(page, 'input[name=approval]').click();
    press(page, 'Continue');
    await waitUntil(() =>
      /Rate now 1 EUR = 1\.0845 USDC Sent Jan 2, 2030.* Approval A second person/.test(textOf(page)),
    );
    expect(service.callsOf(bulk)[0]?.body).to.deep.equal({
      payouts: [
        {
          amount: 4_250,
          currency: 'EUR',
          source_currency: 'USD',
          destination: { type: 'crypto_wallet', chain: 'stellar', address: 'GDQP', asset: 'USDC', memo: '7' },
        },
      ],
      schedule: { type: 'scheduled', at },
      approval: { required: true },
      dry_run: true,
    });
  });

  it('finds a recipient by a few letters, and waits until its destinations are known', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { page, service } = await openForm({
      'GET /v1/search': listOf({
        type: 'recipient',
        id: 'rec_1',
        title: 'Ada <b>Lovelace</b>',
        subtitle: 'a@b.example',
      }),
      'GET /v1/recipients/rec_1': () => released.then(() => recipient),
    });
    const field = find<HTMLInputElement>(page, '[name=recipient]');
    field.focus();
    field.value = 'lov';
    field.dispatchEvent(new Event('input'));
    await waitUntil(() => find(page, '[role=option]', 'Ada <b>Lovelace</b> a@b.example'));
    expect(String(service.callsOf('GET /v1/search')[0]?.query)).to.equal('q=lov&type=recipient');
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    await waitUntil(() => find<HTMLButtonElement>(page, 'button[type=submit]').disabled);
    expect(() => find(page, '[name="destination.kind"]')).to.throw();
    release();
    await waitUntil(() => find<HTMLSelectElement>(page, '[name=place]').value === 'dest_1');
    expect(field.value).to.equal('Ada <b>Lovelace</b>');
    await type(page, { amount: '1' });
    press(page, 'Continue');
    await waitUntil(() => service.callsOf(bulk).length === 1);
    expect(service.callsOf(bulk)[0]?.body['payouts']).to.deep.equal([
      { recipient_id: 'rec_1', amount: 100, currency: 'EUR', destination: bank },
    ]);
  });

  it('pays another destination of the recipient', async () => {
    const rate = { object: 'rate', from: 'EUR', to: 'USDC', rate: '1.0845', source: 'x', as_of: '' };
    const { page, service } = await openForm({ 'GET /v1/rates': rate }, 'recipient=rec_1');
    await type(page, { place: 'dest_2', amount: '5' });
    press(page, 'Continue');
    await waitUntil(() => textOf(page).includes('Rate now 1 EUR = 1.0845 USDC'));
    expect(service.callsOf('GET /v1/rates')[0]?.query.get('to')).to.equal('USDC:GA5Z');
    expect(service.callsOf(bulk)[0]?.body['payouts']).to.deep.equal([
      { recipient_id: 'rec_1', amount: 500, currency: 'EUR', destination: wallet },
    ]);
  });

  const refused = (code: string, field: string) => new Refusal(400, code, `${field} is wrong.`, field);
  const account = 'payouts[0].destination.address';
  const missing = { index: 0, param: account, code: 'destination_missing', message: 'The account does not exist.' };
  const refusals: readonly [string, PayoutBatch | Refusal, string, string, Readonly<Record<string, string>>][] = [
    ['an IBAN', refused('invalid_iban', 'payouts[0].destination.iban'), 'destination.iban', 'destination.iban', {}],
    ['a currency', refused('no_route', 'payouts[0].currency'), 'currency', 'currency', {}],
    ['a time', refused('invalid_schedule', 'schedule.at'), 'schedule.at', 'schedule.at', {}],
    [
      'a whole destination',
      refused('invalid_destination', 'payouts[0].destination'),
      'destination',
      'destination.kind',
      {},
    ],
    [
      ...([
        'a missing account',
        batchOf({ errors: [missing] }),
        'The account does not exist',
        'destination.address',
      ] as const),
      { 'destination.kind': 'stellar' },
    ],
    [
      ...([
        'a known destination',
        refused('invalid_iban', 'payouts[0].destination.iban'),
        'destination.iban',
        'place',
      ] as const),
      {},
    ],
  ];
  for (const [what, check, words, name, texts] of refusals) {
    it(`says at the field that ${what} is refused`, async () => {
      const query = name === 'place' ? 'recipient=rec_1' : '';
      const { page } = await openForm({ [bulk]: bulkAnswer(check) }, query);
      await type(page, { amount: '1', ...texts });
      press(page, 'Continue');
      await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === name, `the focus is at ${name}`);
      const field = find(page, `[name="${name}"]`);
      expect(field.getAttribute('aria-invalid')).to.equal('true');
      expect(field.parentElement?.textContent).to.contain(words);
      expect(textOf(page)).not.to.contain('payouts[0]');
    });
  }

  it('asks the service nothing while the amount is no number', async () => {
    const { page, service } = await openForm();
    await type(page, { amount: 'a lot' });
    press(page, 'Continue');
    await waitUntil(() => textOf(page).includes('Write the amount as a number'));
    expect(service.callsOf(bulk)).to.deep.equal([]);
  });

  const ripple = { type: 'crypto_wallet', chain: 'xrpl', address: 'rAda', asset: 'XRP', memo: '77' } as const;
  const notConnected = 'Payouts on xrpl are not connected yet. The payout waits, and you can cancel it.';
  const held = batchOf({
    holds: [{ index: 0, param: 'payouts[0].destination', code: 'no_route', message: notConnected }],
  });

  it('says at once, and before it is sent, that a wallet of another chain waits on hold', async () => {
    const { page, service, toasts } = await openForm({ [bulk]: bulkAnswer(held) });
    await type(page, { 'destination.kind': 'wallet', 'destination.chain': 'xrpl' });
    expect(textOf(page)).to.contain(
      'No rail of this server pays to wallets on XRP Ledger. A payout there waits on hold',
    );
    await expect(page).to.be.accessible();
    await type(page, {
      'destination.address': 'rAda',
      'destination.asset': 'XRP',
      'destination.memo': '77',
      amount: '5',
    });
    press(page, 'Continue');
    await waitUntil(() => textOf(page).includes(`Waits on hold ${notConnected}`));
    expect(service.callsOf('GET /v1/rates')).to.deep.equal([]);
    press(page, 'Reserve €5.00');
    await waitUntil(() => toasts.length === 1);
    expect(toasts[0]?.text).to.equal('The payout waits on hold');
    expect(sentCalls(service.callsOf(bulk))[0]?.body['payouts']).to.deep.equal([
      { amount: 500, currency: 'EUR', destination: ripple },
    ]);
  });

  const saved = (destination: object) => ({
    ...recipient,
    destinations: [{ ...recipient.destinations[0], destination }],
  });
  const obstacles: readonly [string, object, readonly object[], RegExp][] = [
    ['a saved wallet of another chain', ripple, ways, /No rail of this server pays to wallets on XRP Ledger\./],
    [
      'an operator that is not connected',
      { type: 'mobile_money', provider: 'mtn', number: '+233241234567' },
      ...([ways, /MTN MoMo is not connected to this server\. The service refuses payouts there\./] as const),
    ],
    ['a bank account without a bank', bank, ways.slice(1), /No rail of this server pays to bank accounts\./],
    [
      'a chain that does not answer',
      wallet,
      ...([[{ id: 'stellar', type: 'crypto_wallet', state: 'unreachable' }], /Stellar does not answer now\./] as const),
    ],
  ];
  for (const [what, destination, out, words] of obstacles) {
    it(`says what is in the way of ${what}`, async () => {
      const { page } = await openForm(
        { 'GET /v1/recipients/rec_1': saved(destination), 'GET /v1/capabilities': { pay_out: out } },
        'recipient=rec_1',
      );
      await waitUntil(() => words.test(textOf(page)), String(words));
    });
  }

  it('offers the connected operators, and a text field while none is known', async () => {
    const { page } = await openForm();
    await type(page, { 'destination.kind': 'mobile' });
    await waitUntil(() => textOf(find(page, 'select[name="destination.provider"]')) === 'Choose M-Pesa');
    const unknown = await openForm({ 'GET /v1/capabilities': new Refusal(503, 'unavailable') });
    await type(unknown.page, { 'destination.kind': 'mobile' });
    expect(find(unknown.page, '[name="destination.provider"]').localName).to.equal('input');
  });

  it('does not offer to send more than the balance has', async () => {
    const check = batchOf({ totals: [{ currency: 'EUR', amount: 60_000, fee: 0, count: 1 }] });
    const { page } = await openForm({ [bulk]: bulkAnswer(check) });
    await type(page, { amount: '600' });
    press(page, 'Continue');
    await waitUntil(() => textOf(page).includes('Your available balance is too small for it.'));
    expect(find<HTMLButtonElement>(page, 'pay-dialog button.main').disabled).to.equal(true);
  });

  it('repeats a call without an answer with the same key, and takes a new key after a refusal', async () => {
    const answers = [
      () => new Refusal(500, 'api_error', 'It failed.'),
      () => new Refusal(402, 'insufficient_funds', 'Too little money.'),
      () => batchOf({ id: 'pbat_1', dry_run: false }),
    ];
    const { page, service, visits } = await openForm({
      [bulk]: bulkAnswer(batchOf(), () => answers.shift()?.() ?? {}),
    });
    await type(page, { amount: '42.50' });
    press(page, 'Continue');
    for (const words of ['press again: the payout is made only once', 'It failed.', 'Too little money.']) {
      await waitUntil(() => textOf(page).includes(words), words);
      press(page, 'Send €42.50');
    }
    await waitUntil(() => visits.length === 1);
    const keys = sentCalls(service.callsOf(bulk)).map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).to.have.length(3);
    expect(keys[1]).to.equal(keys[0]);
    expect(keys[2]).not.to.equal(keys[0]);
  });

  it('keeps the key while the dialog is closed and opened, and warns before another payout', async () => {
    const lost = new Refusal(500, 'api_error', 'It failed.');
    const { page, service } = await openForm({ [bulk]: bulkAnswer(batchOf(), () => lost) });
    await type(page, { amount: '42.50' });
    for (const round of [1, 2]) {
      press(page, 'Continue');
      await waitUntil(() => textOf(page).includes('Available now'));
      press(page, 'Send €42.50');
      await waitUntil(() => textOf(page).includes('It failed.'));
      expect(sentCalls(service.callsOf(bulk))).to.have.length(round);
      press(page, 'Go back');
      await waitUntil(() => !textOf(page).includes('Available now'));
    }
    const [one, other] = sentCalls(service.callsOf(bulk)).map(({ headers }) => headers.get('idempotency-key'));
    expect(one).to.equal(other);
    await type(page, { amount: '43' });
    press(page, 'Continue');
    await waitUntil(() => textOf(page).includes('An earlier attempt had no answer'));
  });

  it('is not offered to a viewer', async () => {
    const { page } = await openForm({}, '', 'viewer');
    expect(textOf(page)).to.contain('may look but not move money');
    expect(() => find(page, 'form')).to.throw();
  });
});
