import '../../src/dashboard/payments/payment-page.ts';
import '../../src/dashboard/payments/payments-page.ts';
import { expect } from '@open-wc/testing';
import { createPayClient } from '../../src/api/client.ts';
import type { Payment } from '../../src/api/payment.ts';
import type { Refund } from '../../src/api/refund.ts';
import { examplePayment, paidPayment, receivedPart } from '../element/support/example-payment.ts';
import { exampleEvent, listOf, Refusal } from './support/fake-service.ts';
import { type HistoryRecords, historyAnswer } from './support/history-answer.ts';
import {
  deep,
  exampleSession,
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

const customer = { id: 'cus_1', email: 'ada@example.com', name: 'Ada <img src=x onerror=alert(1)> Lovelace' };
const { id } = examplePayment();
const hash = '9f3c0000000000000000000000000000000000000000000000000000000000e1';
const settlement = { status: 'settled', asset: 'USDC', amount: '139.9600000', tx_hash: hash, ledger: 51_204 };
const settled = {
  ...paidPayment({ customer, amount_refundable: 12_840 }),
  settlement: { ...settlement, payout: null, delivery: 'payment', failure: null },
};
const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 14, 2, second)).toISOString();

const delivery = {
  id: 'del_1',
  object: 'webhook_delivery',
  event: 'evt_2',
  event_type: 'payment.completed',
  endpoint: 'we_1',
  status: 'delivered',
  attempts: 1,
  response_status: 200,
  last_error: null,
  next_attempt_at: null,
  delivered_at: at(23),
  livemode: false,
  created_at: at(22),
};

const refund: Refund = {
  id: 're_1',
  object: 'refund',
  payment: id,
  amount: 2_000,
  currency: 'EUR',
  status: 'pending',
  reason: null,
  failure: null,
  requires_destination: false,
  claim_url: null,
  metadata: {},
  livemode: false,
  created_at: at(40),
  tx_hash: null,
};

const entry = { object: 'balance_entry', currency: 'EUR', asset: null, asset_amount: null, kind: 'payment' };

/** The records of a payment with a whole history. */
function recordsOf(payment: Payment): HistoryRecords {
  const events = [
    { ...exampleEvent('payment.created', examplePayment({ customer })), id: 'evt_1', created_at: at(0) },
    { ...exampleEvent('payment.completed', payment), id: 'evt_2', created_at: at(22) },
    { ...exampleEvent('payment.settled', payment), id: 'evt_3', created_at: at(26) },
  ];
  const attempt = {
    id: 'att_1',
    status: 'declined',
    card: { brand: 'visa', last4: '0002' },
    rail: 'sandbox_card',
  };
  const charged = {
    ...attempt,
    id: 'att_2',
    status: 'captured',
    card: { brand: 'visa', last4: '4242' },
    message: null,
    amount: 12_840,
    currency: 'EUR',
    updated_at: at(21),
  };
  return {
    event: events,
    attempt: [{ ...attempt, message: 'Your bank refused.', updated_at: at(10) }, charged],
    transfer: [{ id: 'tr_9', rail: 'sandbox_card', created_at: at(21) }],
    balance_entry: [{ ...entry, id: 'txn_1', account: 'pending', amount: 12_840, created_at: at(22) }],
    delivery: [delivery],
  };
}

const history = `GET /v1/payments/${id}/history`;

async function openPayment(payment: Payment, role: 'owner' | 'viewer' = 'owner', records: HistoryRecords = {}) {
  const service = serviceOf({ [history]: historyAnswer(payment, { ...recordsOf(payment), ...records }) });
  const mounted = await mountPage('pay-payment-page', { params: { id }, role });
  await waitUntil(() => textOf(mounted.page).includes('What happened'), 'the history is there');
  const buttons = () =>
    [...deep(mounted.page.renderRoot as ShadowRoot)]
      .filter(element => element.matches('.actions button'))
      .map(button => button.textContent?.trim());
  return { ...mounted, service, buttons };
}

