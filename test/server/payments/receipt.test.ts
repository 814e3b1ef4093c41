import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { browserDir } from '../../support/built.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { picturePdf, readPdf } from '../../support/read-pdf.ts';
import { type InvoiceLab, withInvoices } from '../invoices/invoice-lab.ts';
import { type CryptoLab, startCryptoLab } from './crypto/crypto-lab.ts';
import { instructionsOf, refusal } from './payment-lab.ts';

let post: MailServer;
let lab: CryptoLab & InvoiceLab;
beforeAll(async () => {
  post = await startMailServer();
  lab = withInvoices(
    await startCryptoLab({
      browserDir,
      settings: { SMTP_URL: post.url },
      merchant: { name: 'Nordlys & Sons', supportEmail: 'help@nordlys.example' },
    }),
  );
}, 300_000);
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
  await post.close();
});

let payers = 0;
/** A payment whose payer has an address of its own. */
async function create(changes: object = {}) {
  const email = `payer-${++payers}@reader.example`;
  const payment_methods = ['card', 'bank_transfer', 'crypto'];
  return { email, payment: await lab.create({ customer: { email, name: 'Ada' }, payment_methods, ...changes }) };
}
async function mailsTo(email: string) {
  await lab.sweep();
  return post.to(email).map(mail => mail.email);
}
const order = {
  description: 'Winter things',
  reference: 'A-1042',
  line_items: [
    { name: 'Merino base layer', quantity: 1, amount: 8_900 },
    { name: 'Enamel mug', quantity: 2, amount: 3_940 },
  ],
};
/** Pays one half by bank and the other by card. */
async function payInParts({ id }: Payment): Promise<void> {
  const { reference } = instructionsOf((await lab.payByBank(id)).body);
  await lab.credit({ reference, amount: 6_420 });
  await lab.payByCard(id);
}
const plain = (text = '') => text.replace(/[\u2066-\u2069\u200e\u200f]/g, '').replace(/\s+/g, ' ');

