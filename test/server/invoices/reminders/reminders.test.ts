import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InvoiceReminder } from '../../../../src/api/invoice/reminder.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../../../support/mail-server.ts';
import { order, startInvoiceLab } from '../invoice-lab.ts';

let server: MailServer;
let lab: Awaited<ReturnType<typeof startInvoiceLab>>;

beforeAll(async () => {
  server = await startMailServer();
  lab = await startInvoiceLab({
    settings: { SMTP_URL: server.url },
    merchant: { name: 'Shop & Sons', supportEmail: 'hello@shop.example', timezone: 'Europe/Berlin' },
  });
});
afterAll(async () => {
  await lab.close();
  await server.close();
});

/** Writes and sends due reminders, without the other sweeps. */
const work = () => lab.sweep('invoices.remind', 'mail.send');

let customers = 0;
/** Sends an invoice to a new customer. */
async function send(changes: object = {}) {
  const email = `customer-${++customers}@reader.example`;
  const invoice = await lab.sent({ customer: { name: 'Ada', email }, ...changes });
  await work();
  const sent = server.to(email).length;
  expect(sent).toBe(1);
  return { invoice, email, reminders: (): ReceivedMail[] => server.to(email).slice(sent) };
}

/** The reminders of an invoice, earliest first. */
const list = async (id: string): Promise<InvoiceReminder[]> =>
  (await lab.request(`GET /v1/invoices/${id}/reminders?limit=100`)).body.data.reverse();
const statuses = async (id: string) => (await list(id)).map(({ offset_days, status }) => [offset_days, status]);
const day = 86_400;

async function clockTo(moment: string): Promise<void> {
  lab.clock.advance((Date.parse(moment) - lab.clock.now().getTime()) / 1000);
  await lab.sweep();
}

/** Days that the merchant's test clock is ahead. */
let ahead = 0;
/** The date in `days` days on the merchant's clock, so that tests do not depend on each other. */
const dayFromNow = (days: number) =>
  new Date(lab.clock.now().getTime() + (ahead + days) * day * 1000).toISOString().slice(0, 10);

const textsOf = (mails: ReceivedMail[]) => mails.map(({ email }) => email.text ?? '');

describe('a sent invoice', () => {
  it('has reminders three days before, on the due date and three days after, at nine in the merchant’s time zone', async () => {
    const { invoice, reminders } = await send({ due_date: '2026-11-30' });
    expect((await list(invoice.id)).map(({ remind_at, status }) => [remind_at, status])).toEqual([
      ['2026-11-27T08:00:00.000Z', 'planned'],
      ['2026-11-30T08:00:00.000Z', 'planned'],
      ['2026-12-03T08:00:00.000Z', 'planned'],
    ]);
    await clockTo('2026-11-27T07:59:59Z');
    expect(reminders()).toEqual([]);
    await clockTo('2026-11-27T08:00:00Z');
    await clockTo('2026-11-30T08:00:00Z');
    await clockTo('2026-12-03T08:00:00Z');
    await clockTo('2027-01-31T08:00:00Z');
    const number = invoice.number ?? '';
    expect(reminders().map(({ email }) => email.subject)).toEqual([
      `Invoice ${number} from Shop & Sons is due November 30, 2026`,
      `Invoice ${number} from Shop & Sons is due today`,
      `Invoice ${number} from Shop & Sons is overdue`,
    ]);
    const [first] = reminders();
    expect(first?.email.text).toContain('€119.00');
    expect(first?.email.text).toContain(invoice.hosted_invoice_url);
    expect(first?.email.replyTo).toMatchObject([{ address: 'hello@shop.example' }]);
    expect(first?.email.attachments).toMatchObject([{ mimeType: 'application/pdf' }]);
    expect(await statuses(invoice.id)).toEqual([
      [-3, 'sent'],
      [0, 'sent'],
      [3, 'sent'],
    ]);
    const { body } = await lab.request('GET /v1/events?type=invoice.reminder_sent&limit=100');
    const reminderEvents = body.data.filter(
      (event: { data: { object: { id: string } } }) => event.data.object.id === invoice.id,
    );
    expect(reminderEvents).toHaveLength(3);
    expect(reminderEvents[0].data.object.reminder).toMatchObject({ offset_days: 3, amount: 11_900, status: 'sent' });
  });

  it('has reminders on its own days, or none', async () => {
    const own = await send({ due_date: dayFromNow(20), reminders: { offsets_days: [-7, 1] } });
    const none = await send({ due_date: dayFromNow(20), reminders: { enabled: false } });
    expect((await list(own.invoice.id)).map(({ offset_days }) => offset_days)).toEqual([-7, 1]);
    expect(await list(none.invoice.id)).toEqual([]);
    const soon = await send({ due_date: dayFromNow(1) });
    expect((await list(soon.invoice.id)).map(({ offset_days }) => offset_days)).toEqual([0, 3]);
  });

  it('has reminders of the remaining amount after a partial payment, and none after full payment', async () => {
    const { invoice, reminders } = await send({ due_date: dayFromNow(10), allow_partial: true });
    await lab.payInvoice(invoice.id, 4_900);
    lab.clock.advance(8 * day);
    await work();
    // Mails leave in parallel, so the receipt may come second.
    const reminded = 'You have paid €49.00 of €119.00. Remaining balance: €70.00.';
    const first = textsOf(reminders()).toSorted((a, b) => Number(a.includes(reminded)) - Number(b.includes(reminded)));
    expect(first).toEqual([expect.stringContaining('€49.00'), expect.stringContaining(reminded)]);
    await lab.payInvoice(invoice.id, 7_000);
    const ended = [
      [-3, 'sent'],
      [0, 'dropped'],
      [3, 'dropped'],
    ];
    expect(await statuses(invoice.id)).toEqual(ended);
    lab.clock.advance(10 * day);
    await work();
    expect(await statuses(invoice.id)).toEqual(ended);
    expect(textsOf(reminders())).toHaveLength(3);
  });

  it('has no reminders when it is void or uncollectible', async () => {
    const gone = await send({ due_date: dayFromNow(10) });
    const lost = await send({ due_date: dayFromNow(10) });
    await lab.invoice(gone.invoice.id, 'void');
    await lab.invoice(lost.invoice.id, 'mark-uncollectible');
    for (const { invoice } of [gone, lost]) {
      expect((await statuses(invoice.id)).map(([, status]) => status)).toEqual(['dropped', 'dropped', 'dropped']);
    }
    lab.clock.advance(20 * day);
    await work();
    expect(gone.reminders().map(({ email }) => email.subject)).toEqual([expect.stringContaining('was canceled')]);
    expect(lost.reminders()).toEqual([]);
  });

  it('has no reminder when it is paid between writing and sending it', async () => {
    const { invoice, reminders } = await send({ due_date: dayFromNow(5), reminders: { offsets_days: [0] } });
    lab.clock.advance(6 * day);
    await lab.sweep('invoices.remind');
    expect(await statuses(invoice.id)).toEqual([[0, 'sent']]);
    await lab.payInvoice(invoice.id);
    await work();
    expect(reminders().map(({ email }) => email.subject)).toEqual([expect.stringContaining('Receipt')]);
  });
});

