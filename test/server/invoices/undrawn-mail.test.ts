import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Invoice } from '../../../src/api/invoice-view.ts';
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

it('an invoice whose PDF cannot be drawn is mailed without it, and the log says so', async () => {
  const email = 'reader@reader.example';
  const { id } = await lab.draft({ customer: { name: 'Ada', email } });
  // What no call of the API writes: a line without a text.
  await sql`update invoices set lines = jsonb_set(lines, '{0,description}', 'null') where id = ${id}`.execute(
    lab.database.db,
  );
  const invoice: Invoice = (await lab.invoice(id, 'send')).body;
  expect((await lab.request(`GET /v1/invoices/${invoice.id}/pdf`)).status).toBe(500);
  await lab.sweep();
  const [mail, ...others] = server.to(email);
  expect(others).toEqual([]);
  expect(mail?.email.attachments).toEqual([]);
  expect(mail?.email.text).toContain(invoice.hosted_invoice_url);
  expect(lab.logs.filter(line => line.includes('sent without it'))).toHaveLength(1);
  const mails = await lab.database.db.selectFrom('mails').select('status').where('to_email', '=', email).execute();
  expect(mails).toEqual([{ status: 'sent' }]);
});
