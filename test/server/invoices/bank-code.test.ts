import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { codesIn, readPdf } from '../../support/read-pdf.ts';
import { startInvoiceLab } from './invoice-lab.ts';

let server: MailServer;
let lab: Awaited<ReturnType<typeof startInvoiceLab>>;
beforeAll(async () => {
  server = await startMailServer();
  lab = await startInvoiceLab({ settings: { SMTP_URL: server.url } });
  const address = { line1: 'Bahnhofstrasse 1', postal_code: '8001', city: 'Zürich', country: 'CH' };
  const body = { bank_account: { iban: 'CH9300762011623852957' }, address };
  const { status, text } = await lab.request('PATCH /v1/account', { body });
  if (status !== 200) throw new Error(text);
});
afterAll(async () => {
  await lab.close();
  await server.close();
});

const deposit = { deposit: { percent: '10' }, due_date: '2026-12-30' };
/** The amounts in the bank QR codes: SEPA transfers and Swiss QR bills. */
const asked = (codes: readonly string[]) =>
  codes.flatMap(code => {
    const lines = code.split('\n');
    if (lines[0] === 'BCD') return [lines[7]];
    return lines[0]?.trim() === 'SPC' ? [`${lines[19]?.trim()}${lines[18]?.trim()}`] : [];
  });

describe('the bank QR code of an invoice', () => {
  it.each([
    ['EUR', 'EUR11.90'],
    ['CHF', 'CHF11.90'],
  ])('contains the amount that was due first, in %s', async (currency, first) => {
    const { id } = await lab.sent({ currency, ...deposit });
    expect(asked(await codesIn(await download(id)))).toEqual([first]);
    await lab.payInvoice(id);
    expect(asked(await codesIn(await download(id)))).toEqual([first]);
  });

  it('contains the amount of a reminder, which is what is due next', async () => {
    const email = 'reminded@reader.example';
    const { id } = await lab.sent({ ...deposit, customer: { name: 'Ada', email } });
    const reminded = async () => {
      expect((await lab.invoice(id, 'remind', {})).status).toBe(200);
      await lab.sweep();
      const mail = server.to(email).at(-1);
      const bytes = new Uint8Array(mail?.email.attachments[0]?.content as ArrayBuffer);
      return [mail?.email.text, asked(await codesIn(bytes))];
    };
    expect(await reminded()).toEqual([expect.stringContaining('€11.90'), ['EUR11.90']]);
    await lab.payInvoice(id);
    // Sends the receipt, so that the reminder is the newest mail.
    await lab.sweep();
    lab.clock.advance(2 * 86_400);
    expect(await reminded()).toEqual([expect.stringContaining('€107.10'), ['EUR107.10']]);
  });

  it('is omitted, with the bank account, when the merchant accepts no transfers', async () => {
    const { id } = await lab.sent({ payment_methods: ['card'] });
    const bytes = await download(id);
    expect(asked(await codesIn(bytes.slice()))).toEqual([]);
    const text = (await readPdf(bytes)).pages.join('\n');
    expect(text).toContain('By card: scan the code');
    expect(text).not.toContain('CH93');
  });
});

async function download(id: string): Promise<Uint8Array> {
  const { status, bytes } = await lab.request(`GET /v1/invoices/${id}/pdf`);
  expect(status).toBe(200);
  return new Uint8Array(bytes);
}
