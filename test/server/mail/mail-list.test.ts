import { afterAll, beforeAll, expect, it } from 'vitest';
import { queueMail } from '../../../src/server/platform/mail/mail.ts';
import { startTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import { saying } from './mail-content.ts';

const outcome = ({ status, body }: TestAnswer) => [status, body?.error?.code];

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp();
  await queue('first');
  await queue('an invitation', 'invitation');
  await queue('a new password', 'person');
  // Test mails wait a minute for a process with a mail server before they are kept.
  await shop.sweep();
  shop.clock.advance(60);
  await shop.sweep();
  await queue('second');
});
afterAll(() => shop?.close());

async function queue(dedupeKey: string, type: 'invoice' | 'person' | 'invitation' = 'invoice', livemode = false) {
  await queueMail(shop.database.db, {
    merchantId: shop.merchant.id,
    livemode,
    resource: { type, id: 'inv_1' },
    dedupeKey,
    attachments: [],
    replyTo: null,
    now: shop.clock.now(),
    to: { name: '<b>Ada</b>', email: 'ada@reader.example' },
    subject: `About ${dedupeKey}`,
    content: saying(`What ${dedupeKey} says <script>alert(1)</script>`),
  });
}

const list = (query = '') => shop.request(`GET /v1/mails${query}`);

it('lists the mails of the mode by state, without those that let people into the dashboard', async () => {
  await queue('real money', 'invoice', true);
  const { status, body } = await list();
  expect([status, body.data.map(({ subject }: { subject: string }) => subject)]).toEqual([
    ...[200, ['About second', 'About first']],
  ]);
  expect(body.data[1]).toMatchObject({ object: 'mail', to: 'ada@reader.example', status: 'kept', resource: 'inv_1' });
  expect((await list('?status=queued')).body.data).toHaveLength(1);
  const stranger = await shop.addMerchant();
  expect((await shop.request('GET /v1/mails', { key: stranger.secretKey })).body.data).toEqual([]);
});

it('shows the text, and for ten minutes the HTML in which nothing runs', async () => {
  const [, { id }] = (await list()).body.data;
  const { body } = await shop.request(`GET /v1/mails/${id}`);
  expect(body.text).toContain('What first says <script>alert(1)</script>');
  const show = (url: string) => shop.request(`GET ${url as `/${string}`}`, { key: null });
  const page = await show(body.html_url);
  expect([page.status, page.text.includes('<script')]).toEqual([200, false]);
  expect(String(page.headers['content-security-policy'])).toMatch(/^sandbox allow-popups allow.*default-src 'none'/);
  const [{ id: other }] = (await list()).body.data;
  expect(outcome(await show(body.html_url.replace(id, other)))).toEqual([410, 'mail_link_expired']);
  expect(outcome(await show(body.html_url.replace('.test.', '.live.')))).toEqual([404, 'resource_missing']);
  shop.clock.advance(601);
  expect(outcome(await show(body.html_url))).toEqual([410, 'mail_link_expired']);
});

it('is sent again as a new mail, once for each request; a waiting or canceled one is not', async () => {
  const [waiting, kept] = (await list()).body.data;
  const headers = { 'idempotency-key': 'again' };
  const send = (id: string) => shop.request(`POST /v1/mails/${id}/resend`, { headers });
  const answers = [await send(kept.id), await send(kept.id)];
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(answers[0]?.body).toMatchObject({ subject: kept.subject, to: kept.to, status: 'queued' });
  expect((await list()).body.data).toHaveLength(3);
  const refused = await shop.request(`POST /v1/mails/${waiting.id}/resend`);
  expect(outcome(refused)).toEqual([409, 'illegal_state']);
  await shop.database.db
    .updateTable('mails')
    .set({ status: 'canceled', due_at: null })
    .where('id', '=', waiting.id)
    .execute();
  expect(outcome(await shop.request(`POST /v1/mails/${waiting.id}/resend`))).toEqual([409, 'illegal_state']);
  const weak = await shop.addKey(shop.merchant.id, 'secret', { scopes: ['mails:read'] });
  const weakAnswer = await shop.request(`POST /v1/mails/${kept.id}/resend`, { key: weak });
  expect(outcome(weakAnswer)).toEqual([403, 'operation_not_allowed']);
});

it('has a sample with an accent to try, whose address cannot be changed', async () => {
  const { status, body } = await shop.request('GET /v1/mails/sample?primary_color=%23c01818');
  const show = (url: string) => shop.request(`GET ${url as `/${string}`}`, { key: null });
  const page = await show(body.html_url);
  expect([status, page.status, page.text.includes('#c01818')]).toEqual([200, 200, true]);
  expect(outcome(await show(body.html_url.replace('c01818', '18c018')))).toEqual([410, 'mail_link_expired']);
  const refused = await shop.request('GET /v1/mails/sample?primary_color=red');
  expect(refused.status).toBe(400);
  shop.clock.advance(601);
  expect(outcome(await show(body.html_url))).toEqual([410, 'mail_link_expired']);
});
