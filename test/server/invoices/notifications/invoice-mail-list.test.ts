import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPayClient } from '../../../../src/api/client.ts';
import type { InvoiceMail } from '../../../../src/api/invoice/invoice-mail.ts';
import type { Invoice } from '../../../../src/api/invoice/invoice-view.ts';
import { type ReminderLab, startReminderLab } from '../reminders/reminder-lab.ts';

let lab: ReminderLab;
beforeAll(async () => {
  lab = await startReminderLab();
});
afterAll(() => lab.close());
beforeEach(() => {
  lab.post.refuse = { recipient: null, message: null };
});

const mailsOf = async (id: string): Promise<InvoiceMail[]> => {
  const answer = await lab.request(`GET /v1/invoices/${id}/mails`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ object: 'list', url: `/v1/invoices/${id}/mails`, has_more: false });
  return answer.body.data;
};
const failuresOf = async (id: string) =>
  (await lab.request(`GET /v1/events?resource=${id}&limit=100`)).body.data.filter(
    ({ type }: { type: string }) => type === 'invoice.mail_failed',
  );

/** Sends the waiting mails, and moves the clock so that later mails have later times. */
async function post(): Promise<void> {
  await lab.sweep();
  lab.clock.advance(60);
}

it('lists each mail of an invoice with kind, recipient and status', async () => {
  const other = await lab.sent();
  const { id, number } = await lab.sent();
  expect(await mailsOf(id)).toMatchObject([{ kind: 'invoice', status: 'queued', sent_at: null, error: null }]);
  await post();
  await lab.invoice(id, 'remind', { email: 'other@example.com' });
  await post();
  await lab.invoice(id, 'send', { email: 'again@example.com' });
  await post();
  await lab.payInvoice(id);
  await post();
  const sent = { object: 'invoice_mail', invoice: id, status: 'sent', error: null, livemode: false };
  const mails = await mailsOf(id);
  expect(mails).toMatchObject([
    { ...sent, kind: 'receipt' },
    { ...sent, kind: 'invoice', to: 'again@example.com' },
    { ...sent, kind: 'reminder', to: 'other@example.com' },
    { ...sent, kind: 'invoice', to: 'ada@example.com', subject: expect.stringContaining(`${number}`) },
  ]);
  for (const mail of mails) expect(Date.parse(mail.sent_at ?? '')).toBeGreaterThanOrEqual(Date.parse(mail.created_at));
  expect(await mailsOf(other.id)).toHaveLength(1);
  expect(await failuresOf(id)).toEqual([]);
});

it('reports an abandoned mail to the merchant: in the list, by an event and in the log', async () => {
  lab.post.refuse = { recipient: { code: 550, text: 'nobody here called ada@example.com' }, message: null };
  const { id } = await lab.sent();
  await post();
  await lab.invoice(id, 'remind', {});
  await post();
  await lab.payInvoice(id, 5_000);
  await post();
  const mails = await mailsOf(id);
  expect(mails.map(({ kind }) => kind)).toEqual(['receipt', 'reminder', 'invoice']);
  for (const mail of mails) {
    expect(mail).toMatchObject({ status: 'failed', error: expect.stringContaining('550'), sent_at: null });
    expect(mail.error).not.toContain('ada@');
  }
  const events = await failuresOf(id);
  expect(events.map(({ data }: { data: { object: { mail: InvoiceMail } } }) => data.object.mail)).toEqual(mails);
  expect(events.at(-1).data.object).toMatchObject({ object: 'invoice', id });
  const all = (await lab.request(`GET /v1/events?resource=${id}&limit=100`)).body.data;
  const sequences = all.map(({ sequence }: { sequence: number }) => sequence).sort((a: number, b: number) => a - b);
  expect(sequences).toEqual(sequences.map((_: number, index: number) => index + 1));
  const lines = lab.logs.filter(line => line.includes('will not be tried again'));
  expect(lines.some(line => line.includes(`invoice.sent:${id}:1`))).toBe(true);
});

it('lists a mail that waits for its next attempt, without an event', async () => {
  lab.post.refuse = { recipient: null, message: { code: 451, text: 'try later' } };
  const { id } = await lab.sent();
  await lab.sweep();
  expect(await mailsOf(id)).toMatchObject([{ status: 'queued', error: expect.stringContaining('451') }]);
  expect(await failuresOf(id)).toEqual([]);
});

