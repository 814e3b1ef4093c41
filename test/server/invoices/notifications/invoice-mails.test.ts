import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../../../support/mail-server.ts';
import { startInvoiceLab } from '../invoice-lab.ts';

let server: MailServer;
let lab: Awaited<ReturnType<typeof startInvoiceLab>>;
beforeAll(async () => {
  server = await startMailServer();
  lab = await startInvoiceLab({
    settings: { SMTP_URL: server.url, PAY_MAIL_FROM: 'billing@pay.example' },
    merchant: {
      name: 'Shop <b>& Sons',
      supportEmail: 'hello@shop.example',
      branding: { primary_color: '#cc3366' },
    },
  });
});
afterAll(async () => {
  await lab.close();
  await server.close();
});

let customers = 0;
async function send(changes: object = {}) {
  const email = `reader-${++customers}@reader.example`;
  const invoice = await lab.sent({ customer: { name: 'Ada', email }, ...changes });
  await lab.sweep();
  return { invoice, mails: () => server.to(email) };
}

/** Removes direction marks. */
const plain = (text: string | undefined) => (text ?? '').replace(/[\u2068\u2069\u200e\u200f]/g, '');

it('an invoice is mailed when it is sent: as HTML in the merchant’s colour, as text and as PDF', async () => {
  const { invoice, mails } = await send();
  const [mail] = mails();
  expect(mail?.from).toBe('billing@pay.example');
  expect(mail?.email).toMatchObject({
    from: { name: 'Shop <b>& Sons', address: 'billing@pay.example' },
    replyTo: [{ address: 'hello@shop.example' }],
    subject: `Invoice ${invoice.number} from Shop <b>& Sons`,
    attachments: [{ mimeType: 'application/pdf', filename: `${invoice.number}.pdf`, disposition: 'attachment' }],
  });
  const { html, text, attachments } = mail?.email ?? {};
  expect(text).toContain('Hello Ada,');
  expect(text).toContain('€119.00, due November 30, 2026');
  expect(text).toContain(`See and pay the invoice:\n${invoice.hosted_invoice_url}`);
  expect(text).toContain('Test mode');
  expect(html).toContain('<html lang="en" dir="ltr">');
  expect(html).toContain('background:#cc3366');
  expect(html).toContain(`href="${invoice.hosted_invoice_url}"`);
  expect(html).toContain('Shop &lt;b&gt;&amp; Sons');
  expect(html).not.toMatch(/<script|\ssrc="http|url\(/);
  expect(
    Buffer.from(attachments?.[0]?.content as ArrayBuffer)
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
});

it.each([
  ['ar', 'rtl'],
  ['ja', 'ltr'],
])('in the language of its customer (%s, %s)', async (locale, dir) => {
  const { invoice, mails } = await send({ locale });
  const { email } = mails()[0]!;
  expect(email.html).toContain(`<html lang="${locale}" dir="${dir}">`);
  const scripts = { ar: /\p{Script=Arabic}/u, ja: /[\p{Script=Hiragana}\p{Script=Han}]/u };
  expect(email.subject).toMatch(scripts[locale as 'ar' | 'ja']);
  expect(email.text).toMatch(scripts[locale as 'ar' | 'ja']);
  expect(plain(email.subject)).toContain(invoice.number);
  expect(plain(email.text)).not.toContain('{');
  expect(email.html).not.toContain('Test mode');
});

describe('a received payment', () => {
  it('is confirmed once, with the remaining amount, until none remains', async () => {
    const { invoice, mails } = await send({ allow_partial: true });
    await lab.payInvoice(invoice.id, 5_000);
    await lab.sweep();
    await lab.sweep();
    await lab.payInvoice(invoice.id, 6_900);
    await lab.sweep();
    const receipts = mails().slice(1);
    expect(receipts.map(({ email }) => email.subject)).toEqual(
      Array.from({ length: 2 }, () => `Receipt for invoice ${invoice.number} from Shop <b>& Sons`),
    );
    expect(receipts[0]?.email.text).toContain('€50.00');
    expect(receipts[0]?.email.text).toContain('Remaining balance: €69.00');
    expect(receipts[1]?.email.text).toContain('The invoice is paid in full.');
    expect(receipts.map(({ email }) => email.attachments[0]?.filename)).toEqual(
      Array.from({ length: 2 }, () => `${invoice.number}-receipt.pdf`),
    );
  });

  it('of an instalment names the next instalment and its date, and leads to paying it', async () => {
    const installments = [
      { due_date: '2026-11-10', percent: '50' },
      { due_date: '2026-11-20', percent: '25' },
      { due_date: '2026-11-30', percent: '25' },
    ];
    const { invoice, mails } = await send({ installments });
    for (const amount of [5_950, 2_975, 2_975]) {
      await lab.payInvoice(invoice.id, amount);
      await lab.sweep();
    }
    const [first, second, third] = mails()
      .slice(1)
      .map(({ email }) => email.text ?? '');
    expect(first).toContain('Next installment: €29.75, due November 20, 2026. Remaining balance: €59.50.');
    expect(first).toContain(`Pay €29.75:\n${invoice.hosted_invoice_url}`);
    expect(second).toContain('Remaining balance: €29.75, due November 30, 2026.');
    expect(third).toContain('The invoice is paid in full.');
  });

  it('has its surplus in the confirmation', async () => {
    const { invoice, mails } = await send();
    expect((await lab.invoice(invoice.id, 'record-payment', { amount: 15_000, method: 'cash' })).status).toBe(200);
    await lab.sweep();
    const text = mails()[1]?.email.text;
    expect(text).toContain('has received €150.00');
    expect(text).toContain('€31.00 of it is kept as your credit.');
  });
});

it('an invoice that is voided before its mail leaves is not mailed', async () => {
  const email = 'voided@reader.example';
  const invoice = await lab.sent({ customer: { email } });
  await lab.invoice(invoice.id, 'void');
  await lab.sweep();
  expect(server.to(email)).toEqual([]);
});

it('sending again mails again, to another address on request', async () => {
  const { invoice, mails } = await send();
  await lab.invoice(invoice.id, 'send');
  await lab.invoice(invoice.id, 'send', { email: 'second@reader.example' });
  await lab.sweep();
  expect(mails()).toHaveLength(2);
  expect(server.to('second@reader.example')).toHaveLength(1);
});

describe('the name of a customer', () => {
  it('cannot add a recipient or a header', async () => {
    const before = server.received.length;
    const email = 'typed@reader.example';
    await lab.sent({ customer: { name: 'A\r\nBcc: x@y.example\r\n\r\n<script>', email } });
    await lab.sweep();
    expect(server.received.slice(before).map(({ to }) => to)).toEqual([[email]]);
    const { raw, email: read } = server.to(email)[0]!;
    expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/^bcc:/im);
    expect(read.to).toMatchObject([{ address: email }]);
    expect(read.html).not.toContain('<script>');
  });

  it.each(['a@b.example\r\nBcc: x@y.example', '"x@evil x"@ok.example', 'a@b', 'a@b.example,c@d.example'])(
    'cannot contain an invalid address (%j)',
    async email => {
      const body = { customer: { name: 'A', email }, currency: 'EUR', lines: [{ description: 'x', unit_amount: 1 }] };
      const created = await lab.request('POST /v1/invoices', { body });
      expect(created).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_email', param: 'customer.email' } },
      });
      const draft = await lab.draft();
      const sent = await lab.invoice(draft.id, 'send', { email });
      expect(sent).toMatchObject({ status: 400, body: { error: { code: 'invalid_email', param: 'email' } } });
    },
  );
});