describe('the receipt of a payment by mail', () => {
  it('leaves out an asset that was not asked for', async () => {
    const { email, payment } = await create({ receipts: true });
    const { body } = await lab.act(payment.id, 'confirm', { method: 'crypto', chain: 'stellar', asset: 'USDC' });
    await lab.send({ address: body.next_action.address, asset: 'EURC', amount: '128.4' });
    await lab.payByCard(payment.id);
    const [mail] = await mailsTo(email);
    expect(mail?.text).toContain('Visa •••• 4242: €128.40');
    expect(mail?.text).not.toContain('EURC');
  });

  it.each(['en', 'ar', 'ja'])('names the operator and the last digits of the phone that paid (%s)', async locale => {
    const payment_methods = ['card', 'mobile_money'];
    const changes = { receipts: true, locale, amount: 150_000, currency: 'UGX', payment_methods };
    const { email, payment } = await create(changes);
    await lab.act(payment.id, 'confirm', { method: 'mobile_money', provider: 'mtn', number: '+256772123789' });
    lab.clock.advance(2);
    const [mail] = await mailsTo(email);
    const { pages } = await readPdf(new Uint8Array(mail?.attachments[0]?.content as ArrayBuffer));
    for (const text of [mail?.text, pages.join(' ')]) {
      expect(plain(text)).toContain('MTN MoMo · •••789');
      expect(text).not.toContain('772123');
    }
  });

  it('has each part of the money, once, with the PDF', async () => {
    const { email, payment } = await create({ ...order, receipts: true });
    expect(payment.receipts).toBe(true);
    await payInParts(payment);
    const [mail, ...others] = await mailsTo(email);
    expect(others).toEqual([]);
    const { text = '', html = '', attachments } = mail!;
    expect(mail).toMatchObject({
      subject: 'Receipt from Nordlys & Sons',
      replyTo: [{ address: 'help@nordlys.example' }],
      attachments: [{ mimeType: 'application/pdf', filename: `${payment.id}-receipt.pdf` }],
    });
    for (const said of ['€128.40', 'Bank transfer · SEPA: €64.20', 'Visa •••• 4242: €64.20', 'Reference: A-1042']) {
      expect(text).toContain(said);
    }
    expect(text).toContain(`View payment:\n${payment.checkout_url}`);
    for (const said of ['Bank transfer · SEPA', 'Visa •••• 4242', 'Winter things', payment.id])
      expect(html).toContain(said);
    expect(`${text}${html}`).not.toContain('_secret_');
    const { pages } = await readPdf(new Uint8Array(attachments[0]?.content as ArrayBuffer));
    expect(plain(pages.join(' '))).toContain('Visa •••• 4242');
  });

  it('comes after the completion only, and not again for a refund', async () => {
    const { email, payment } = await create({ receipts: true });
    const { reference } = instructionsOf((await lab.payByBank(payment.id)).body);
    await lab.credit({ reference, amount: 6_420 });
    expect(await mailsTo(email)).toEqual([]);
    await lab.credit({ reference, amount: 6_420 });
    expect(await mailsTo(email)).toHaveLength(1);
    await lab.refund(payment.id, { amount: 1_000 });
    expect(await mailsTo(email)).toHaveLength(1);
  });

  it('of a card captured in part comes after the capture, and names what was taken', async () => {
    const { email, payment } = await create({ receipts: true, capture_method: 'manual' });
    await lab.payByCard(payment.id);
    expect(await mailsTo(email)).toEqual([]);
    await lab.act(payment.id, 'capture', { amount: 5_000 });
    const [mail] = await mailsTo(email);
    expect(mail?.text).toContain('€50.00');
    expect(mail?.text).not.toContain('€128.40');
  });

  it('is sent for a payment in crypto, with asset and transaction', async () => {
    const { email, payment } = await create({ receipts: true });
    await lab.pay((await lab.payInCrypto(payment.id)).body);
    await lab.until(async () => (await lab.read(payment.id)).status === 'completed');
    const [mail] = await mailsTo(email);
    const [part] = (await lab.read(payment.id)).received;
    expect(mail?.text).toContain('USDC · Stellar: 139.956 USDC');
    expect(mail?.text).toContain(`Transaction: ${part?.tx_hash}`);
  });

  it.each([
    ['ar', 'rtl', 'إيصال من'],
    ['ja', 'ltr', '領収書'],
    ['de', 'ltr', 'Receipt from'],
  ])('is in the payment’s language (%s)', async (locale, direction, subject) => {
    const { email, payment } = await create({ receipts: true, locale });
    await lab.payByCard(payment.id);
    const [mail] = await mailsTo(email);
    expect(plain(mail?.subject)).toContain(subject);
    expect(mail?.html).toContain(`dir="${direction}"`);
    expect(plain(mail?.text)).toContain('128.40');
    expect(mail?.text).not.toContain('{');
  });

  it('follows the account’s setting, unless the payment says otherwise', async () => {
    const account = await lab.request('PATCH /v1/account', { body: { receipts: true } });
    expect(account.body.receipts).toBe(true);
    const [usual, silent] = [await create(), await create({ receipts: false })];
    const invoice = await lab.sent({ customer: { email: 'invoiced@reader.example' } });
    await lab.request('PATCH /v1/account', { body: { receipts: false } });
    const later = await create();
    for (const { payment } of [usual, silent, later]) await lab.payByCard(payment.id);
    expect(await mailsTo(usual.email)).toHaveLength(1);
    expect([await mailsTo(silent.email), await mailsTo(later.email)]).toEqual([[], []]);
    await lab.payInvoice(invoice.id);
    expect((await mailsTo('invoiced@reader.example')).map(({ subject }) => subject?.split(' ')[0])).toEqual([
      'Invoice',
      'Receipt',
    ]);
  });
});

