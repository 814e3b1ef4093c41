import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeStrkey } from '../../../src/core/stellar/strkey.ts';
import { type NewMail, queueMail, queueMails } from '../../../src/server/platform/mail/mail.ts';
import { createSentences } from '../../../src/server/platform/mail/mail-sentences.ts';
import { mailWarnings } from '../../../src/server/platform/mail/module.ts';
import { readConfig } from '../../../src/server/settings/config.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { saying } from './mail-content.ts';

let server: MailServer;
let shop: TestApp;

/** One red pixel. */
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

beforeAll(async () => {
  server = await startMailServer();
  shop = await startTestApp({
    settings: { SMTP_URL: server.url, PAY_MAIL_FROM: 'billing@pay.example' },
    merchant: { name: 'Müller & Töchter', supportEmail: 'hello@shop.example', branding: { logo: pixel } },
  });
});
afterAll(async () => {
  await shop.close();
  await server.close();
});
beforeEach(() => {
  server.refuse = { recipient: null, message: null };
  server.onMessage = null;
});

/** The plain text of the usual mail. */
const asText = 'A mail\n\nGrüße ☕\n\n-- \nMüller & Töchter';

let count = 0;
function newMail(changes: Partial<NewMail> = {}): NewMail {
  count++;
  return {
    merchantId: shop.merchant.id,
    livemode: false,
    resource: { type: 'invoice', id: 'inv_test' },
    dedupeKey: `test:${count}`,
    to: { name: 'Ada', email: `ada-${count}@reader.example` },
    subject: 'A mail',
    content: saying('Grüße ☕'),
    attachments: [],
    replyTo: 'hello@shop.example',
    now: shop.clock.now(),
    ...changes,
  };
}

async function queue(changes: Partial<NewMail> = {}): Promise<NewMail> {
  const mail = newMail(changes);
  await shop.database.db.transaction().execute(tx => queueMail(tx, mail));
  return mail;
}

const stateOf = async (mail: NewMail) =>
  await shop.database.db
    .selectFrom('mails')
    .select(['status', 'attempts', 'last_error', 'due_at'])
    .where('dedupe_key', '=', mail.dedupeKey)
    .executeTakeFirstOrThrow();