describe('each reminder is sent once', () => {
  it('late when no worker ran at its time, with the current amounts: the latest only', async () => {
    const { invoice, reminders } = await send({ due_date: dayFromNow(10) });
    lab.clock.advance(30 * day);
    await work();
    const mails = [`Invoice ${invoice.number} from Shop & Sons is overdue`];
    expect(reminders().map(({ email }) => email.subject)).toEqual(mails);
    expect(await statuses(invoice.id)).toEqual([
      [-3, 'skipped'],
      [0, 'skipped'],
      [3, 'sent'],
    ]);
    lab.clock.advance(30 * day);
    await work();
    expect(reminders()).toHaveLength(1);
  });

  it('late for several installments: the latest only', async () => {
    const half = (due_date: string) => ({ due_date, percent: 50 });
    const { invoice, reminders } = await send({
      due_date: undefined,
      installments: [half(dayFromNow(5)), half(dayFromNow(20))],
      reminders: { offsets_days: [-3, 0] },
    });
    lab.clock.advance(18 * day);
    await work();
    expect(reminders()).toHaveLength(1);
    expect(await statuses(invoice.id)).toEqual([
      [-3, 'skipped'],
      [0, 'skipped'],
      [-3, 'sent'],
      [0, 'planned'],
    ]);
  });

  it('when the clock is set back afterwards', async () => {
    const { reminders } = await send({ due_date: dayFromNow(10), reminders: { offsets_days: [0] } });
    lab.clock.advance(11 * day);
    await work();
    lab.clock.advance(-3 * day);
    await work();
    lab.clock.advance(4 * day);
    await work();
    expect(reminders()).toHaveLength(1);
  });

  it('when the merchant moves its test clock', async () => {
    const { reminders } = await send({ due_date: dayFromNow(4) });
    for (const days of [3, 3, 3]) {
      await lab.request('POST /v1/test_helpers/clock', { body: { advance: `P${days}D` } });
      ahead += days;
    }
    await work();
    expect(reminders()).toHaveLength(3);
  });

  it('at once in both modes, although the test clock is ahead', async () => {
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'P1D' } });
    ahead += 1;
    const reminded = { reminders: { offsets_days: [0] }, due_date: dayFromNow(10) };
    const inTest = await send(reminded);
    const key = await lab.addKey(lab.merchant.id, 'secret', { livemode: true });
    const customer = { name: 'Ada', email: 'live@reader.example' };
    const { body } = await lab.request('POST /v1/invoices', { key, body: { ...order, ...reminded, customer } });
    expect((await lab.request(`POST /v1/invoices/${body.id}/send`, { key })).status).toBe(200);
    lab.clock.advance((ahead + 11) * day);
    await work();
    expect(inTest.reminders()).toHaveLength(1);
    // The first mail sent the invoice.
    expect(server.to(customer.email)).toHaveLength(2);
  });
});

