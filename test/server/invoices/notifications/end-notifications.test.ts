import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addSeconds } from '../../../../src/core/clock.ts';
import { mailKey } from '../../../../src/server/invoices/notifications/invoice-notifications.ts';
import {
  type ClaimedMail,
  claimMails,
  endAttempt,
  renewMail,
} from '../../../../src/server/platform/mail/mail.store.ts';
import { readPdf } from '../../../support/read-pdf.ts';
import { type ReminderLab, startReminderLab } from '../reminders/reminder-lab.ts';

let lab: ReminderLab;
beforeAll(async () => {
  lab = await startReminderLab();
});
afterAll(() => lab.close());

/** Removes direction marks. */
const plain = (text: string | undefined) => (text ?? '').replace(/[\u2068\u2069\u200e\u200f]/g, '');

/** The mails to the address after the invoice's first mail. */
const mailsTo = (address: string) => lab.post.to(address).slice(1);

/** An invoice whose mail was sent. */
async function mailed(locale: string) {
  const email = lab.newAddress();
  const invoice = await lab.sentTo(email, { locale, allow_partial: true });
  await lab.sweep('mail.send');
  return { email, invoice };
}

describe.each([
  ['en', 'Credit note', 'canceled'],
  ['ar', 'إشعار دائن', 'ألغى'],
  ['ja', 'クレジットノート', '取り消'],
])('the customer is notified (%s)', (locale, creditNote, canceled) => {
  it('of a credit note, with its PDF', async () => {
    const { email, invoice } = await mailed(locale);
    const { body: note } = await lab.invoice(invoice.id, 'credit-notes', { amount: 2_000 });
    await lab.sweep();
    await lab.sweep();
    const [mail, ...others] = mailsTo(email);
    expect(others).toEqual([]);
    const { subject, text, html, attachments } = mail!.email;
    for (const said of [creditNote, note.number, invoice.number]) expect(plain(subject)).toContain(said);
    expect(plain(text)).toContain('20.00');
    expect(plain(text)).toContain('99.00');
    expect(plain(text)).not.toContain('{');
    expect(html).toContain(`dir="${locale === 'ar' ? 'rtl' : 'ltr'}"`);
    expect(attachments).toMatchObject([{ mimeType: 'application/pdf', filename: `${note.number}.pdf` }]);
    const { pages } = await readPdf(new Uint8Array(attachments[0]?.content as ArrayBuffer));
    expect(pages.join('')).toContain(note.number);
  });

  it('that the invoice is void, in two sentences', async () => {
    const { email, invoice } = await mailed(locale);
    await lab.invoice(invoice.id, 'void');
    await lab.sweep();
    await lab.sweep();
    const [mail, ...others] = mailsTo(email);
    expect(others).toEqual([]);
    const sentences = plain(mail?.email.text)
      .split('\n')
      .find(line => line.includes('119.00'));
    expect(sentences).toContain(canceled);
    expect(sentences?.match(/[^.。]+(\.\d\d)?[^.。]*[.。]/g)).toHaveLength(2);
    expect(mail?.email.text).not.toContain(invoice.hosted_invoice_url);
    expect(mail?.email.attachments).toMatchObject([{ filename: `${invoice.number}.pdf` }]);
  });
});

it('the mail of a credit note shows the kept credit, and that no amount is due', async () => {
  const { email, invoice } = await mailed('en');
  await lab.payInvoice(invoice.id, 11_000);
  await lab.invoice(invoice.id, 'credit-notes', { amount: 2_000 });
  await lab.sweep();
  const mail = mailsTo(email).find(({ email: { subject } }) => subject?.includes('Credit note'));
  expect(mail?.email.text).toContain('has credited €20.00 of invoice');
  expect(mail?.email.text).toContain('€11.00 of it is kept as your credit.');
  expect(mail?.email.text).toContain('Nothing more is due.');
});