it('has pages, newest first, of one invoice only', async () => {
  const other = await lab.sent();
  const { id } = await lab.sent();
  for (const email of ['b@example.com', 'c@example.com']) {
    await post();
    await lab.invoice(id, 'send', { email });
  }
  const page = async (query: string) => (await lab.request(`GET /v1/invoices/${id}/mails?${query}`)).body;
  const to = ({ data }: { data: InvoiceMail[] }) => data.map(mail => mail.to);
  const first = await page('limit=2');
  expect(to(first)).toEqual(['c@example.com', 'b@example.com']);
  expect(first.has_more).toBe(true);
  const rest = await page(`limit=2&starting_after=${first.data[1].id}`);
  expect(to(rest)).toEqual(['ada@example.com']);
  expect(rest.has_more).toBe(false);
  expect(to(await page(`ending_before=${rest.data[0].id}`))).toEqual(['c@example.com', 'b@example.com']);
  const [alien] = await mailsOf(other.id);
  for (const [query, code] of [
    ['limit=0', 'invalid_limit'],
    [`starting_after=${alien?.id}`, 'invalid_cursor'],
    ['kind=invoice', 'parameter_unknown'],
  ] as const) {
    expect((await page(query)).error).toMatchObject({ code });
  }
});

it('is complete for an invoice with millions of changes', async () => {
  const { id } = await lab.sent({ customer: { name: 'Ada', email: 'often@example.com' } });
  await post();
  // So many versions that a loop over them would take too long.
  await sql`update invoices set version = 20000000 where id = ${id}`.execute(lab.database.db);
  await lab.invoice(id, 'send', { email: 'again@example.com' });
  await post();
  expect((await mailsOf(id)).map(({ to }) => to)).toEqual(['again@example.com', 'often@example.com']);
  expect((await lab.invoice(id, 'void')).status).toBe(200);
  await post();
  expect((await mailsOf(id))[0]).toMatchObject({ to: 'often@example.com', status: 'sent' });
});

it('belongs to the merchant and the mode of its key', async () => {
  const { id } = await lab.sent();
  const stranger = await lab.addMerchant();
  const live = await lab.addKey(lab.merchant.id, 'secret', { livemode: true });
  for (const key of [stranger.secretKey, live]) {
    expect((await lab.request(`GET /v1/invoices/${id}/mails`, { key })).status).toBe(404);
  }
  expect((await lab.request(`GET /v1/invoices/${id}/mails`, { key: lab.merchant.publishableKey })).status).toBe(403);
  expect((await lab.request('GET /v1/invoices/inv_unknown/mails')).status).toBe(404);
});

it('is part of the typed client', async () => {
  const { id } = await lab.sent();
  await post();
  await lab.invoice(id, 'send', { email: 'again@example.com' });
  const asked: string[] = [];
  const client = createPayClient({
    apiKey: lab.merchant.secretKey,
    baseUrl: 'https://pay.example',
    fetch: async input => {
      asked.push(String(input));
      const { pathname, search } = new URL(String(input));
      return new Response((await lab.request(`GET ${pathname as '/'}${search}`)).text, {
        headers: { 'content-type': 'application/json' },
      });
    },
  });
  const to: string[] = [];
  for await (const mail of client.invoices.mails(id, { limit: 1 })) to.push(mail.to);
  expect(to).toEqual(['again@example.com', 'ada@example.com']);
  expect(asked).toHaveLength(2);
});

it('an invoice whose PDF cannot be drawn is mailed without it, and a warning is logged', async () => {
  const email = 'reader@reader.example';
  const { id } = await lab.draft({ customer: { name: 'Ada', email } });
  // A line without a description, which the API never writes.
  await sql`update invoices set lines = jsonb_set(lines, '{0,description}', 'null') where id = ${id}`.execute(
    lab.database.db,
  );
  const invoice: Invoice = (await lab.invoice(id, 'send')).body;
  expect((await lab.request(`GET /v1/invoices/${invoice.id}/pdf`)).status).toBe(500);
  await lab.sweep();
  const [mail, ...others] = lab.post.to(email);
  expect(others).toEqual([]);
  expect(mail?.email.attachments).toEqual([]);
  expect(mail?.email.text).toContain(invoice.hosted_invoice_url);
  expect(lab.logs.filter(line => line.includes('sent without it'))).toHaveLength(1);
  const mails = await lab.database.db.selectFrom('mails').select('status').where('to_email', '=', email).execute();
  expect(mails).toEqual([{ status: 'sent' }]);
});