describe('the page of a payment', () => {
  it('tells what happened, newest first, in sentences', async () => {
    const { page } = await openPayment(settled as Payment);
    const titles = [...deep(page.renderRoot as ShadowRoot)].filter(element => element.matches('.moment h3'));
    expect(titles.map(title => title.textContent)).to.deep.equal([
      ...['Settled', 'Webhook delivered', 'Booked', 'Payment received', 'Card charged', 'Declined'],
      ...['Payment created', 'Rate held'],
    ]);
    const text = textOf(page);
    for (const sentence of [
      '139.96\u00a0USDC · ledger 51,204 · transaction 9f3c…e1',
      'payment.completed → https://shop.example/hooks, 200',
      'pending +\u2060€128.40',
      'Visa •••• 0002: Your bank refused.',
      'Visa •••• 4242, €128.40',
      '"id": "tr_9"',
      'by your server, order A-1042',
      'Rate 1 EUR = 1.0842211\u00a0USDC',
    ]) {
      expect(text).to.contain(sentence.replace('\u00a0', ' '));
    }
    expect(repeatedNames(page)).to.deep.equal([]);
    await expect(page).to.be.accessible();
  });

  const inSettlement = { status: 'submitted', asset: 'EUR', amount: '128.40', tx_hash: null, ledger: null } as const;
  const members: readonly [what: string, due_at: string | null, words: RegExp][] = [
    [
      'while it waits, with its time',
      new Date(2026, 10, 23, 17).toISOString(),
      /Paid out with the settlement of Nov 23/,
    ],
    ['once its payout is on its way', null, /Settlement set_abcd/],
  ];
  for (const [what, due_at, words] of members) {
    it(`leads to the settlement that contains its money: ${what}`, async () => {
      const member = { settlement: 'set_abcd', due_at, payout: null, delivery: null, failure: null };
      const payment = { ...settled, settlement: { ...inSettlement, ...member } };
      const { page } = await openPayment(payment as Payment);
      expect(textOf(page)).to.match(words);
      expect(find(page, 'a[href$="/balance/settlements/set_abcd"]')).to.exist;
    });
  }

  it('shows where a refund went on its chain', async () => {
    const sent: Refund = { ...refund, status: 'completed', tx_hash: hash };
    const { page } = await openPayment(settled as Payment, 'owner', { refund: [sent] });
    expect(textOf(page)).to.match(/Refunded .*€20\.00 · transaction 9f3c…e1/);
    expect(find(page, 'button', 'Copy transaction 9f3c…e1 of the refund')).to.exist;
    expect(repeatedNames(page)).to.deep.equal([]);
  });

  const canceled = { code: 'canceled', message: 'A person canceled it instead of approving it.' };
  const refused = { code: 'account_closed', message: 'The account is closed.' };
  const wallet = { provider: 'mtn', number: '+256772123456' };
  const prompt = {
    id: 'att_3',
    method: 'mobile_money',
    rail: 'mtn',
    card: null,
    number: wallet.number,
    amount: 50_000,
    currency: 'UGX',
    message: 'Ask again.',
    updated_at: at(12),
  };
  const prompts: readonly [status: string, code: string | null, title: string, text: string][] = [
    ['started', null, 'Prompt sent', 'Ask again.'],
    ['captured', null, 'Approved on the phone', 'MTN MoMo +256 772 123 456, UGX 50,000'],
    ['declined', 'prompt_refused', 'Declined', 'MTN MoMo +256 772 123 456: the payer refused the prompt.'],
    ['declined', 'wrong_pin', 'Declined', 'entered a wrong PIN'],
    ['declined', 'insufficient_funds', 'Declined', 'not enough money'],
    ['declined', 'prompt_expired', 'Declined', 'did not answer in time'],
    ['declined', 'number_not_registered', 'Declined', 'no wallet at this operator'],
    ['declined', 'operator_limit', 'Declined', 'beyond the limit'],
    ['declined', 'processing_error', 'Declined', 'could not process it'],
    ['declined', 'new_code', 'Declined', 'MTN MoMo +256 772 123 456: Ask again.'],
  ];
  for (const [status, code, title, text] of prompts) {
    it(`tells of a prompt on a phone: ${status}, ${code ?? 'no code'}`, async () => {
      const paid = paidPayment({ method: 'mobile_money', mobile_money: wallet });
      const transfer = { id: 'tr_7', rail: 'mtn', created_at: at(12), sender: wallet.number, amount: 50_000 };
      const records = { attempt: [{ ...prompt, status, code }], transfer: [{ ...transfer, currency: 'UGX' }] };
      const { page } = await openPayment(paid, 'owner', records);
      const titles = [...deep(page.renderRoot as ShadowRoot)].filter(element => element.matches('.moment h3'));
      expect(titles.map(element => element.textContent)).to.include(title);
      expect(textOf(page)).to.contain(text);
      const arrived = 'UGX 50,000 by MTN MoMo · from +256 772 123 456';
      expect(textOf(page).includes(arrived)).to.equal(status !== 'captured', 'the transfer has an entry of its own');
    });
  }

  it('names the wallet that a refund goes to, and each part of what was received', async () => {
    const parts = [
      receivedPart({ method: 'mobile_money', rail: 'mtn', asset: 'UGX', amount: '50000', credited: 2_840 }),
      receivedPart({ card: { brand: 'visa', last4: '4242' }, credited: 10_000 }),
    ];
    const fields = { customer, amount_refundable: 12_840, mobile_money: wallet, received: parts };
    const { page } = await openPayment(paidPayment({ method: 'mobile_money', ...fields }));
    expect(textOf(page)).to.match(/MTN MoMo €28\.40 .*Visa •••• 4242 €100\.00/);
    find(page, 'button', 'Refund').click();
    await waitUntil(() => textOf(page).includes('To the wallet MTN MoMo +256 772 123 456'));
  });

  const fates: readonly [fate: string, fields: object, title: string, tone: string, text: string, waits: boolean][] = [
    ['waits', { status: 'awaiting_approval' }, 'Refund asked for', 'warn', '€20.00', true],
    ['was canceled', { status: 'failed', failure: canceled }, 'Refund canceled', '', canceled.message, false],
    ['failed', { status: 'failed', failure: refused }, 'Refund failed', 'bad', refused.message, false],
    ['is on its way', { status: 'pending' }, 'Refund on its way', 'busy', '€20.00', false],
  ];
  for (const [fate, fields, title, tone, text, waits] of fates) {
    it(`shows in its history a refund that ${fate}`, async () => {
      const { page } = await openPayment(settled as Payment, 'owner', { refund: [{ ...refund, ...fields }] });
      const [moment] = [...deep(page.renderRoot as ShadowRoot)].filter(each =>
        each.matches('.timeline > li:has(.moment)'),
      );
      expect(moment?.querySelector('h3')?.textContent).to.equal(title);
      expect(moment?.className).to.equal(tone);
      expect(textOf(moment as Element)).to.contain(text);
      const links = [...(moment?.querySelectorAll<HTMLAnchorElement>('a.chip') ?? [])];
      expect(links.map(({ pathname }) => pathname)).to.deep.equal(waits ? ['/dashboard/approvals'] : []);
      await expect(page).to.be.accessible();
    });
  }

  it('shows texts of payers as they are', async () => {
    const { page } = await openPayment(settled as Payment);
    expect(textOf(page)).to.contain('Ada <img src=x onerror=alert(1)> Lovelace');
    expect([...deep(page.renderRoot as ShadowRoot)].filter(element => element.matches('img'))).to.deep.equal([]);
  });

  it('refunds a part after a table has shown what will happen', async () => {
    const { page, service, toasts } = await openPayment(settled as Payment);
    find(page, 'button', 'Refund').click();
    await settle(page);
    const input = find<HTMLInputElement>(page, 'input[name=amount]');
    expect(input.value).to.equal('128.40');
    input.value = '200';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await settle(page);
    expect(textOf(page)).to.contain('Type an amount up to €128.40.');
    input.value = '20';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await settle(page);
    expect(textOf(page)).to.match(/Goes back to the payer €20\.00 .*Then left of it €108\.40/);
    service.answers[`POST /v1/payments/${id}/refunds`] = new Refusal(400, 'amount_out_of_range', 'Too much.', 'amount');
    find(page, 'button', 'Refund €20.00').click();
    await waitUntil(() => textOf(page).includes('Too much.'));
    service.answers[`POST /v1/payments/${id}/refunds`] = refund;
    find(page, 'button', 'Refund €20.00').click();
    await waitUntil(() => toasts.length === 1);
    expect(toasts[0]?.text).to.equal('Refund of €20.00 started');
    const [call] = service.callsOf(`POST /v1/payments/${id}/refunds`).slice(-1);
    expect([call?.body, call?.headers.get('x-csrf-token')]).to.deep.equal([{ amount: 2_000 }, 'csrf_1']);
  });

  const paidLate = { status: 'failed', phase: 'expired', exception: 'paid_late', requires_decision: true } as const;
  const authorized = { phase: 'authorized', amount_capturable: 12_840, method: 'card' } as const;
  const states: readonly [name: string, Payment, readonly string[]][] = [
    ['a waiting payment', examplePayment({ can_cancel: true }), ['Cancel payment']],
    ['an authorized payment', examplePayment({ ...authorized, can_cancel: true }), ['Cancel payment', 'Capture']],
    ['a card after a part', examplePayment({ ...authorized, can_cancel: false }), ['Capture']],
    ['late money', examplePayment({ ...paidLate, amount_refundable: 12_840 }), ['Send back', 'Accept']],
    ['a paid payment', settled as Payment, ['Receipt', 'Refund']],
    ['a refunded payment', { ...settled, amount_refundable: 0 } as Payment, ['Receipt']],
    ['a payment under way', examplePayment({ phase: 'processing' }), []],
  ];
  for (const [name, payment, offered] of states) {
    it(`offers what can be done with ${name}`, async () => {
      const { buttons } = await openPayment(payment);
      expect(buttons()).to.deep.equal(offered);
    });
  }

  const coins = receivedPart({ method: 'crypto', chain: 'stellar', asset: 'USDC:G1', amount: '80.00', credited: 0 });
  const part = receivedPart({ amount: '50.00', credited: 5_000 });
  const partAndCoins = { amount_received: 5_000, received: [part, coins] };
  const decisions: readonly [name: string, Payment, button: string, table: string][] = [
    [
      ...(['late coins after a part', examplePayment({ ...paidLate, ...partAndCoins })] as const),
      ...(['Accept', 'Received €50.00 + 80.00 USDC Counts as paid €50.00 + 80.00 USDC'] as const),
    ],
    [
      ...(['late coins after a part', examplePayment({ ...paidLate, ...partAndCoins })] as const),
      ...(['Send back', 'Received €50.00 + 80.00 USDC Goes back to the payer €50.00 + 80.00 USDC'] as const),
    ],
    [
      ...(['late coins alone', examplePayment({ ...paidLate, received: [coins] })] as const),
      ...(['Accept', 'Received 80.00 USDC Counts as paid 80.00 USDC'] as const),
    ],
    [
      'late coins after the whole amount',
      paidPayment({ exception: 'paid_late', requires_decision: true, received: [receivedPart({}), coins] }),
      ...(['Send back', 'Received €128.40 + 80.00 USDC Goes back to the payer 80.00 USDC'] as const),
    ],
    [
      'coins of a wrong asset after a part',
      examplePayment({ phase: 'partially_paid', exception: 'wrong_asset', requires_decision: true, ...partAndCoins }),
      ...(['Accept', 'Counts as paid €50.00 Kept, not counted as paid 80.00 USDC'] as const),
    ],
  ];
  for (const [name, payment, button, table] of decisions) {
    it(`says what “${button}” does with ${name}`, async () => {
      const { page } = await openPayment(payment);
      find(page, 'button', button).click();
      await waitUntil(() => textOf(page).includes(table));
    });
  }

  it('changes its metadata: what is not touched keeps its type, what is cleared goes', async () => {
    const { page, service, toasts } = await openPayment(
      paidPayment({ customer, metadata: { order: 'A-1', seats: 2, note: 'old' } }),
    );
    service.answers[`PATCH /v1/payments/${id}`] = settled;
    find(page, 'button', 'Edit metadata').click();
    await settle(page);
    const enter = async (name: string, text: string) => {
      const input = find<HTMLInputElement>(page, `input[name=${name}]`);
      input.value = text;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await settle(page);
    };
    for (const name of ['name_2', 'value_2']) await enter(name, '');
    expect(textOf(page)).to.match(/note Removed/);
    await enter('name_2', 'order');
    expect(textOf(page)).to.include('This name is used above.');
    await enter('name_2', 'shelf');
    await enter('value_2', '7');
    find(page, 'button', 'Save').click();
    await waitUntil(() => toasts.some(({ text }) => text === 'Metadata saved'));
    const [call] = service.callsOf(`PATCH /v1/payments/${id}`);
    expect(call?.body).to.deep.equal({ metadata: { order: 'A-1', seats: 2, shelf: '7' } });
  });

  it('leads to the ramp that it pays', async () => {
    const { page } = await openPayment(paidPayment({ id, ramp: 'ramp_1' }));
    expect(find(page, 'a', 'The ramp').getAttribute('href')).to.equal('/dashboard/ramps/ramp_1');
  });

  it('offers a viewer nothing that moves money', async () => {
    const { buttons } = await openPayment(settled as Payment, 'viewer');
    expect(buttons()).to.deep.equal(['Receipt']);
  });

  it('reads all in one call, and once more for each event', async () => {
    const { page, service, live } = await openPayment(settled as Payment);
    const calls = () => service.calls.map(({ method, path }) => `${method} ${path}`);
    expect(calls()).to.deep.equal([history]);
    live.start((page as never as { app: { client: never } }).app.client, 'payment');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    for (const [type, object] of [
      ['payment.refunded', settled],
      ['refund.completed', refund],
    ] as const) {
      const before = service.callsOf(history).length;
      service.tell(type, object);
      await waitUntil(() => service.callsOf(history).length > before);
      await settle(page);
    }
    live.stop();
    expect(calls()).to.deep.equal([history, 'GET /v1/events/stream', history, history]);
  });

  const dispute = {
    id: 'dp_1',
    object: 'dispute',
    payment: id,
    amount: 12_840,
    currency: 'EUR',
    reason: 'fraudulent',
    status: 'needs_response',
    outcome: null,
    evidence: null,
    evidence_submitted_at: null,
    closed_at: null,
    evidence_due_at: '2999-11-21T14:02:00.000Z',
    livemode: false,
    created_at: at(30),
  };
  const disputes: readonly [state: object, words: RegExp][] = [
    [{}, /^Dispute to answer, \d+ days left$/],
    [{ evidence_due_at: '2020-11-21T14:02:00.000Z' }, /^Dispute to answer, deadline passed$/],
    [{ status: 'under_review' }, /^Dispute at the bank$/],
    [{ status: 'closed', outcome: 'won' }, /^Dispute won$/],
    [{ status: 'closed', outcome: 'lost' }, /^Dispute lost$/],
  ];
  for (const [state, words] of disputes) {
    it(`leads to its dispute: ${words.source}`, async () => {
      const { page } = await openPayment(settled as Payment, 'owner', { dispute: [{ ...dispute, ...state }] });
      const chip = find(page, 'a.chip');
      expect([chip.getAttribute('href'), words.test(chip.textContent?.trim() ?? '')]).to.deep.equal([
        ...['/dashboard/balance/disputes/dp_1', true],
      ]);
      await expect(page).to.be.accessible();
    });
  }

  it('reads its disputes again when one changes', async () => {
    const { page, live, service } = await openPayment(settled as Payment, 'owner', { dispute: [dispute] });
    await waitUntil(() => textOf(page).includes('Dispute to answer'));
    live.start((page as never as { app: { client: never } }).app.client, 'payment');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    const closed = { ...dispute, status: 'closed', outcome: 'accepted' };
    service.answers[history] = historyAnswer(settled as Payment, { dispute: [closed] });
    service.tell('dispute.closed', dispute);
    await waitUntil(() => textOf(page).includes('Dispute accepted'));
    live.stop();
  });

  it('says so when there is no such payment', async () => {
    serviceOf({});
    const { page } = await mountPage('pay-payment-page', { params: { id } });
    await waitUntil(() => textOf(page).includes('There is none.'));
  });

  it('says so when its URL is mistyped', async () => {
    const service = serviceOf({});
    const { page } = await mountPage('pay-payment-page', { params: { id: `${id}.` } });
    await waitUntil(() => textOf(page).includes('There is nothing at this address.'));
    expect(service.callsOf(`GET /v1/payments/${id}./history`)).to.have.length(0);
  });
});

