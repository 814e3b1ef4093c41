import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { createSink, type Sink } from '../events/webhook-lab.ts';

let server: MailServer;
let sink: Sink;
let shop: TestApp;
beforeAll(async () => {
  server = await startMailServer();
  sink = await createSink();
  shop = await startTestApp({
    clock: systemClock,
    settings: { PAY_WEBHOOK_ALLOW_LOOPBACK: '1', SMTP_URL: server.url },
    merchant: { supportEmail: 'owner@shop.example' },
  });
});
afterAll(async () => {
  await shop.close();
  await sink.close();
  await server.close();
});

async function addEndpoint(path: string, status: number): Promise<{ id: string; url: string }> {
  sink.answer(path, response => response.writeHead(status).end());
  const { body } = await shop.request('POST /v1/webhook-endpoints', {
    body: { url: `${sink.url}${path}`, events: ['*'] },
  });
  return body;
}

it('notifies the merchant once when an endpoint answers 410', async () => {
  const endpoint = await addEndpoint('/gone', 410);
  await shop.request(`POST /v1/webhook-endpoints/${endpoint.id}/test`);
  await shop.sweep();
  await shop.sweep();
  const mails = server.to('owner@shop.example');
  expect(mails.map(({ email }) => email.subject)).toEqual(['Your webhook endpoint was disabled']);
  expect(mails[0]?.email.from).toMatchObject({ name: 'pay-checkout', address: 'no-reply@localhost' });
  expect(mails[0]?.email.text).toContain('410 Gone');
  expect(mails[0]?.email.text).toContain(endpoint.url);
  expect(mails[0]?.email.html).toContain(endpoint.id);
});

it('notifies the merchant when all attempts failed for five days, but not before', async () => {
  const endpoint = await addEndpoint('/failing', 500);
  await shop.request(`POST /v1/webhook-endpoints/${endpoint.id}/test`);
  const about = () => server.to('owner@shop.example').filter(({ email }) => email.text?.includes(endpoint.id));
  for (let day = 0; day < 4; day++) {
    await shop.request('POST /v1/test_helpers/clock', { body: { advance: 'P1D' } });
    await shop.sweep();
  }
  expect(about()).toEqual([]);
  for (let day = 0; day < 4; day++) {
    await shop.request(`POST /v1/webhook-endpoints/${endpoint.id}/test`);
    await shop.request('POST /v1/test_helpers/clock', { body: { advance: 'P1D' } });
    await shop.sweep();
  }
  expect(about()).toHaveLength(1);
  expect(about()[0]?.email.text).toContain('five days');
});

it('sends no mail when the merchant disables it, or has no address', async () => {
  const own = await addEndpoint('/own', 200);
  await shop.request(`PATCH /v1/webhook-endpoints/${own.id}` as 'PATCH /v1', { body: { status: 'disabled' } });
  await shop.request('PATCH /v1/account', { body: { support_email: null } });
  const endpoint = await addEndpoint('/gone', 410);
  await shop.request(`POST /v1/webhook-endpoints/${endpoint.id}/test`);
  await shop.sweep();
  expect((await shop.request(`GET /v1/webhook-endpoints/${endpoint.id}`)).body.status).toBe('disabled');
  const texts = server.received.map(({ email }) => email.text ?? '');
  expect(texts.filter(text => text.includes(own.id) || text.includes(endpoint.id))).toEqual([]);
});