describe('the receipt of a payment as PDF', () => {
  const asPayer = (payment: Payment) => ({
    key: lab.merchant.publishableKey,
    headers: { 'pay-client-secret': payment.client_secret ?? '' },
  });
  const download = (payment: Payment, caller = asPayer(payment)) =>
    lab.request(`GET /v1/payments/${payment.id}/receipt`, caller);
  const pathOf = ({ checkout_url: url }: Payment) => `${new URL(url).pathname}/receipt` as `/${string}`;
  const bytesOf = async (path: string) => (await lab.app.http.inject({ method: 'GET', url: path })).rawPayload;

  it('has the parties, the items and each part of the money', async () => {
    const { payment } = await create(order);
    await payInParts(payment);
    const answer = await download(payment);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
    const bytes = await bytesOf(pathOf(payment));
    const text = plain((await readPdf(new Uint8Array(bytes))).pages.join(' '));
    for (const said of [
      ...['Receipt', 'Nordlys & Sons', 'Ada', 'A-1042', 'Winter things', '€128.40'],
      ...['Merino base layer 1 €89.00', 'Enamel mug 2 €39.40'],
      ...['Bank transfer · SEPA November 2, 2026 €64.20', 'Visa •••• 4242 November 2, 2026 €64.20'],
    ]) {
      expect(text).toContain(said);
    }
    // The id is longer than its column.
    expect(text.replaceAll(' ', '')).toContain(payment.id);
    await lab.refund(payment.id, { amount: 1_000 });
    const refunded = await bytesOf(pathOf(payment));
    expect(plain((await readPdf(new Uint8Array(refunded))).pages.join(' '))).toContain('Refunded: €10.00');
    await picturePdf(refunded, 'payment-receipt');
  });

  it.each(['en', 'ar', 'ja'])('has asset and transaction of a payment in crypto (%s)', async locale => {
    const { payment } = await create({ ...order, locale });
    await lab.pay((await lab.payInCrypto(payment.id)).body, '70');
    await lab.until(async () => (await lab.read(payment.id)).phase === 'partially_paid');
    await lab.payByCard(payment.id);
    const bytes = await bytesOf(pathOf(payment));
    const { pages } = await readPdf(new Uint8Array(bytes));
    expect(pages.join('').replace(/\s/g, '')).toContain((await lab.read(payment.id)).received[0]?.tx_hash);
    expect(plain(pages.join(' '))).toContain('70 USDC');
    const hash = (await lab.read(payment.id)).received[0]?.tx_hash;
    const page = new URL(payment.checkout_url).pathname as `/${string}`;
    const { status, headers } = await lab.request(`GET ${page}/transactions/${hash}`, { key: null });
    expect([status, headers['location']]).toEqual([
      302,
      expect.stringMatching(`/sandbox/horizon/transactions/${hash}$`),
    ]);
    expect((await lab.request(`GET ${page}/transactions/${'0'.repeat(64)}`, { key: null })).status).toBe(404);
    await picturePdf(bytes, `payment-receipt-crypto-${locale}`);
  });

  it.each([
    ['the visitor’s language', undefined, { 'accept-language': 'ja-JP,ja;q=0.9' }, '領収書'],
    ['the language that the visitor chose', 'en', { 'accept-language': 'en', cookie: 'pay-locale=ja' }, '領収書'],
    ['the payment’s own language', 'ar', { 'accept-language': 'ja' }, 'إيصال'],
    ['the merchant’s language', undefined, { 'accept-language': 'fi' }, 'Receipt'],
  ])('is in %s on the payment’s page', async (_, locale, headers, word) => {
    const { payment } = await create({ ...order, ...(locale && { locale }) });
    await lab.payByCard(payment.id);
    const { bytes } = await lab.request(`GET ${pathOf(payment)}`, { key: null, headers });
    expect(plain((await readPdf(new Uint8Array(bytes))).pages.join(' '))).toContain(word);
  });

  it('exists once the payment is completed, for its payer and its merchant', async () => {
    const { payment } = await create();
    const stranger = (await create()).payment;
    expect(refusal(await download(payment))).toEqual([409, 'illegal_state', null]);
    expect((await lab.request(`GET ${pathOf(payment)}`, { key: null })).status).toBe(409);
    await lab.payByCard(payment.id);
    expect((await download(payment)).status).toBe(200);
    expect((await lab.request(`GET /v1/payments/${payment.id}/receipt`)).status).toBe(200);
    expect((await download(payment, asPayer(stranger))).status).toBe(403);
    expect((await lab.request('GET /checkout/unknown/receipt', { key: null })).status).toBe(404);
    expect((await lab.request('GET /v1/payments/pay_unknown/receipt')).status).toBe(404);
  });
});