describe('the list of payments', () => {
  it('asks the service for what its URL says', async () => {
    const service = serviceOf({ 'GET /v1/payments': listOf(paidPayment({ customer })) });
    const query = 'status=completed&method=card&find=ada@example.com&from=2026-11-01';
    const { page, visits } = await mountPage('pay-payments-page', { query });
    await waitUntil(() => textOf(page).includes('Ada'));
    const asked = Object.fromEntries(service.callsOf('GET /v1/payments')[0]?.query ?? []);
    const from = new Date('2026-11-01T00:00:00').toISOString();
    const filters = { status: 'completed', method: 'card', customer: 'ada@example.com' };
    expect(asked).to.deep.equal({ ...filters, 'created_at[gte]': from, limit: '50' });
    const select = find<HTMLSelectElement>(page, 'select[name=method]');
    select.value = '';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    expect(visits).to.deep.equal(['/payments?status=completed&find=ada%40example.com&from=2026-11-01']);
    find(page, 'button', 'Clear').click();
    expect(visits.at(-1)).to.equal('/payments');
    page.query = new URLSearchParams('refund_requires_destination=true&from=yesterday&to=2026-13-45');
    await waitUntil(() => service.callsOf('GET /v1/payments').length > 1);
    const [, second, ...more] = service.callsOf('GET /v1/payments');
    const waiting = { refund_requires_destination: 'true', limit: '50' };
    expect([Object.fromEntries(second?.query ?? []), more]).to.deep.equal([waiting, []]);
    await settle(page);
    expect(find<HTMLSelectElement>(page, 'select[name=refund_requires_destination]').value).to.equal('true');
  });

  it('follows events also with filters: what matches now appears, what matches no longer leaves', async () => {
    const service = serviceOf({ 'GET /v1/payments': listOf(examplePayment({ customer })) });
    const { page, live } = await mountPage('pay-payments-page', { query: 'status=pending' });
    await waitUntil(() => textOf(page).includes('Ada'));
    live.start(createPayClient({ baseUrl: location.origin }), 'test');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    service.answers['GET /v1/payments'] = listOf();
    service.tell('payment.completed', paidPayment({ customer }));
    await waitUntil(() => !textOf(page).includes('Ada'), 'the paid one leaves');
    const grace = { id: 'cus_2', email: 'grace@example.com', name: 'Grace Hopper' };
    service.answers['GET /v1/payments'] = listOf(examplePayment({ id: 'pay_2', customer: grace }));
    service.tell('payment.created', examplePayment({ id: 'pay_2', customer: grace }));
    await waitUntil(() => textOf(page).includes('Grace'), 'the new one appears');
    expect(service.callsOf('GET /v1/payments').at(-1)?.query.get('status')).to.equal('pending');
    live.stop();
  });

  it('shows prompts that wait on a phone, and filters by mobile money', async () => {
    const expires = { amount: 50_000, currency: 'UGX', expires_at: at(120) };
    const next = { type: 'phone_prompt', provider: 'mtn', number: '+256772123456', ...expires } as const;
    const waiting = examplePayment({ customer, phase: 'requires_action', method: 'mobile_money', next_action: next });
    serviceOf({ 'GET /v1/payments': listOf(waiting) });
    const { page } = await mountPage('pay-payments-page', { query: 'method=mobile_money' });
    await waitUntil(() => textOf(page).includes('On the phone'));
    expect(textOf(page)).to.contain('MTN MoMo +256 772 123 456');
    expect(find<HTMLSelectElement>(page, 'select[name=method]').selectedOptions[0]?.text).to.equal('Mobile money');
    await expect(page).to.be.accessible();
  });

  it('marks a payment with a dispute', async () => {
    serviceOf({ 'GET /v1/payments': listOf(paidPayment({ customer, amount_disputed: 500 })) });
    const { page } = await mountPage('pay-payments-page');
    await waitUntil(() => textOf(page).includes('Disputed'));
  });

  it('keeps filters under a name, in this browser', async () => {
    serviceOf({ 'GET /v1/payments': listOf(paidPayment({ customer })) });
    const { page } = await mountPage('pay-payments-page', { query: 'status=pending' });
    find(page, 'button', 'Save this view').click();
    await settle(page);
    const input = find<HTMLInputElement>(page, 'input[name=name]');
    input.value = 'Waiting orders';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await settle(page);
    find(page, 'button', 'Save').click();
    await settle(page);
    const later = await mountPage('pay-payments-page');
    await waitUntil(() => textOf(later.page).includes('Waiting orders'));
    expect(find(later.page, 'a', 'Waiting orders').getAttribute('href')).to.equal('/dashboard/payments?status=pending');
  });

  it('exports what the filters show', async () => {
    const service = serviceOf({ 'GET /v1/payments': listOf(paidPayment({ customer })) });
    service.answers['GET /v1/payments.csv'] = new Refusal(403, 'role_not_allowed', 'Ask an owner.');
    const { page } = await mountPage('pay-payments-page', { query: 'status=completed' });
    find(page, 'button', 'Export').click();
    await waitUntil(() => textOf(page).includes('Ask an owner.'));
    const [call] = service.callsOf('GET /v1/payments.csv');
    expect([call?.query.get('status'), call?.headers.get('pay-mode')]).to.deep.equal(['completed', null]);
  });

  it('shows an export in progress also to a page that is opened again, and its end', async () => {
    const service = serviceOf({ 'GET /v1/payments': listOf(paidPayment({ customer })) });
    let answer: (refusal: Refusal) => void = () => undefined;
    service.answers['GET /v1/payments.csv'] = () => new Promise<Refusal>(resolve => (answer = resolve));
    const first = await mountPage('pay-payments-page');
    find(first.page, 'button', 'Export').click();
    await settle(first.page);
    first.page.remove();
    const { page } = await mountPage('pay-payments-page', { query: 'status=completed' });
    expect(find<HTMLButtonElement>(page, 'button', 'Preparing …').disabled).to.equal(true);
    answer(new Refusal(403, 'role_not_allowed', 'Ask an owner.'));
    await waitUntil(() => textOf(page).includes('Ask an owner.'));
    expect(find<HTMLButtonElement>(page, 'button', 'Export').disabled).to.equal(false);
  });

  it('finds a payment by its id, and exports it', async () => {
    const service = serviceOf({ 'GET /v1/payments': listOf(paidPayment({ customer })) });
    service.answers['GET /v1/payments.csv'] = new Refusal(403, 'role_not_allowed', 'Ask an owner.');
    const { page } = await mountPage('pay-payments-page', { query: `find=${id}` });
    await waitUntil(() => textOf(page).includes('Ada'));
    find(page, 'button', 'Export').click();
    await waitUntil(() => textOf(page).includes('Ask an owner.'));
    const [[listed], [exported]] = [service.callsOf('GET /v1/payments'), service.callsOf('GET /v1/payments.csv')];
    expect(Object.fromEntries(listed?.query ?? [])).to.deep.equal({ id, limit: '50' });
    expect(Object.fromEntries(exported?.query ?? [])).to.deep.equal({ id });
  });

  it('teaches the first payment when there is none', async () => {
    serviceOf({ 'GET /v1/payments': listOf() });
    const { merchant } = exampleSession();
    const session = { merchant: { ...merchant, is_operator: true } };
    const { page } = await mountPage('pay-payments-page', { session });
    await waitUntil(() => textOf(page).includes('No payments yet'));
    expect(find(page, 'a', 'Open the example store').getAttribute('href')).to.equal('/demo/');
  });

  const elsewhere: readonly [
    who: string,
    options: Parameters<typeof mountPage>[1],
    words: RegExp,
    mayCreate: boolean,
  ][] = [
    ['another merchant', {}, /test card 4242/, true],
    ['live mode', { livemode: true }, /send it to somebody/, true],
    ['a viewer', { role: 'viewer' }, /test card 4242/, false],
  ];
  for (const [who, options, words, mayCreate] of elsewhere) {
    it(`teaches the first payment by a link, since the example store sells for others: ${who}`, async () => {
      serviceOf({ 'GET /v1/payments': listOf() });
      const { page } = await mountPage('pay-payments-page', options);
      await waitUntil(() => words.test(textOf(page)));
      expect(textOf(page)).not.to.contain('example store');
      const links = [...deep(page.renderRoot as ShadowRoot)].filter(element =>
        element.matches('a[href$="/links?new=1"]'),
      );
      expect(links).to.have.length(mayCreate ? 1 : 0);
    });
  }
});
