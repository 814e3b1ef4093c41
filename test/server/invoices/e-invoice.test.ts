import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SentInvoice } from '../../../src/api/invoice/invoice-view.ts';
import { readPdf } from '../../support/read-pdf.ts';
import { eInvoiceCustomer as customer, type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

const account = { address: { line1: 'Sternwartenweg 3', country: 'DE' }, tax_id: 'DE123456789' };
const untaxed = { lines: [{ description: 'Alms', unit_amount: 500 }] };

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(() => lab.close());

/** Sends an invoice of an account with these details, and reads the XML in its PDF. */
async function send(details: object, changes: object): Promise<{ sent: SentInvoice; xml: string | undefined }> {
  const changed = await lab.request('PATCH /v1/account', { body: { ...account, ...details } });
  expect(changed.status, changed.text).toBe(200);
  const sent = (await lab.sent({ customer, ...changes })) as SentInvoice;
  const { attachments, metadata } = await readPdf((await lab.request(`GET /v1/invoices/${sent.id}/pdf`)).bytes);
  const xml = attachments['factur-x.xml'];
  expect(metadata.includes('urn:factur-x')).toBe(xml !== undefined);
  return { sent, xml };
}

describe('the e-invoice of a sent invoice', () => {
  it.each<[string, object, object, string[]]>([
    ['complete data', {}, {}, []],
    ['no tax at all', {}, untaxed, []],
    ['no address of the account', { address: null }, {}, ['account.address.country']],
    ['no tax number', { tax_id: null }, untaxed, ['account.tax_id']],
    ['a customer without a country', {}, { customer: { email: 'ada@example.com' } }, ['customer.address.country']],
    ['an unknown country', {}, { customer: { ...customer, address: { country: 'XK' } } }, ['customer.address.country']],
    ['a customer without name and address', {}, { customer: {} }, ['customer.name', 'customer.address.country']],
    ['three decimals', {}, { currency: 'KWD' }, ['currency']],
  ])(
    'with %s is in its PDF, or sending names the fields that keep it out',
    async (_what, details, changes, missing) => {
      const { sent, xml } = await send(details, changes);
      expect(sent.warnings.map(({ code, param }) => [code, param])).toEqual(
        missing.map(param => ['einvoice_unavailable', param]),
      );
      expect(xml === undefined).toBe(missing.length > 0);
    },
  );

  it.each<[string, object, string[]]>([
    ['DE 123 456 789', {}, ['<ram:ID schemeID="VA">DE123456789</ram:ID>']],
    ['12/345/67890', {}, ['<ram:ID>12/345/67890</ram:ID><ram:Name>', '<ram:ID schemeID="FC">12/345/67890</ram:ID>']],
    ['DE123456789', untaxed, ['<ram:ID>DE123456789</ram:ID><ram:Name>', '<ram:ID schemeID="FC">DE123456789</ram:ID>']],
    ['XX12', {}, ['<ram:ID>XX12</ram:ID><ram:Name>']],
  ])('identifies a seller with the number %s', async (taxId, changes, parts) => {
    const { xml } = await send({ tax_id: taxId }, changes);
    for (const part of parts) expect(xml).toContain(part);
  });
});