it('an invoice’s list of mails contains its mail and the notification of a credit note or a void invoice', async () => {
  const kinds = async (id: string) =>
    (await lab.request(`GET /v1/invoices/${id}/mails`)).body.data.map(({ kind }: { kind: string }) => kind);
  const [credited, gone] = [await mailed('en'), await mailed('en')];
  lab.clock.advance(60);
  await lab.invoice(credited.invoice.id, 'credit-notes', { amount: 2_000 });
  await lab.invoice(gone.invoice.id, 'void');
  expect(await kinds(credited.invoice.id)).toEqual(['credit_note', 'invoice']);
  expect(await kinds(gone.invoice.id)).toEqual(['void', 'invoice']);
});

describe('when an invoice ends, a customer who perhaps did not receive its mail', () => {
  const subjectsTo = (address: string) => lab.post.to(address).map(({ email }) => email.subject);
  const breakOff: ReminderLab['post']['onMessage'] = async (_, hangUp) => hangUp();
  const tryLater = { recipient: null, message: { code: 451, text: 'try later' } };
  // Sends the waiting mails of earlier tests, so that each test below handles its own mails only.
  beforeEach(async () => void (await lab.sweep('mail.send')));
  afterEach(() => {
    lab.post.onMessage = null;
    lab.post.refuse = { recipient: null, message: null };
  });

  it.each([
    ['', []],
    [', also when it defers the mail later', [tryLater]],
  ])('is notified when the mail server may have accepted the mail%s', async (_, later) => {
    const email = lab.newAddress();
    lab.post.onMessage = breakOff;
    const { id } = await lab.sentTo(email);
    await lab.sweep('mail.send');
    lab.post.onMessage = null;
    for (const refuse of later) {
      lab.post.refuse = refuse;
      lab.clock.advance(120);
      await lab.sweep('mail.send');
    }
    lab.post.refuse = { recipient: null, message: null };
    await lab.invoice(id, 'void');
    lab.clock.advance(3_600);
    await lab.sweep('mail.send');
    expect(subjectsTo(email)).toEqual([expect.stringMatching(/^Invoice/), expect.stringContaining('was canceled')]);
  });

  it('is not notified when the mail server deferred the mail', async () => {
    const email = lab.newAddress();
    lab.post.refuse = tryLater;
    const { id } = await lab.sentTo(email);
    await lab.sweep('mail.send');
    await lab.invoice(id, 'void');
    lab.post.refuse = { recipient: null, message: null };
    lab.clock.advance(3_600);
    await lab.sweep('mail.send');
    expect(subjectsTo(email)).toEqual([]);
  });

  const ends = [
    ['void', 'void', {}],
    ['credited in full', 'credit-notes', undefined],
  ] as const;

  it.each(ends)('is not notified if the server defers the mail while the invoice is %s', async (_, action, body) => {
    const email = lab.newAddress();
    const { id } = await lab.sentTo(email);
    lab.post.refuse = tryLater;
    lab.post.onMessage = async () => {
      lab.post.onMessage = null;
      expect((await lab.invoice(id, action, body)).status).toBeLessThan(300);
    };
    await lab.sweep('mail.send');
    lab.post.refuse = { recipient: null, message: null };
    lab.clock.advance(3_600);
    await lab.sweep('mail.send');
    expect(subjectsTo(email)).toEqual([]);
  });

  /** An invoice whose mail another process has claimed for `leaseSeconds`, without sending it. */
  async function claimed(leaseSeconds: number) {
    const email = lab.newAddress();
    const { id } = await lab.sentTo(email);
    const claim = { now: lab.clock.now(), limit: 1, leaseSeconds, plainOnly: false };
    const [mail] = await claimMails(lab.database.db, claim);
    return { id, email, mail: mail ?? expect.unreachable() };
  }

  it.each(ends)(
    'is not notified when the process ended before it sent the full mail, and the invoice is then %s',
    async (_, action, body) => {
      const { id, email } = await claimed(0);
      expect((await lab.invoice(id, action, body)).status).toBeLessThan(300);
      lab.clock.advance(3_600);
      await lab.sweep('mail.send');
      expect(subjectsTo(email)).toEqual([]);
    },
  );

  const putBack = async (mail: ClaimedMail) => {
    const { clock: dueAt } = mail;
    await endAttempt(lab.database.db, mail, { status: 'queued', error: 'stopped', dueAt, counted: false });
  };
  const sendEnd = async (mail: ClaimedMail) => {
    expect(await renewMail(lab.database.db, mail, addSeconds(mail.clock, 600))).not.toBeNull();
  };

  it.each([
    ['stops before', putBack, []],
    ['sends it', sendEnd, [expect.stringContaining('was canceled')]],
  ])('is notified only if the running attempt sends the end of the mail: the attempt %s', async (_, end, subjects) => {
    const { id, email, mail } = await claimed(600);
    await lab.invoice(id, 'void');
    await lab.sweep('mail.send');
    expect(subjectsTo(email)).toEqual([]);
    await end(mail);
    lab.clock.advance(60);
    await lab.sweep('mail.send');
    expect(subjectsTo(email)).toEqual(subjects);
  });

  it('is notified when the mail is sent before the transaction that voids the invoice commits', async () => {
    const email = lab.newAddress();
    const { id } = await lab.sentTo(email);
    const { pool } = lab.database;
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const other = await pool.connect();
    try {
      // Inserts a mail with the notification’s key. The notification’s own insert waits until this transaction ends.
      await other.query('begin');
      await other.query(
        `insert into mails (merchant_id, id, livemode, resource_type, resource_id, dedupe_key, to_email, subject, content,
           due_at, created_at)
         values ($1, 'mail_held', false, 'invoice', '', $2, 'nobody@example.com', '', '{}', now(), now())`,
        [lab.merchant.id, mailKey.voided(id)],
      );
      const voided = lab.invoice(id, 'void');
      await vi.waitUntil(async () => (await pool.query(waits)).rowCount === 1, { interval: 5, timeout: 10_000 });
      await lab.sweep('mail.send');
      expect(subjectsTo(email)).toEqual([expect.stringMatching(/^Invoice/)]);
      await other.query('rollback');
      expect((await voided).body.status).toBe('void');
    } finally {
      other.release();
    }
    await lab.sweep('mail.send');
    expect(subjectsTo(email)).toEqual([expect.stringMatching(/^Invoice/), expect.stringContaining('was canceled')]);
  });

  it('is not notified when the mail waits behind others', async () => {
    const answered = Promise.withResolvers<void>();
    lab.post.onMessage = () => answered.promise;
    const before = lab.post.ended();
    for (let other = 0; other < 4; other++) await lab.sentTo(lab.newAddress());
    lab.clock.advance(1);
    const email = lab.newAddress();
    const { id } = await lab.sentTo(email);
    const swept = lab.sweep('mail.send');
    await expect.poll(() => lab.post.ended(), { timeout: 10_000 }).toBe(before + 4);
    await lab.invoice(id, 'void');
    answered.resolve();
    await swept;
    await lab.sweep('mail.send');
    expect(subjectsTo(email)).toEqual([]);
  });
});

it('a customer who never received the invoice is not notified', async () => {
  await lab.sweep('mail.send');
  const before = lab.post.received.length;
  const silent = await lab.sent({ customer: { name: 'Nobody' } });
  await lab.invoice(silent.id, 'credit-notes', { amount: 2_000 });
  const [voided, credited] = [lab.newAddress(), lab.newAddress()];
  await lab.invoice((await lab.sentTo(voided)).id, 'void');
  await lab.invoice((await lab.sentTo(credited)).id, 'credit-notes');
  await lab.sweep('mail.send');
  expect(lab.post.received.slice(before)).toEqual([]);
});