it('reminds of the open amount of each instalment on its own days', async () => {
  const days = [dayFromNow(10), dayFromNow(40)];
  const { invoice, reminders } = await send({
    due_date: days[1],
    reminders: { offsets_days: [0] },
    installments: days.map(due_date => ({ due_date, percent: 50 })),
  });
  expect((await list(invoice.id)).map(({ due_date }) => due_date)).toEqual(days);
  lab.clock.advance(11 * day);
  await work();
  expect((await list(invoice.id)).map(({ amount, status }) => [amount, status])).toEqual([
    [5_950, 'sent'],
    [null, 'planned'],
  ]);
  await lab.payInvoice(invoice.id, 5_950);
  lab.clock.advance(30 * day);
  await work();
  const texts = textsOf(reminders().filter(({ email }) => !email.subject?.includes('Receipt')));
  expect(texts[0]).toContain('€59.50 of invoice');
  expect(texts[1]).toContain('You have paid €59.50 of €119.00. Remaining balance: €59.50.');
});

describe('the merchant', () => {
  it('pauses, resumes and skips', async () => {
    const { invoice, reminders } = await send({ due_date: dayFromNow(10) });
    const paused = await lab.invoice(invoice.id, 'reminders/pause');
    expect(paused.body.data.map(({ status }: InvoiceReminder) => status)).toEqual(['paused', 'paused', 'paused']);
    lab.clock.advance(8 * day);
    await work();
    expect(reminders()).toEqual([]);
    await lab.invoice(invoice.id, 'reminders/resume');
    expect(await statuses(invoice.id)).toEqual([
      [-3, 'skipped'],
      [0, 'planned'],
      [3, 'planned'],
    ]);
    await lab.invoice(invoice.id, 'reminders/skip');
    lab.clock.advance(10 * day);
    await work();
    expect(await statuses(invoice.id)).toEqual([
      [-3, 'skipped'],
      [0, 'skipped'],
      [3, 'sent'],
    ]);
    expect(reminders()).toHaveLength(1);
    expect((await lab.invoice(invoice.id, 'reminders/skip')).status).toBe(409);
  });

  it.each([
    ['paid', (id: string) => lab.payInvoice(id), 'dropped', 'dropped'],
    ['void', (id: string) => lab.invoice(id, 'void'), 'dropped', 'dropped'],
    ['uncollectible', (id: string) => lab.invoice(id, 'mark-uncollectible'), 'dropped', 'dropped'],
    ['still unpaid', (id: string) => lab.readInvoice(id), 'skipped', 'paused'],
  ] as const)('ends paused reminders at their time, of an invoice that is %s', async (_, end, status, before) => {
    const { invoice, reminders } = await send({ due_date: dayFromNow(10) });
    await lab.invoice(invoice.id, 'reminders/pause');
    await end(invoice.id);
    await work();
    const mails = reminders().length;
    lab.clock.advance(11 * day);
    await work();
    expect((await statuses(invoice.id)).map(([, each]) => each)).toEqual([status, status, before]);
    lab.clock.advance(10 * day);
    await work();
    expect((await statuses(invoice.id)).map(([, each]) => each)).toEqual([status, status, status]);
    expect(reminders()).toHaveLength(mails);
  });

  it('sends a reminder at any time, of the next amount due, to any address', async () => {
    const { invoice, reminders } = await send({ due_date: dayFromNow(10) });
    const answer = await lab.invoice(invoice.id, 'remind');
    expect(answer).toMatchObject({ status: 200, body: { id: invoice.id, object: 'invoice' } });
    await lab.invoice(invoice.id, 'remind', { email: 'boss@reader.example' });
    await work();
    expect(reminders()).toHaveLength(1);
    expect(server.to('boss@reader.example')).toHaveLength(1);
    expect(await statuses(invoice.id)).toEqual(
      expect.arrayContaining([
        [null, 'sent'],
        [null, 'sent'],
        [-3, 'planned'],
      ]),
    );
  });

  it('sends one reminder for an Idempotency-Key', async () => {
    const { invoice, reminders } = await send({ due_date: dayFromNow(10) });
    const call = { headers: { 'idempotency-key': 'once' } };
    const answers = [
      await lab.request(`POST /v1/invoices/${invoice.id}/remind`, call),
      await lab.request(`POST /v1/invoices/${invoice.id}/remind`, call),
    ];
    expect(answers[1]?.text).toBe(answers[0]?.text);
    await work();
    expect(reminders()).toHaveLength(1);
  });

  it('sends one reminder for ten presses, and another after five minutes', async () => {
    const { invoice, reminders } = await send({ due_date: dayFromNow(10) });
    const answers = await Promise.all(Array.from({ length: 10 }, () => lab.invoice(invoice.id, 'remind')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error).toMatchObject({ type: 'rate_limit_error', code: 'reminded_already' });
    expect(refused?.headers['retry-after']).toBe('300');
    lab.clock.advance(299);
    expect((await lab.invoice(invoice.id, 'remind')).headers['retry-after']).toBe('1');
    const { email } = invoice.customer;
    expect((await lab.invoice(invoice.id, 'remind', { email: email?.toUpperCase() })).status).toBe(429);
    lab.clock.advance(1);
    expect((await lab.invoice(invoice.id, 'remind')).status).toBe(200);
    await work();
    expect(reminders()).toHaveLength(2);
    expect((await list(invoice.id)).filter(({ offset_days }) => offset_days === null)).toHaveLength(2);
  });

  it.each(['remind', 'reminders/pause', 'reminders/resume', 'reminders/skip'])(
    'cannot %s when no amount is due',
    async action => {
      const draft = await lab.draft();
      expect(await lab.invoice(draft.id, action)).toMatchObject({
        status: 409,
        body: { error: { code: 'illegal_state' } },
      });
      const { invoice } = await send({ due_date: dayFromNow(10) });
      await lab.payInvoice(invoice.id);
      expect(await lab.invoice(invoice.id, action)).toMatchObject({ status: 409 });
      expect(await lab.invoice('inv_unknown', action)).toMatchObject({ status: 404 });
      const other = await lab.addMerchant();
      const answer = await lab.request(`POST /v1/invoices/${invoice.id}/${action}`, { key: other.secretKey });
      expect(answer.status).toBe(404);
    },
  );

  it('receives an error for an invalid or missing address', async () => {
    const { invoice } = await send({ due_date: dayFromNow(10) });
    const wrong = await lab.invoice(invoice.id, 'remind', { email: 'a@b.example\r\nBcc: x@y.example' });
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'invalid_email', param: 'email' } } });
    const silent = await lab.sent({ customer: { name: 'Nobody' } });
    expect(await list(silent.id)).toEqual([]);
    expect(await lab.invoice(silent.id, 'remind')).toMatchObject({ status: 409 });
  });
});