describe('a mail', () => {
  it('arrives as text and HTML, from the merchant’s name, with its logo embedded', async () => {
    const mail = await queue();
    await shop.sweep('mail.send');
    const [received] = server.to(mail.to.email);
    expect(received?.from).toBe('billing@pay.example');
    expect(received?.email).toMatchObject({
      from: { name: 'Müller & Töchter', address: 'billing@pay.example' },
      to: [{ name: 'Ada', address: mail.to.email }],
      replyTo: [{ address: 'hello@shop.example' }],
      subject: 'A mail',
      messageId: expect.stringMatching(/^<mail_\w{22}@pay\.example>$/),
      attachments: [{ mimeType: 'image/png', contentId: '<logo>', disposition: 'inline' }],
    });
    expect(received?.email.text?.trim()).toBe(asText);
    expect(received?.email.html).toContain('Grüße ☕');
    expect(await stateOf(mail)).toMatchObject({ status: 'sent', attempts: 1, last_error: null });
  });

  it('of an invoice has the merchant as sender, also when it goes to the merchant itself', async () => {
    const mail = await queue({ to: { email: 'hello@shop.example' } });
    await shop.sweep('mail.send');
    expect(server.to(mail.to.email).at(-1)?.email.from).toMatchObject({ name: 'Müller & Töchter' });
  });

  it('does not exist when its change is rolled back', async () => {
    const mail = newMail();
    const failing = shop.database.db.transaction().execute(async tx => {
      await queueMail(tx, mail);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await shop.sweep('mail.send');
    expect(server.to(mail.to.email)).toEqual([]);
  });

  it('is sent once for its key, however often it is requested', async () => {
    const mail = await queue();
    await queueMails(shop.database.db, [mail, { ...mail, subject: 'Another' }]);
    await shop.sweep('mail.send');
    await queueMail(shop.database.db, mail);
    await shop.sweep('mail.send');
    expect(server.to(mail.to.email).map(({ email }) => email.subject)).toEqual(['A mail']);
  });
});

describe('user input cannot become a header or a recipient', () => {
  it.each([
    ['a Bcc after a line break', 'A\r\nBcc: x@evil.example'],
    ['a Bcc after a line feed', 'A\nBcc: x@evil.example'],
    ['the end of the head', 'A\r\n\r\n<script>alert(1)</script>'],
    ['a header folded on', 'A\r\n Bcc: x@evil.example'],
    ['another recipient', 'A" <x@evil.example>, "B'],
    ['a list of recipients', 'x@evil.example, y@evil.example'],
    ['an encoded word', '=?utf-8?q?A=0D=0ABcc:_x@evil.example?='],
    ['separators of Unicode', 'A\u2028Bcc: x@evil.example\u2029'],
    ['the end of the message', 'A\r\n.\r\nMAIL FROM:<x@evil.example>'],
    ['a NUL and other controls', 'A\u0000\u0007\u007f\u0085B'],
    ['a turned direction', 'A\u202egpj.exe'],
  ])('%s', async (_, text) => {
    const mail = await queue({ to: { name: text, email: `typed-${count}@reader.example` }, subject: text });
    await shop.sweep('mail.send');
    const received = server.to(mail.to.email);
    expect(received).toHaveLength(1);
    expect(server.received.flatMap(({ to }) => to).filter(address => address.includes('evil'))).toEqual([]);
    const { email, raw } = received[0]!;
    expect(email.to).toMatchObject([{ address: mail.to.email }]);
    expect(email.cc ?? []).toEqual([]);
    expect(email.bcc ?? []).toEqual([]);
    const heads = raw.slice(0, raw.indexOf('\r\n\r\n')).split(/\r\n(?![ \t])/);
    expect(heads.map(head => head.slice(0, head.indexOf(':')).toLowerCase()).sort()).toEqual(
      [
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'reply-to',
        'subject',
        'to',
      ].sort(),
    );
    expect(email.text?.trim()).toBe(asText);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the subject must not contain them
    expect(email.subject).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
  });

  it('has no direction controls and no line breaks of names in its text', async () => {
    const say = createSentences('en', { merchant: 'Shop\u202e\u2066\r\n\r\nPay here' });
    const content = {
      ...saying(say('{merchant} thanks {name}.', { name: '\u2069Ada\u2067\u2028Lovelace' })),
      facts: [{ label: 'Description', value: 'Tea\n\u202eevil\u2069' }],
      notes: [say('From {name}', { name: 'عادة' }), 'A\u2068B', 'A\u2069B\u2068'],
    };
    const mail = await queue({ content });
    await shop.sweep('mail.send');
    const { email } = server.to(mail.to.email)[0]!;
    const lines = String(email.text).trim().split('\n').filter(Boolean);
    expect(lines).toEqual([
      ...['A mail', 'Shop Pay here thanks Ada Lovelace.', 'Description: Tea evil', 'From \u2068عادة\u2069', 'AB', 'AB'],
      ...['-- ', 'Müller & Töchter'],
    ]);
    expect(email.html).not.toMatch(/[\u202a-\u202e\u2066\u2067]/);
  });

  it.each([
    '"x@evil x"@ok.example',
    'a@ok.example\r\nBcc: x@evil.example',
    'a@ok.example,x@evil.example',
    '<x@evil.example>',
    'a b@ok.example',
    'a@ok',
    '',
  ])('the address %j is refused before anything is stored', async email => {
    const before = await shop.database.db.selectFrom('mails').select('id').execute();
    for (const changes of [{ to: { email } }, { replyTo: email }]) {
      await expect(queue(changes)).rejects.toMatchObject({ code: 'invalid_email', status: 400 });
    }
    expect(await shop.database.db.selectFrom('mails').select('id').execute()).toEqual(before);
  });
});

describe('a mail that the server does not accept', () => {
  it('is tried again after a temporary error, later each time', async () => {
    server.refuse = { recipient: null, message: { code: 451, text: 'try later' } };
    const mail = await queue();
    await shop.sweep('mail.send');
    expect(await stateOf(mail)).toMatchObject({
      status: 'queued',
      attempts: 1,
      last_error: expect.stringContaining('451'),
    });
    shop.clock.advance(30);
    await shop.sweep('mail.send');
    expect(await stateOf(mail)).toMatchObject({ attempts: 1 });
    shop.clock.advance(60);
    await shop.sweep('mail.send');
    const { attempts, due_at: due } = await stateOf(mail);
    expect(attempts).toBe(2);
    expect(Number(due) - Number(shop.clock.now())).toBeGreaterThanOrEqual(300_000);
    server.refuse = { recipient: null, message: null };
    shop.clock.advance(400);
    await shop.sweep('mail.send');
    expect(await stateOf(mail)).toMatchObject({ status: 'sent', attempts: 3 });
    expect(server.to(mail.to.email)).toHaveLength(1);
  });

  it('fails at once after a permanent error, and the log says so without the address', async () => {
    server.refuse = { recipient: { code: 550, text: 'nobody here called ada@reader.example' }, message: null };
    const mail = await queue();
    await shop.sweep('mail.send');
    expect(await stateOf(mail)).toMatchObject({ status: 'failed', attempts: 1, due_at: null });
    const line = shop.logs.findLast(text => text.includes('a mail could not be sent and will not be tried again'));
    expect(line).toContain('550');
    expect(line).not.toContain('@reader.example');
  });

  it('fails after five days of attempts', async () => {
    server.refuse = { recipient: { code: 450, text: 'busy' }, message: null };
    const mail = await queue();
    for (let day = 0; day < 40; day++) {
      await shop.sweep('mail.send');
      shop.clock.advance(6 * 3600);
    }
    expect(await stateOf(mail)).toMatchObject({ status: 'failed', attempts: 12 });
  });

  it('is counted on /metrics', async () => {
    const { text } = await shop.request('GET /metrics', { key: null });
    for (const result of ['sent', 'retried', 'refused', 'given_up']) {
      expect(text).toMatch(new RegExp(`^pay_mails\\{result="${result}"\\} [1-9]`, 'm'));
    }
  });
});

it('truncates a subject that is too long, and refuses such a body', async () => {
  const mail = await queue({ subject: '☕'.repeat(500) });
  await shop.sweep('mail.send');
  expect([...(server.to(mail.to.email)[0]?.email.subject ?? '')]).toHaveLength(200);
  await expect(queue({ content: saying('x'.repeat(200_001)) })).rejects.toThrow('too long');
});

it('deletes sent mails after ninety days, and no waiting ones', async () => {
  const sent = await queue();
  await shop.sweep('mail.send');
  server.refuse = { recipient: null, message: { code: 451, text: 'try later' } };
  const waiting = await queue();
  const there = async ({ dedupeKey }: NewMail) =>
    (await shop.database.db.selectFrom('mails').select('id').where('dedupe_key', '=', dedupeKey).execute()).length ===
    1;
  shop.clock.advance(89 * 86_400);
  await shop.sweep('mail.forget');
  expect([await there(sent), await there(waiting)]).toEqual([true, true]);
  shop.clock.advance(2 * 86_400);
  await shop.sweep('mail.forget');
  expect([await there(sent), await there(waiting)]).toEqual([false, true]);
});

describe('at the start', () => {
  const live = { PAY_NETWORK: 'public', PAY_TREASURY_SECRET: encodeStrkey('S', Buffer.alloc(32, 1)) };
  const noServer = 'SMTP_URL is not set: mails wait until another process with this database has it';
  const noSender = 'mails come from no-reply@localhost, which most mail servers refuse: set PAY_MAIL_FROM';
  it.each([
    ['none in test mode without a mail server', {}, []],
    ['the default sender of a machine without a domain', { SMTP_URL: 'smtp://127.0.0.1:1' }, [noSender]],
    ['no mail server in live mode', { ...live, PAY_PUBLIC_URL: 'https://pay.example' }, [noServer]],
    ['both', live, [noServer, noSender]],
    ['none with a configured sender', { SMTP_URL: 'smtp://127.0.0.1:1', PAY_MAIL_FROM: 'a@pay.example' }, []],
    ['none in a process that sends no mails', { ...live, PAY_ROLE: 'api' }, []],
  ])('warnings for the operator: %s', (_, settings, warnings) => {
    const config = readConfig(settings);
    expect(mailWarnings(config, config.publicUrl ?? 'http://localhost:4242')).toEqual(warnings);
  });
});

it('an unavailable mail server is reported at /readyz until it accepts mails again', async () => {
  const gone = await startMailServer();
  await gone.close();
  const app = await startTestApp({ settings: { SMTP_URL: gone.url, PAY_MAIL_FROM: 'billing@pay.example' } });
  const remarks = async () => (await app.request('GET /readyz', { key: null })).body.remarks ?? [];
  await queueMail(app.database.db, newMail({ merchantId: app.merchant.id, now: app.clock.now() }));
  await app.sweep('mail.send');
  expect(await remarks()).toEqual([
    expect.stringMatching(/^mail: the mail server of SMTP_URL cannot be used \(.*ECONNREFUSED/),
  ]);
  await setTimeout(1_100);
  // A mail that is canceled before sending does not prove that the server works.
  const attachments = [{ kind: 'receipt', id: 'itx_none' } as const];
  await queueMail(app.database.db, newMail({ merchantId: app.merchant.id, now: new Date(0), attachments }));
  app.clock.advance(-60);
  await app.sweep('mail.send');
  expect(await remarks()).toHaveLength(1);
  app.clock.advance(60);
  const back = await startMailServer(gone.port);
  await app.sweep('mail.send');
  expect(back.received).toHaveLength(1);
  expect(await remarks()).toEqual([]);
  await app.close();
  await back.close();
});
