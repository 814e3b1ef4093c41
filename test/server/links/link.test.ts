import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublicPaymentLink } from '../../../src/api/link.ts';
import type { Payment } from '../../../src/api/payment.ts';
import { type LinkLab, type PayersPayment, payer, phone, startLinkLab } from './link-lab.ts';

let lab: LinkLab;
beforeAll(async () => {
  lab = await startLinkLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const refusal = (answer: { status: number; body: { error?: { code: string; param: string | null } } }) => [
  answer.status,
  answer.body.error?.code,
  answer.body.error?.param ?? null,
];
const create = (body: object) => lab.request('POST /v1/payment-links', { body: { currency: 'EUR', ...body } });
const inHours = (hours: number) => new Date(lab.clock.now().getTime() + hours * 3_600_000).toISOString();

describe('a payment link', () => {
  it('has its own short URL and all of its parameters', async () => {
    const items = [{ name: 'Ticket', quantity: 2, amount: 2_500 }];
    const link = await lab.link({
      description: 'Concert',
      reference: 'C-1',
      line_items: items,
      single_use: true,
      expires_at: inHours(5),
      metadata: { seat: 12 },
      success_message: 'See you there',
      locale: 'de',
    });
    expect(link.id).toMatch(/^plink_[0-9A-Za-z]{22}$/);
    expect(link.url).toBe(`http://localhost:4242/l/${link.id.slice(6)}`);
    expect(link).toMatchObject({
      object: 'payment_link',
      status: 'active',
      state: 'open',
      amount: 2_500,
      currency: 'EUR',
      livemode: false,
      single_use: true,
      max_uses: 1,
      uses: 0,
      total_received: 0,
      received: [],
      opens: 0,
      allow_partial: false,
      description: 'Concert',
      reference: 'C-1',
      line_items: items,
      metadata: { seat: 12 },
      custom_amount: null,
      payment_methods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
      settlement_asset: 'USDC',
      redirect_url: null,
      expires_at: inHours(5),
      starts_at: null,
      success_message: 'See you there',
      amount_remaining: null,
    });
    expect(await lab.readLink(link.id)).toEqual(link);
    expect(await lab.eventsOf(link.id)).toEqual(['payment_link.created']);
  });

  it.each<[string, object, string, string]>([
    ['an amount and a choice', { amount: 100, custom_amount: {} }, 'parameter_invalid', 'custom_amount'],
    ['parts without an amount', { allow_partial: true }, 'parameter_invalid', 'allow_partial'],
    [
      'items without an amount',
      { line_items: [{ name: 'A', quantity: 1, amount: 1 }] },
      'parameter_invalid',
      'line_items',
    ],
    [
      'items with another sum',
      { amount: 5, line_items: [{ name: 'A', quantity: 1, amount: 4 }] },
      'line_items_mismatch',
      'line_items',
    ],
    ['two limits', { amount: 100, single_use: true, max_uses: 2 }, 'parameter_invalid', 'max_uses'],
    ['zero uses', { amount: 100, max_uses: 0 }, 'parameter_invalid', 'max_uses'],
    ['an end in the past', { amount: 100, expires_at: '2020-01-01T00:00:00Z' }, 'parameter_invalid', 'expires_at'],
    [
      'a start after the end',
      { amount: 100, starts_at: '2099-01-02T00:00:00Z', expires_at: '2099-01-01T00:00:00Z' },
      'parameter_invalid',
      'starts_at',
    ],
    ['an invalid time', { amount: 100, expires_at: 'tomorrow' }, 'parameter_invalid', 'expires_at'],
    ['a minimum above the maximum', { custom_amount: { min: 10, max: 5 } }, 'amount_out_of_range', 'custom_amount.max'],
    [
      'a preset outside of the limits',
      { custom_amount: { max: 10, presets: [5, 50] } },
      'amount_out_of_range',
      'custom_amount.presets[1]',
    ],
    [
      'an unknown currency',
      { custom_amount: { currencies: ['USD', 'XQX'] } },
      'invalid_currency',
      'custom_amount.currencies[1]',
    ],
    [
      'an unsafe redirect URL',
      { amount: 100, redirect_url: 'javascript:alert(1)' },
      'invalid_redirect_url',
      'redirect_url',
    ],
    ['an unknown asset', { amount: 100, settlement_asset: 'NOPE' }, 'invalid_asset', 'settlement_asset'],
    ['an amount with decimals', { amount: 10.5 }, 'invalid_amount', 'amount'],
    ['an unknown field', { amount: 100, colour: 'red' }, 'parameter_unknown', 'colour'],
  ])('refuses %s', async (_, body, code, param) => {
    expect(refusal(await create(body))).toEqual([400, code, param]);
  });

  it('is listed, newest first, by status and reference; other merchants do not see it', async () => {
    const first = await lab.link({ reference: 'listed' });
    const second = await lab.link({ reference: 'listed' });
    await lab.change(first.id, { status: 'disabled' });
    const list = async (query: string) =>
      (await lab.request(`GET /v1/payment-links?reference=listed${query}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await list('')).toEqual([second.id, first.id].toSorted((a, b) => (a < b ? 1 : -1)));
    expect(await list('&status=disabled')).toEqual([first.id]);
    const stranger = await lab.addMerchant();
    const asStranger = { key: stranger.secretKey };
    expect((await lab.request('GET /v1/payment-links', asStranger)).body.data).toEqual([]);
    expect(refusal(await lab.request(`GET /v1/payment-links/${first.id}`, asStranger))).toEqual([
      404,
      'resource_missing',
      'id',
    ]);
  });

  it('is listed by currency, amount and metadata', async () => {
    const small = await lab.link({ amount: 41_001, metadata: { shelf: 'A', row: 2 } });
    lab.clock.advance(1);
    const large = await lab.link({ amount: 41_003, currency: 'CHF', metadata: { shelf: 'A' } });
    const list = (query: string) => lab.request(`GET /v1/payment-links?amount[gte]=41001&amount[lt]=41004&${query}`);
    const ids = async (query: string) => (await list(query)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([large.id, small.id]);
    expect(await ids('amount[lte]=41001')).toEqual([small.id]);
    expect(await ids('currency=chf')).toEqual([large.id]);
    expect(await ids('metadata[shelf]=A')).toEqual([large.id, small.id]);
    expect(await ids('metadata[shelf]=A&metadata[row]=2')).toEqual([small.id]);
    expect(refusal(await list('amount[gt]=1.5'))).toEqual([400, 'parameter_invalid', 'amount[gt]']);
  });

  it('is created once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one link' };
    const body = { amount: 700, currency: 'EUR' };
    const [first, again] = [
      await lab.request('POST /v1/payment-links', { headers, body }),
      await lab.request('POST /v1/payment-links', { headers, body }),
    ];
    expect(again.text).toBe(first.text);
  });
});

describe('paying a link', () => {
  it('needs no key, and creates a payment with the link’s data', async () => {
    const link = await lab.link({ description: 'Chair', reference: 'A-7', metadata: { colour: 'oak' } });
    const opened = await lab.enter(link.id);
    expect(opened).toMatchObject({ payment_link: link.id, amount: 2_500, description: 'Chair', created_via: 'server' });
    expect(opened).not.toHaveProperty('metadata');
    expect((await lab.tryCard(opened)).body.status).toBe('completed');
    expect(await lab.read(opened.id)).toMatchObject({
      metadata: { colour: 'oak' },
      reference: 'A-7',
      payment_link: link.id,
      status: 'completed',
      customer: { email: payer.email, name: payer.name },
    });
    expect(await lab.readLink(link.id)).toMatchObject({
      status: 'active',
      uses: 1,
      total_received: 2_500,
      received: [{ currency: 'EUR', amount: 2_500 }],
    });
    const { data } = (await lab.request(`GET /v1/payment-links/${link.id}/payments`)).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([opened.id]);
    expect(await lab.eventsOf(link.id)).toEqual(['payment_link.created', 'payment_link.paid']);
  });

  it('completes a single-use link, which then answers 410', async () => {
    const link = await lab.link({ single_use: true });
    await lab.pay(link.id);
    expect(await lab.readLink(link.id)).toMatchObject({ status: 'completed', state: 'used', uses: 1 });
    expect(refusal(await lab.open(link.id))).toEqual([410, 'link_used', null]);
    expect(await lab.eventsOf(link.id)).toEqual([
      'payment_link.created',
      'payment_link.paid',
      'payment_link.completed',
    ]);
    expect(refusal(await lab.change(link.id, { status: 'active' }))).toEqual([409, 'illegal_state', null]);
  });

  it('creates one payment when it is repeated with its idempotency key', async () => {
    const link = await lab.link();
    const call = { key: null, headers: { 'idempotency-key': 'opened once' }, body: { customer: payer } };
    const [first, again] = [
      await lab.request(`POST /v1/payment-links/${link.id}/payments`, call),
      await lab.request(`POST /v1/payment-links/${link.id}/payments`, call),
    ];
    expect([first.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
  });

  it.each<[string, object, object, string]>([
    ['another amount than the link’s', { amount: 2_500 }, { amount: 1 }, 'amount_out_of_range'],
    ['another currency', { amount: 2_500 }, { currency: 'USD' }, 'invalid_currency'],
    ['a missing amount', { custom_amount: {} }, {}, 'parameter_missing'],
    ['an amount below the minimum', { custom_amount: { min: 500 } }, { amount: 499 }, 'amount_out_of_range'],
    ['an amount above the maximum', { custom_amount: { max: 500 } }, { amount: 501 }, 'amount_out_of_range'],
    ['more decimals than the currency has', { custom_amount: {} }, { amount: 10.5 }, 'amount_out_of_range'],
    ['an amount of zero', { custom_amount: {} }, { amount: 0 }, 'amount_out_of_range'],
    ['a part above the full amount', { amount: 100, allow_partial: true }, { amount: 101 }, 'amount_out_of_range'],
    ['another settlement asset', { amount: 100 }, { settlement_asset: 'XLM' }, 'parameter_unknown'],
    ['an invalid e-mail address', { amount: 100 }, { customer: { email: 'nobody' } }, 'invalid_email'],
  ])('refuses %s', async (_, made, paid, code) => {
    const { body: link } = await create(made);
    const answer = await lab.open(link.id, paid);
    expect([answer.status, answer.body.error?.code]).toEqual([400, code]);
  });

  it('with a chosen amount accepts the limits and all amounts between', async () => {
    const { body: link } = await create({ custom_amount: { min: 500, max: 900, preset: 600 } });
    for (const amount of [500, 900, 601]) expect((await lab.enter(link.id, { amount })).amount).toBe(amount);
  });

  it('in another currency has converted limits, and accepts the displayed amounts', async () => {
    const { body: link } = await create({
      custom_amount: { min: 1_000, presets: [2_000, 5_000], currencies: ['JPY', 'usd'] },
    });
    expect(link.custom_amount.currencies).toEqual(['JPY', 'USD']);
    const choices: PublicPaymentLink['choices'] = (await lab.look(link.id)).body.choices;
    expect(choices.map(({ currency }) => currency)).toEqual(['EUR', 'JPY', 'USD']);
    const yen = choices[1];
    expect(yen?.min).toBeGreaterThan(1_000);
    expect(yen?.presets.map(preset => String(preset).replace(/0+$/, '').length <= 2)).toEqual([true, true]);
    expect(await lab.pay(link.id, { amount: yen?.min, currency: 'JPY' })).toMatchObject({ currency: 'JPY' });
    expect((await lab.open(link.id, { amount: 100, currency: 'JPY' })).body.error.code).toBe('amount_out_of_range');
    expect(await lab.readLink(link.id)).toMatchObject({
      total_received: 0,
      received: [{ currency: 'JPY', amount: yen?.min }],
      uses: 1,
    });
  });

  it('in another currency applies the limits to the unit, and reports them', async () => {
    const { body: link } = await create({ custom_amount: { min: 10_000, max: 10_000, currencies: ['USD'] } });
    const { min, max } = (await lab.look(link.id)).body.choices[1] ?? {};
    expect(min).toBe(max);
    const bound = `${(Number(min) / 100).toFixed(2)} USD`;
    for (const amount of [Math.ceil(Number(min) * 0.97) + 1, Number(min) - 1, Number(max) + 1]) {
      const { status, body } = await lab.open(link.id, { amount, currency: 'USD' });
      expect([status, body.error?.code, body.error?.param]).toEqual([400, 'amount_out_of_range', 'amount']);
      expect(body.error?.message).toContain(bound);
    }
    expect((await lab.open(link.id, { amount: min, currency: 'USD' })).status).toBe(201);
  });

  it('in parts counts a use when the full amount is received', async () => {
    const { body: link } = await create({ amount: 10_000, allow_partial: true });
    expect(link).toMatchObject({ single_use: true, amount_remaining: 10_000 });
    await lab.pay(link.id, { amount: 4_000 });
    expect(await lab.readLink(link.id)).toMatchObject({ status: 'active', uses: 0, amount_remaining: 6_000 });
    expect((await lab.look(link.id)).body.choices).toEqual([
      { currency: 'EUR', min: 1, max: 6_000, preset: 6_000, presets: [] },
    ]);
    expect((await lab.open(link.id, { amount: 6_001 })).body.error.code).toBe('amount_out_of_range');
    const rest = await lab.pay(link.id);
    expect(rest.amount).toBe(6_000);
    expect(await lab.readLink(link.id)).toMatchObject({
      status: 'completed',
      uses: 1,
      total_received: 10_000,
      amount_remaining: 0,
    });
  });

  it('from a page whose origin the merchant has not listed is refused', async () => {
    const link = await lab.link();
    const from = (origin: string) =>
      lab.request(`POST /v1/payment-links/${link.id}/payments`, {
        key: null,
        headers: { origin },
        body: { customer: payer },
      });
    expect((await from('https://thief.example')).body.error.code).toBe('origin_not_allowed');
    const mine = await from('http://localhost:3000');
    expect([mine.status, mine.headers['access-control-allow-origin']]).toEqual([201, 'http://localhost:3000']);
  });
});

describe('the public view of a link', () => {
  it('excludes the merchant’s private fields', async () => {
    const link = await lab.link({ metadata: { margin: '40 %' }, single_use: true });
    const { body } = await lab.look(link.id);
    expect(body).toMatchObject({
      id: link.id,
      state: 'open',
      amount: 2_500,
      choices: [],
      merchant: { name: 'Test shop' },
    });
    for (const field of ['metadata', 'uses', 'total_received', 'settlement_asset', 'opens']) {
      expect(body).not.toHaveProperty(field);
    }
  });

  it('has the success message only for the payer of a completed payment', async () => {
    const words = 'Your licence key: SECRET-42';
    const link = await lab.link({ success_message: words, single_use: true });
    const mine = await lab.enter(link.id);
    const readMine = async () => await lab.request(`GET /v1/payments/${mine.id}`, { key: mine.client_secret });
    expect((await lab.look(link.id)).text).not.toContain('SECRET-42');
    expect((await readMine()).text).not.toContain('SECRET-42');
    await lab.tryCard(mine);
    expect((await readMine()).body.success_message).toBe(words);
    expect(await lab.read(mine.id)).toMatchObject({ success_message: words });
    await lab.change(link.id, { success_message: 'It is on its way.' });
    expect((await readMine()).body.success_message).toBe('It is on its way.');
    expect((await lab.look(link.id)).text).not.toContain('on its way');
    expect(await lab.read((await lab.createPaid()).id)).not.toHaveProperty('success_message');
  });

  it('has no success message after a partial payment until the full amount is received', async () => {
    const body = { amount: 1_000, allow_partial: true, max_uses: 2, success_message: 'SECRET-42' };
    const { id } = await lab.link(body);
    const parts: PayersPayment[] = [];
    const messagesAfter = async (amount: number) => {
      const part = await lab.enter(id, { amount });
      expect((await lab.tryCard(part)).body.status).toBe('completed');
      parts.push(part);
      lab.clock.advance(1);
      const words = [];
      for (const { id, client_secret: key } of parts) {
        words.push((await lab.request(`GET /v1/payments/${id}`, { key })).body.success_message);
      }
      return words;
    };
    expect(await messagesAfter(1)).toEqual([undefined]);
    expect(await messagesAfter(999)).toEqual(['SECRET-42', 'SECRET-42']);
    expect(await messagesAfter(100)).toEqual(['SECRET-42', 'SECRET-42', undefined]);
    expect(await messagesAfter(900)).toEqual(Array(4).fill('SECRET-42'));
  });

  it('keeps the success message for a full payment, whatever later parts are refunded', async () => {
    const body = { amount: 10_000, allow_partial: true, max_uses: 3, success_message: 'SECRET-42' };
    const { id } = await lab.link(body);
    const part = async (amount: number, sent: number) => {
      const waiting = (await lab.tryBank(await lab.enter(id, { amount }))).body;
      lab.clock.advance(1);
      await lab.transfer(waiting, sent);
      return async () => (await lab.read(waiting.id)) as Payment & { success_message?: string };
    };
    const [first, last] = [await part(8_000, 8_000), await part(2_000, 2_000)];
    const begun = await part(5_000, 9_000);
    const words = async () => [(await first()).success_message, (await last()).success_message];
    expect(await words()).toEqual(['SECRET-42', 'SECRET-42']);
    await lab.act((await begun()).id, 'resolve', { action: 'refund' });
    await lab.sweep();
    expect(await begun()).toMatchObject({ amount_refunded: 4_000 });
    expect(await begun()).not.toHaveProperty('success_message');
    await lab.refund((await begun()).id);
    expect(await begun()).toMatchObject({ amount_refunded: 9_000 });
    expect(await words()).toEqual(['SECRET-42', 'SECRET-42']);
    expect(await begun()).not.toHaveProperty('success_message');
  });

  it.each([
    ['disabled', () => ({ status: 'disabled' })],
    ['expired', () => ({ expires_at: inHours(1 / 3_600) })],
  ])('has no success message when the link is %s', async (_, change) => {
    const link = await lab.link({ success_message: 'SECRET-42' });
    const waiting = await lab.enter(link.id);
    await lab.change(link.id, change());
    lab.clock.advance(2);
    await lab.sweep('links.expire', 'links.close');
    for (const call of [`GET /v1/payment-links/${link.id}`, `GET /l/${link.id.slice(6)}`] as const) {
      expect((await lab.request(call, { key: null, headers: phone })).text).not.toContain('SECRET-42');
    }
    const { body } = await lab.request(`GET /v1/payments/${waiting.id}`, { key: waiting.client_secret });
    expect(body.phase).toBe('canceled');
    expect(body).not.toHaveProperty('success_message');
  });

  it('is rate-limited after many wrong guesses', async () => {
    const guess = () => lab.look(`plink_${crypto.randomUUID().replaceAll('-', '').slice(0, 22)}`);
    const answers = [];
    for (let i = 0; i < 200; i++) answers.push((await guess()).status);
    expect(new Set(answers)).toEqual(new Set([404, 429]));
    expect(answers.filter(status => status === 404).length).toBeLessThanOrEqual(60);
  });
});

describe('the time of a link', () => {
  it('is the server’s: payments are accepted until the last millisecond, and not in the next', async () => {
    const link = await lab.link({ expires_at: inHours(1 / 12) });
    const late = await lab.enter(link.id);
    lab.clock.advance(300 - 0.001);
    const inTime = await lab.enter(link.id);
    expect((await lab.tryCard(inTime)).body.status).toBe('completed');
    lab.clock.advance(0.001);
    expect(refusal(await lab.tryCard(late))).toEqual([410, 'link_expired', null]);
    expect(refusal(await lab.open(link.id))).toEqual([410, 'link_expired', null]);
    expect(await lab.readLink(link.id)).toMatchObject({ status: 'expired', state: 'expired', uses: 1 });
    expect(await lab.eventsOf(link.id)).toEqual(['payment_link.created', 'payment_link.paid', 'payment_link.expired']);
  });

  it('ends unstarted payments, with the reason', async () => {
    const link = await lab.link({ expires_at: inHours(1) });
    const looked = await lab.enter(link.id);
    lab.clock.advance(3_601);
    await lab.sweep('links.expire', 'links.close');
    expect(await lab.read(looked.id)).toMatchObject({ phase: 'canceled', failure: { code: 'link_expired' } });
    expect((await lab.tryCard(looked)).body.error.code).toBe('link_expired');
  });

  it('counts a payment that was in flight when the link expired', async () => {
    const link = await lab.link({ expires_at: inHours(1), single_use: true });
    const waiting = (await lab.tryBank(await lab.enter(link.id))).body;
    lab.clock.advance(3_601);
    await lab.sweep('links.expire', 'links.close');
    expect((await lab.read(waiting.id)).phase).toBe('awaiting_funds');
    await lab.credit({ reference: waiting.next_action.reference, amount: 2_500 });
    await lab.sweep();
    expect((await lab.read(waiting.id)).status).toBe('completed');
    expect(await lab.readLink(link.id)).toMatchObject({ status: 'completed', uses: 1, total_received: 2_500 });
  });

  it('may begin later: a payment before is refused', async () => {
    const link = await lab.link({ starts_at: inHours(1) });
    expect(link.state).toBe('not_started');
    expect(refusal(await lab.open(link.id))).toEqual([409, 'link_not_started', null]);
    lab.clock.advance(3_600);
    expect((await lab.pay(link.id)).status).toBe('completed');
  });

  it('may be extended: an expired link with a later end is active again', async () => {
    const link = await lab.link({ expires_at: inHours(1) });
    lab.clock.advance(3_601);
    await lab.sweep('links.expire');
    expect(refusal(await lab.change(link.id, { status: 'active' }))).toEqual([409, 'illegal_state', null]);
    expect((await lab.change(link.id, { expires_at: inHours(2) })).body).toMatchObject({ status: 'active' });
    expect((await lab.pay(link.id)).status).toBe('completed');
  });
});

describe('a disabled link', () => {
  it('accepts no payments until it is enabled', async () => {
    const link = await lab.link();
    const waiting = await lab.enter(link.id);
    expect((await lab.change(link.id, { status: 'disabled', description: 'Sold out' })).body).toMatchObject({
      status: 'disabled',
      state: 'disabled',
      description: 'Sold out',
    });
    expect(refusal(await lab.open(link.id))).toEqual([409, 'link_disabled', null]);
    expect(refusal(await lab.tryCard(waiting))).toEqual([409, 'link_disabled', null]);
    await lab.change(link.id, { status: 'active' });
    expect((await lab.pay(link.id)).status).toBe('completed');
    expect(await lab.eventsOf(link.id)).toEqual([
      ...['payment_link.created', 'payment_link.updated', 'payment_link.updated', 'payment_link.paid'],
    ]);
  });
});
