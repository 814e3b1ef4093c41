import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPayClient } from '../../../src/api/client.ts';
import type { InvoiceMail } from '../../../src/api/invoice-mail.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { startInvoiceLab } from './invoice-lab.ts';

let server: MailServer;
let lab: Awaited<ReturnType<typeof startInvoiceLab>>;
beforeAll(async () => {
  server = await startMailServer();
  lab = await startInvoiceLab({ settings: { SMTP_URL: server.url, PAY_MAIL_FROM: 'billing@pay.example' } });
});
afterAll(async () => {
  await lab.close();
  await server.close();
});
beforeEach(() => {
  server.refuse = { recipient: null, message: null };
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

/** Sends what waits; what is written next is written later. */
async function post(): Promise<void> {
  await lab.sweep();
  lab.clock.advance(60);
}

it('tells of each mail about an invoice: what it was, to whom, and that it left', async () => {
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
    { ...sent, kind: 'invoice', to: 'ada@example.com', subject: expect.stringContaining(`${number}`) },
    { ...sent, kind: 'reminder', to: 'other@example.com' },
    { ...sent, kind: 'invoice', to: 'again@example.com' },
    { ...sent, kind: 'receipt' },
  ]);
  for (const mail of mails) expect(Date.parse(mail.sent_at ?? '')).toBeGreaterThanOrEqual(Date.parse(mail.created_at));
  expect(await mailsOf(other.id)).toHaveLength(1);
  expect(await failuresOf(id)).toEqual([]);
});

it('tells the merchant of a mail that is given up: in the list, by an event, and in the log', async () => {
  server.refuse = { recipient: { code: 550, text: 'nobody here called ada@example.com' }, message: null };
  const { id } = await lab.sent();
  await post();
  await lab.invoice(id, 'remind', {});
  await post();
  await lab.payInvoice(id, 5_000);
  await post();
  const mails = await mailsOf(id);
  expect(mails.map(({ kind }) => kind)).toEqual(['invoice', 'reminder', 'receipt']);
  for (const mail of mails) {
    expect(mail).toMatchObject({ status: 'failed', error: expect.stringContaining('550'), sent_at: null });
    expect(mail.error).not.toContain('ada@');
  }
  const events = (await failuresOf(id)).reverse();
  expect(events.map(({ data }: { data: { object: { mail: InvoiceMail } } }) => data.object.mail)).toEqual(mails);
  expect(events[0].data.object).toMatchObject({ object: 'invoice', id });
  const all = (await lab.request(`GET /v1/events?resource=${id}&limit=100`)).body.data;
  const sequences = all.map(({ sequence }: { sequence: number }) => sequence).sort((a: number, b: number) => a - b);
  expect(sequences).toEqual(sequences.map((_: number, index: number) => index + 1));
  const lines = lab.logs.filter(line => line.includes('is given up'));
  expect(lines.some(line => line.includes(`invoice.sent:${id}:1`))).toBe(true);
});

it('tells of a mail that waits for its next attempt, and nothing by events', async () => {
  server.refuse = { recipient: null, message: { code: 451, text: 'try later' } };
  const { id } = await lab.sent();
  await lab.sweep();
  expect(await mailsOf(id)).toMatchObject([{ status: 'queued', error: expect.stringContaining('451') }]);
  expect(await failuresOf(id)).toEqual([]);
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

it('is there in the typed client', async () => {
  const { id } = await lab.sent();
  const asked: string[] = [];
  const client = createPayClient({
    ...{ apiKey: lab.merchant.secretKey, baseUrl: 'https://pay.example' },
    fetch: async input => {
      asked.push(String(input));
      return new Response((await lab.request(`GET ${new URL(String(input)).pathname as '/'}`)).text, {
        headers: { 'content-type': 'application/json' },
      });
    },
  });
  const [mail] = (await client.invoices.mails(id)).data;
  expect(mail).toMatchObject({ kind: 'invoice', status: 'queued' });
  expect(asked).toHaveLength(1);
});