it('are listed in pages, the latest times first', async () => {
  const offsets = [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8];
  const { invoice } = await send({ due_date: dayFromNow(10), reminders: { offsets_days: offsets } });
  const { invoice: other } = await send({ due_date: dayFromNow(10) });
  const page = async (query: string) => (await lab.request(`GET /v1/invoices/${invoice.id}/reminders${query}`)).body;
  const days = ({ data }: { data: InvoiceReminder[] }) => data.map(reminder => reminder.offset_days);
  const first = await page('');
  expect(days(first)).toEqual(offsets.toReversed().slice(0, 10));
  expect(first.has_more).toBe(true);
  const rest = await page(`?starting_after=${first.data.at(-1).id}`);
  expect([days(rest), rest.has_more]).toEqual([[-2, -3], false]);
  expect(days(await page(`?limit=3&ending_before=${rest.data[0].id}`))).toEqual([1, 0, -1]);
  const skipped = await lab.invoice(invoice.id, 'reminders/skip');
  expect(days(skipped.body)).toEqual(offsets.toReversed());
  for (const [query, code] of [
    ['?limit=101', 'invalid_limit'],
    [`?starting_after=${(await list(other.id))[0]?.id}`, 'invalid_cursor'],
    ['?status=planned', 'parameter_unknown'],
    ['?created_at[gte]=2026-01-01T00:00:00Z', 'parameter_unknown'],
  ] as const) {
    expect((await page(query)).error).toMatchObject({ code });
  }
});

it('numbers the events of an invoice without gaps, including reminders', async () => {
  const { invoice } = await send({ due_date: dayFromNow(10) });
  await lab.invoice(invoice.id, 'remind');
  lab.clock.advance(30 * day);
  await lab.sweep();
  await lab.payInvoice(invoice.id);
  const rows = await lab.database.db
    .selectFrom('events')
    .select(['type', 'sequence'])
    .where('resource_id', '=', invoice.id)
    .orderBy('sequence')
    .execute();
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.filter(({ type }) => type === 'invoice.reminder_sent')).toHaveLength(2);
});
