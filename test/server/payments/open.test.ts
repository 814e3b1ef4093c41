import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readServerSentEvents } from '../../../src/api/client/server-sent-events.ts';
import { createPayClient } from '../../../src/api/client.ts';
import type { Payment } from '../../../src/api/payment.ts';
import { listen } from '../../support/app.ts';
import { browserDir } from '../../support/built.ts';
import { type PaymentLab, startPaymentLab } from './payment-lab.ts';

const origin = 'https://shop.example';
let lab: PaymentLab;
let url: string;
let payment: Payment;
let closing: AbortController;
beforeAll(async () => {
  lab = await startPaymentLab({ browserDir, merchant: { allowedOrigins: [origin] } });
  url = `http://127.0.0.1:${await listen(lab)}`;
  payment = await lab.create();
});
afterAll(() => lab.close());
beforeEach(() => {
  closing = new AbortController();
});
afterEach(() => closing.abort());

const access = () => ({
  api_key: lab.merchant.publishableKey,
  payment: payment.id,
  client_secret: payment.client_secret,
});

/** A call as a browser makes it without a preflight request: `fetch` sends a text as `text/plain`. */
const send = (path: string, body: object | string, from = origin) =>
  fetch(`${url}/v1/checkout/${path}`, {
    method: 'POST',
    headers: { origin: from },
    signal: closing.signal,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('opening a checkout', () => {
  it.each([
    ['a publishable key', {}],
    ['the client secret alone', { api_key: undefined }],
  ])('answers the payment and its options, with %s', async (_, changes) => {
    const answer = await send('open', { ...access(), ...changes });
    const key = payment.client_secret ?? '';
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    expect(answer.headers.get('pay-server-time')).not.toBeNull();
    expect(await answer.json()).toEqual({
      payment: (await lab.request(`GET /v1/payments/${payment.id}`, { key })).body,
      options: (await lab.request(`GET /v1/payments/${payment.id}/options`, { key })).body,
      answered_at: answer.headers.get('pay-server-time'),
    });
  });

  it('answers the shop’s server as it answers the payer, for the shop’s page', async () => {
    const client = createPayClient({ baseUrl: url, apiKey: lab.merchant.secretKey });
    const opened = await client.payments.open({ payment: payment.id, client_secret: payment.client_secret ?? '' });
    expect(opened).toEqual({ ...(await (await send('open', access())).json()), answered_at: expect.any(String) });
  });

  it('needs no call on the hosted page, which contains the same answer while the payment is open', async () => {
    const pageOf = async ({ checkout_url: address }: Payment) =>
      (await lab.request(`GET ${new URL(address).pathname as '/'}`, { key: null })).text;
    const [, opened = ''] = /opened="([^"]+)"/.exec(await pageOf(payment)) ?? [];
    expect(JSON.parse(opened.replaceAll('&quot;', '"'))).toEqual({
      ...(await (await send('open', access())).json()),
      answered_at: expect.any(String),
    });
    expect(await pageOf(await lab.createPaid())).not.toContain('opened=');
  });

  it.each<[string, () => object | string, string, number, string]>([
    ['an unknown key', () => ({ ...access(), api_key: `pk_test_${'x'.repeat(32)}` }), origin, 401, 'invalid_api_key'],
    ['another payment', () => ({ ...access(), payment: 'pay_0' }), origin, 403, 'client_secret_mismatch'],
    ['a wrong secret', () => ({ ...access(), client_secret: 'pay_0_secret_0' }), origin, 403, 'client_secret_mismatch'],
    ['a page of another origin', access, 'https://evil.example', 403, 'origin_not_allowed'],
    ['no secret', () => ({ payment: payment.id }), origin, 400, 'parameter_missing'],
    ['an unknown field', () => ({ ...access(), amount: 1 }), origin, 400, 'parameter_unknown'],
    ['no JSON', () => 'payment=1', origin, 400, 'invalid_json'],
  ])('with %s is refused', async (_, body, from, status, code) => {
    const answer = await send('open', body(), from);
    expect([answer.status, (await answer.json()).error.code]).toEqual([status, code]);
  });

  it('is the only exemption from JSON: other calls refuse text', async () => {
    const answer = await send(`../payments/${payment.id}/confirm`, access());
    expect(answer.status).toBe(401);
    const headers = { authorization: `Bearer ${payment.client_secret}`, 'content-type': 'text/plain' };
    const confirm = await fetch(`${url}/v1/payments/${payment.id}/confirm`, { method: 'POST', headers, body: '{}' });
    expect(confirm.status).toBe(415);
  });
});

describe('the stream of a checkout', () => {
  it('starts with the current payment, and continues after the last message seen', async () => {
    const watched = await lab.create();
    const body = { ...access(), payment: watched.id, client_secret: watched.client_secret };
    const { value: first } = await readServerSentEvents((await send('stream', body)).body!).next();
    expect(JSON.parse(first!.data)).toMatchObject({ id: watched.id, phase: 'awaiting_payer' });
    await lab.payByBank(watched.id);
    const again = await send('stream', { ...body, last_event_id: first!.id });
    expect(again.headers.get('access-control-allow-origin')).toBe(origin);
    const { value: second } = await readServerSentEvents(again.body!).next();
    expect(JSON.parse(second!.data)).toMatchObject({ id: watched.id, phase: 'awaiting_funds' });
  });
});
