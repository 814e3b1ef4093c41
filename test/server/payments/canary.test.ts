import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserDir } from '../../support/built.ts';
import { type PaymentLab, startPaymentLab } from './payment-lab.ts';

const number = '4242424242424242';
const cvc = '987';
let lab: PaymentLab;
/** Every secret that the service issued, by its name. */
const secrets: Record<string, string> = {};

beforeAll(async () => {
  const settings = { PAY_WEBHOOK_ALLOW_LOOPBACK: '1', PAY_LOG_LEVEL: 'debug', PAY_LOG_REQUESTS: 'all' };
  lab = await startPaymentLab({ browserDir, settings });
  secrets['secret key'] = lab.merchant.secretKey;
  await tellSecrets();
  await payByTypedCard();
  await makeMistakes();
  await lab.sweep();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const send = (call: string, body?: unknown, headers: Record<string, string> = {}) =>
  lab.request(call as 'GET /', { headers, ...(body === undefined ? {} : { body }) });

/** Creates every object that has a secret, with idempotency keys, so that answers are stored. */
async function tellSecrets(): Promise<void> {
  const once = (key: string) => ({ 'idempotency-key': key });
  const key = await send('POST /v1/api-keys', { type: 'secret', name: 'second' }, once('k'));
  secrets['made key'] = key.body.key;
  const endpoint = { url: 'http://127.0.0.1:49151/hook', events: ['*'] };
  const made = await send('POST /v1/webhook-endpoints', endpoint, once('w'));
  expect(made.status, made.text).toBe(201);
  secrets['webhook secret'] = made.body.secret;
  const rotated = await send(`POST /v1/webhook-endpoints/${made.body.id}/rotate-secret`, {}, once('r'));
  secrets['rotated webhook secret'] = rotated.body.secret;
  secrets['client secret'] = (await lab.create()).client_secret ?? '';
}

const typed = { number, exp_month: 12, exp_year: 2029, cvc, name: 'Jo Long' };
const tokenize = (body: unknown, site = 'same-origin') =>
  lab.request('POST /card-frame/tokens', { key: null, headers: { 'sec-fetch-site': site }, body });

async function ticketOf(id: string): Promise<string> {
  return new URL((await lab.options(id)).card?.frame_url ?? '').searchParams.get('ticket') ?? '';
}

async function payByTypedCard(): Promise<void> {
  const payment = await lab.create();
  secrets['client secret of the paid one'] = payment.client_secret ?? '';
  const { body } = await tokenize({ ...typed, ticket: await ticketOf(payment.id) });
  const confirm = { method: 'card', token: body.token };
  const headers = { 'idempotency-key': 'pay' };
  const key = payment.client_secret ?? '';
  await lab.request(`POST /v1/payments/${payment.id}/confirm`, { key, headers, body: confirm });
  expect((await lab.read(payment.id)).status).toBe('completed');
  await lab.refund(payment.id, { amount: 100 });
}

/** Sends cards and secrets in wrong places, as faulty clients do. */
async function makeMistakes(): Promise<void> {
  const { id } = await lab.create();
  const ticket = await ticketOf(id);
  const spaced = number.replace(/(.{4})(?!$)/g, '$1 ');
  const mistakes = [
    tokenize({ ...typed, ticket: `${ticket}x` }),
    tokenize({ ...typed, ticket, pin: number }),
    tokenize({ ...typed, ticket, cvc: number }),
    tokenize({ ...typed, ticket, number: spaced }),
    tokenize({ ...typed, ticket }, 'cross-site'),
    tokenize(`{"number":"${number}","cvc":"${cvc}",}`),
    lab.payByCard(id, number),
    lab.payByCard(id, number.repeat(5)),
    lab.act(id, 'confirm', { method: 'card', token: 'tok_visa', number, cvc }),
    send(`POST /v1/payments/${id}/confirm`, { method: number }, { 'idempotency-key': `card-${id}` }),
    send(`GET /v1/payments/${number}`),
    send(`GET /v1/payments?${new URLSearchParams({ key: lab.merchant.secretKey, card: spaced })}`),
    send(`GET /card-frame/?ticket=${number}`),
    send(`GET /checkout/${number}`),
    send(`GET /v1/payments/${secrets['client secret']}`),
    lab.request('GET /v1/payments', { key: `${lab.merchant.secretKey}x` }),
    lab.request('GET /v1/payments', { key: null, headers: { authorization: `Basic ${lab.merchant.secretKey}` } }),
  ];
  await send(`GET /v1/payments/${id}?secret=${secrets['client secret']}&card=${number}`);
  const statuses = (await Promise.all(mistakes)).map(({ status }) => status);
  expect(statuses.filter(status => status < 400 || status >= 500)).toEqual([]);
  await lab.database.pool.query("alter table payments add constraint no_doomed check (description <> 'doomed')");
  await send('POST /v1/payments', { ...(await failing(id)), description: 'doomed' }, { 'idempotency-key': 'f' });
  await lab.database.pool.query('alter table payments drop constraint no_doomed');
}

async function failing(id: string): Promise<object> {
  const { amount, currency, settlement_asset, settlement_network, payment_methods } = await lab.read(id);
  return {
    amount,
    currency,
    settlement_asset,
    settlement_network,
    payment_methods,
    customer: { email: 'a@b.example' },
  };
}

/** Every row of every table as text, prefixed with the table's name. */
async function everyRow(): Promise<string[]> {
  const { rows: tables } = await lab.database.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await lab.database.pool.query<{ text: string }>(`select t::text as text from ${name} t`);
      return rows.map(({ text }) => `${name} ${text}`);
    }),
  );
  return found.flat();
}

/** The text unchanged, in hexadecimal and in base64, and the decoded bytes of a webhook secret. */
const formsOf = (text: string) => [
  text,
  ...(text.startsWith('whsec_') ? [Buffer.from(text.slice(6), 'base64').toString('hex')] : []),
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
];

describe('database and log do not contain', () => {
  let places: string[];
  beforeAll(async () => {
    places = [...(await everyRow()), ...lab.logs.map(line => `log ${line}`)];
  });
  const holding = (text: string) =>
    places.filter(place => formsOf(text).some(form => place.includes(form))).map(place => place.slice(0, 200));

  it('(control: the search finds existing values)', async () => {
    const { data } = (await send('GET /v1/payments?status=completed')).body;
    expect(holding(data[0].id).length).toBeGreaterThan(3);
    expect(holding('sandbox_card')).not.toEqual([]);
    const tokens = places.filter(place => place.startsWith('sandbox.card_tokens'));
    expect(tokens.some(row => row.includes('visa') && row.includes('4242'))).toBe(true);
    expect(places.filter(place => place.startsWith('log')).length).toBeGreaterThan(10);
  });

  it.each([number, '4242 4242 4242 4242', '4242-4242-4242-4242', number.slice(0, 12), '42424242'])(
    'the card number (%s)',
    text => {
      expect(holding(text)).toEqual([]);
    },
  );

  it('the security code', () => {
    expect(places.filter(place => new RegExp(`(cvc|code|csc)\\W{1,6}${cvc}`, 'i').test(place))).toEqual([]);
  });

  it.each([
    'secret key',
    'made key',
    'webhook secret',
    'rotated webhook secret',
    'client secret',
    'client secret of the paid one',
  ])('the %s', name => {
    const secret = secrets[name] ?? '';
    expect(secret.length).toBeGreaterThan(20);
    expect(holding(secret)).toEqual([]);
    expect(holding(secret.slice(-20))).toEqual([]);
  });
});
