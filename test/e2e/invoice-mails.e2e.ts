import { rmSync } from 'node:fs';
import { createPayClient, type PayClient } from '../../src/api/client.ts';
import type { Invoice } from '../../src/api/invoice/invoice-view.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.ts';
import { picturePdf, readPdf } from '../support/read-pdf.ts';
import { startServerProcess } from '../support/server-process.ts';
import { dayFromNow, draftInvoice } from './invoice-orders.ts';
import { expect, fillForeignCard, test as pages, picture } from './service.ts';

/** A service with a mail server. The test moves its clock. */
interface Post {
  readonly client: PayClient;
  readonly mails: MailServer;
}

const test = pages.extend<{ post: Post }>({
  // biome-ignore lint/correctness/noEmptyPattern: the first parameter's pattern names the fixtures needed
  post: async ({}, use) => {
    const dataDir = makeDataFolder('pay-letters-');
    const secretKey = `sk_test_${'f'.repeat(32)}`;
    const mails = await startMailServer();
    const server = await startServerProcess({
      PAY_DATA_DIR: dataDir,
      PAY_SECRET_KEY: secretKey,
      SMTP_URL: mails.url,
      PAY_LOG_REQUESTS: 'errors',
    });
    const client = createPayClient({ baseUrl: server.url, apiKey: secretKey });
    await client.account.update({ name: 'Nordlys Supply', support_email: 'help@nordlys.example' });
    await use({ client, mails });
    await server.stop();
    await mails.close();
    rmSync(dataDir, { recursive: true, force: true });
  },
});
test.describe.configure({ timeout: 240_000 });

/** Moves the merchant's clock to noon in `days` days. */
async function noonOf({ client }: Post, days: number): Promise<void> {
  const { now } = await client.testHelpers.clock();
  const seconds = Math.ceil((Date.parse(`${dayFromNow(days)}T12:00:00Z`) - Date.parse(now)) / 1000);
  await client.testHelpers.advanceClock({ advance: `PT${seconds}S` });
}

/** The mail number `count` (from 1) to the address, when all former mails have arrived. */
async function nthMail({ mails }: Post, address: string, count: number): Promise<ReceivedMail> {
  await expect.poll(() => mails.to(address).length, { timeout: 20_000 }).toBe(count);
  return mails.to(address).at(-1) as ReceivedMail;
}

/** The URLs of a mail's links. */
const linksIn = ({ email }: ReceivedMail) =>
  Array.from(email.html?.matchAll(/href="([^"]+)"/g) ?? [], ([, href]) => href);

/** Reads the text of a mail's PDF, and renders its pages for manual checks. */
async function readAttached({ email }: ReceivedMail, name: string): Promise<string> {
  const [file] = email.attachments;
  expect(file?.mimeType).toBe('application/pdf');
  const bytes = new Uint8Array(file?.content as ArrayBuffer);
  await picturePdf(bytes.slice(), name);
  return (await readPdf(bytes)).pages.join('\n');
}

const locales = ['en', 'ar', 'ja'] as const;

test('invoices in three languages are mailed, with reminders before, on and after the due date until they are paid', async ({
  page,
  post,
}) => {
  const invoices: { locale: string; email: string; sent: Invoice; subjects: Set<string | undefined> }[] = [];
  for (const locale of locales) {
    const email = `ada-${locale}@example.com`;
    const draft = await draftInvoice(post.client, { locale, customer: { name: 'Ada Lovelace', email } });
    const sent = await post.client.invoices.send(draft.id, {});
    const mail = await nthMail(post, email, 1);
    expect(mail.to).toEqual([email]);
    expect(mail.email.subject).toContain(sent.number);
    expect(linksIn(mail)).toContain(sent.hosted_invoice_url);
    expect(await readAttached(mail, `mailed-invoice-${locale}`)).toContain('1,107.15');
    await page.setContent(mail.email.html ?? '');
    await picture(page, `mailed-invoice-${locale}`);
    invoices.push({ locale, email, sent, subjects: new Set([mail.email.subject]) });
  }

  for (const [index, days] of [7, 10, 13].entries()) {
    await noonOf(post, days);
    for (const { locale, email, sent, subjects } of invoices) {
      const reminder = await nthMail(post, email, index + 2);
      expect(reminder.email.subject).toContain(sent.number);
      subjects.add(reminder.email.subject);
      expect(await readAttached(reminder, `mailed-reminder-${locale}-${days}`)).toContain('442.86');
    }
  }

  for (const { locale, email, sent, subjects } of invoices) {
    const read = () => post.client.invoices.retrieve(sent.id);
    expect(subjects.size).toBe(4);
    expect((await read()).status).toBe('overdue');
    await page.goto(sent.hosted_invoice_url ?? '');
    await page.getByRole('radio').nth(1).check();
    await page.getByRole('button').click();
    await fillForeignCard(page, '4242 4242 4242 4242');
    await page.locator('pay-checkout .main').click();
    await expect.poll(async () => (await read()).status).toBe('paid');
    expect(await readAttached(await nthMail(post, email, 5), `mailed-receipt-${locale}`)).toContain('1,107.15');
  }

  await noonOf(post, 80);
  for (const { email, sent } of invoices) {
    await expect
      .poll(async () => (await post.client.invoices.reminders(sent.id)).data.map(({ status }) => status))
      .toEqual([...Array(6).fill('dropped'), ...Array(3).fill('sent')]);
    expect(post.mails.to(email)).toHaveLength(5);
  }
});
