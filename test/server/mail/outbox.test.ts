import { afterAll, beforeAll, expect, it } from 'vitest';
import { queueMail } from '../../../src/server/platform/mail/mail.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { saying } from './mail-content.ts';

let shop: TestApp;
let publicUrl = 'http://localhost:4242';
beforeAll(async () => {
  shop = await startTestApp({ publicUrl: () => publicUrl });
});
afterAll(() => shop.close());

const visit = async (path: string) => await shop.request(`GET ${path as `/${string}`}`, { key: null });

async function queue(livemode: boolean, dedupeKey: string, type: 'invoice' | 'person' | 'invitation' = 'invoice') {
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
    content: saying('What it says <script>alert(1)</script>'),
  });
}

it('without a mail server stores and shows mails of test mode, and says that those of live mode wait', async () => {
  expect((await visit('/sandbox/outbox')).text).toContain('No mail yet');
  await queue(false, 'a & b');
  await queue(true, 'real money');
  await shop.sweep();
  expect((await visit('/readyz')).body).toEqual({ status: 'ready' });
  shop.clock.advance(60);
  await shop.sweep();
  const rows = await shop.database.db.selectFrom('mails').select(['livemode', 'status', 'due_at']).execute();
  expect(rows).toContainEqual({ livemode: false, status: 'kept', due_at: null });
  expect(rows).toContainEqual({ livemode: true, status: 'queued', due_at: expect.any(Date) });
  expect((await visit('/readyz')).body.remarks).toContain('mail: SMTP_URL is not set, 1 mail of live mode waits');
  const { status, text } = await visit('/sandbox/outbox');
  expect(status).toBe(200);
  expect(text).toContain('About a &amp; b');
  expect(text).toContain('&lt;b&gt;Ada&lt;/b&gt;');
  expect(text).not.toContain('real money');
});

it('shows a mail: headers, text, and HTML in a sandboxed frame', async () => {
  const path = /href="(\/sandbox\/outbox\/mail_\w+)"/.exec((await visit('/sandbox/outbox')).text)?.[1] ?? '';
  const page = await visit(path);
  expect(page.text).toContain('What it says &lt;script&gt;');
  expect(page.text).toContain(`src="${path}/message" sandbox="allow-popups allow-popups-to-escape-sandbox"`);
  expect(page.text).not.toContain('<script');
  const message = await visit(`${path}/message`);
  expect(message.text).toContain('What it says &lt;script&gt;');
  expect(message.text).not.toContain('<script');
  const policy = String(message.headers['content-security-policy']);
  expect(policy).toContain('sandbox allow-popups');
  expect(policy).not.toContain('allow-scripts');
  expect(policy).toContain("default-src 'none'");
});

it('shows no mail of live mode, and none with an unknown id', async () => {
  const { id } = await shop.database.db
    .selectFrom('mails')
    .select('id')
    .where('livemode', '=', true)
    .executeTakeFirstOrThrow();
  for (const path of [id, 'mail_unknown']) {
    for (const part of ['', '/message', '/documents/0']) {
      expect((await visit(`/sandbox/outbox/${path}${part}`)).status).toBe(404);
    }
  }
});

it('finds mails by a part of their subject or recipient, and shows older ones page by page', async () => {
  for (let index = 0; index < 101; index++) {
    shop.clock.advance(1);
    await queue(false, `order ${index}`);
  }
  const subjects = (text: string) => [...text.matchAll(/<bdi>About ([^<]*)<\/bdi>/g)].map(match => match[1]);
  const newest = await visit('/sandbox/outbox');
  expect([subjects(newest.text).length, subjects(newest.text)[0]]).toEqual([100, 'order 100']);
  expect(String(newest.headers['content-security-policy'])).toContain("form-action 'self'");
  const older = /href="([^"]*before=mail_\w+)"/.exec(newest.text)?.[1] ?? '';
  expect(subjects((await visit(older)).text)).toEqual(['order 0', 'a &amp; b']);
  const search = async (q: string) => (await visit(`/sandbox/outbox?${new URLSearchParams({ q })}`)).text;
  expect(subjects(await search(' ORDER 77 '))).toEqual(['order 77']);
  expect(subjects(await search('a & B'))).toEqual(['a &amp; b']);
  expect(await search('ada@reader')).toContain('q=ada%40reader&amp;before=mail_');
  const none = await search('<i>100%</i>');
  expect(subjects(none)).toEqual([]);
  expect(none).toContain('No mail has “<bdi>&lt;i&gt;100%&lt;/i&gt;</bdi>”');
  expect(none).toContain('value="&lt;i&gt;100%&lt;/i&gt;"');
  expect((await visit('/sandbox/outbox?before=mail_unknown')).status).toBe(404);
});

it.each([
  ['on a public server', 'https://sandbox.example.com', {}],
  ['under a name of others', 'http://localhost:4242', { host: 'rebound.example' }],
  ['through a proxy', 'http://localhost:4242', { 'x-forwarded-for': '192.0.2.7' }],
])('hides mails that let people in from visitors %s', async (where, url, headers) => {
  shop.clock.advance(1);
  const kinds = ['invitation', 'person'] as const;
  for (const kind of kinds) await queue(false, `${kind} ${where}`, kind);
  const at = async (path: string, sent: Readonly<Record<string, string>> = {}) =>
    await shop.request(`GET ${path as `/${string}`}`, { key: null, headers: sent });
  const all = await at('/sandbox/outbox');
  for (const kind of kinds) expect(all.text).toContain(`About ${kind} ${where}`);
  const paths = [...all.text.matchAll(/href="(\/sandbox\/outbox\/mail_\w+)"/g)]
    .slice(0, 2)
    .map(match => match[1] ?? '');
  publicUrl = url;
  try {
    const shown = await at('/sandbox/outbox', headers);
    expect(shown.text).toContain('on the server’s own machine only');
    for (const kind of kinds) expect(shown.text).not.toContain(`About ${kind}`);
    for (const path of paths) {
      for (const part of ['', '/message']) expect((await at(`${path}${part}`, headers)).status).toBe(404);
    }
    expect((await at(`/sandbox/outbox?before=${paths[0]?.split('/').at(-1)}`, headers)).status).toBe(404);
  } finally {
    publicUrl = 'http://localhost:4242';
  }
});
