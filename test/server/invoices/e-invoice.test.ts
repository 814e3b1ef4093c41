import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SentInvoice } from '../../../src/api/invoice/invoice-view.ts';
import { readPdf } from '../../support/read-pdf.ts';
import { refusal } from '../payments/payment-lab.ts';
import { eInvoiceCustomer as customer, type InvoiceLab, order, startInvoiceLab } from './invoice-lab.ts';

const account = { address: { line1: 'Sternwartenweg 3', country: 'DE' }, tax_id: 'DE123456789' };
const untaxedLine = { description: 'Lens', unit_amount: 500 };
const taxedLine = { ...untaxedLine, tax: { name: 'VAT', percent: 5 } };
const exemptionReason = 'lines[0].vat.exemption_reason';
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
    ['a second currency', {}, { exchange: { currency: 'SEK', rate: '11.2' } }, []],
    ['a second currency of three decimals', {}, { exchange: { currency: 'KWD', rate: '0.3' } }, ['exchange.currency']],
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

const xmlOf = async (id: string, query = '') => lab.request(`GET /v1/invoices/${id}/xml${query}`);

describe('the XML of an issued invoice', () => {
  it('is served, and stays the same after payments, credits and in the PDF', async () => {
    const { sent, xml } = await send({}, {});
    const first = await xmlOf(sent.id);
    expect([first.status, first.headers['content-type']]).toEqual([200, 'application/xml']);
    expect(first.text).toBe(xml);
    expect(first.text).toContain('<ram:DuePayableAmount>119.00</ram:DuePayableAmount>');
    await lab.payInvoice(sent.id, 5000);
    expect((await lab.invoice(sent.id, 'credit-notes', { amount: 1000 })).status).toBe(201);
    await lab.payInvoice(sent.id);
    const { attachments } = await readPdf((await lab.request(`GET /v1/invoices/${sent.id}/pdf`)).bytes);
    expect(attachments['factur-x.xml']).toBe(xml);
    expect((await xmlOf(sent.id)).text).toBe(xml);
  });

  it('states what was issued, even when it is first read after a payment', async () => {
    const { id } = await lab.sent({ customer });
    await lab.payInvoice(id, 5000);
    const { text } = await xmlOf(id);
    expect(text).not.toContain('TotalPrepaidAmount');
    expect(text).toContain('<ram:DuePayableAmount>119.00</ram:DuePayableAmount>');
  });

  it.each([
    ['a name', { name: 'Ada Lovelace', address: customer.address }, 200],
    ['neither name nor address for mails', { address: customer.address }, 409],
  ])('stays the same when a customer with %s gets it at a new address', async (_, known, status) => {
    const { id } = (await send({}, { customer: known })).sent;
    const read = async () => {
      const [xml, pdf] = [await xmlOf(id), await lab.request(`GET /v1/invoices/${id}/pdf`)];
      const { error } = xml.status === 200 ? { error: null } : xml.body;
      return { status: xml.status, xml: error?.message ?? xml.text, pdf: pdf.bytes.toString('base64') };
    };
    const before = await read();
    expect(before.status).toBe(status);
    const again = await lab.invoice(id, 'send', { email: 'late@example.com' });
    expect(again.body.customer).toMatchObject({ email: null, id: expect.stringMatching(/^cus_/) });
    expect(await read()).toEqual(before);
    const mails = (await lab.request(`GET /v1/invoices/${id}/mails`)).body.data;
    expect(mails.map(({ to }: { to: string }) => to)).toEqual(['late@example.com']);
    const { data } = (await lab.request('GET /v1/customers?email=late@example.com')).body;
    expect(data).toMatchObject([{ id: again.body.customer.id, email: 'late@example.com' }]);
  });

  it('counts credit that was used at sending as prepaid', async () => {
    const rich = { ...customer, email: 'rich@example.com' };
    const { id } = await lab.sent({ customer: rich });
    await lab.payInvoice(id);
    await lab.invoice(id, 'credit-notes', { amount: 2000 });
    const next = await lab.sent({ customer: rich });
    await lab.payInvoice(next.id, 3000);
    const { text } = await xmlOf(next.id);
    expect(text).toContain('<ram:TotalPrepaidAmount>20.00</ram:TotalPrepaidAmount>');
    expect(text).toContain('<ram:DuePayableAmount>99.00</ram:DuePayableAmount>');
  });

  it('is refused for a draft, and without the data, with the fields', async () => {
    expect(refusal(await xmlOf((await lab.draft()).id))).toEqual([409, 'illegal_state', null]);
    const answer = await xmlOf((await lab.sent({ customer: { email: 'a@b.example' } })).id);
    expect(refusal(answer)).toEqual([409, 'einvoice_unavailable', 'customer.address.country']);
    expect(answer.body.error.errors).toMatchObject([{ param: 'customer.address.country' }]);
  });

  it('has references, delivery, period, addresses, contact and registration', async () => {
    const contact = { name: 'Grace Hopper', phone: '+49 30 1234567', email: 'grace@blau.example' };
    const address = { line1: 'Sternwartenweg 3', postal_code: '10117', city: 'Berlin', country: 'DE' };
    const { sent, xml } = await send(
      { contact, address, legal_registration: 'HRB 12345 B' },
      {
        buyer_reference: '04011000-12345-03',
        order_number: 'PO-7',
        delivery_date: '2026-11-05',
        period: { starts_on: '2026-11-01', ends_on: '2026-11-30' },
        customer: { ...customer, address: { ...customer.address, city: 'London', postal_code: 'SW1Y 4JH' } },
      },
    );
    expect(sent).toMatchObject({ buyer_reference: '04011000-12345-03', order_number: 'PO-7' });
    for (const part of [
      '<ram:BuyerReference>04011000-12345-03</ram:BuyerReference>',
      '<ram:BuyerOrderReferencedDocument><ram:IssuerAssignedID>PO-7</ram:IssuerAssignedID>',
      '<ram:SpecifiedLegalOrganization><ram:ID>HRB 12345 B</ram:ID></ram:SpecifiedLegalOrganization>',
      '<ram:PersonName>Grace Hopper</ram:PersonName>',
      '<ram:PostcodeCode>10117</ram:PostcodeCode><ram:LineOne>Sternwartenweg 3</ram:LineOne><ram:CityName>Berlin</ram:CityName>',
      '<udt:DateTimeString format="102">20261105</udt:DateTimeString></ram:OccurrenceDateTime>',
      '<ram:StartDateTime><udt:DateTimeString format="102">20261101',
    ]) {
      expect(xml).toContain(part);
    }
    const { pages } = await readPdf((await lab.request(`GET /v1/invoices/${sent.id}/pdf`)).bytes);
    for (const part of ['04011000-12345-03', 'PO-7', 'November 5, 2026']) expect(pages.join('')).toContain(part);
  });

  it.each<[string, object, string[]]>([
    ['reverse_charge', { tax_id: 'FR12345678901' }, ['AE', 'VATEX-EU-AE', 'Reverse charge']],
    ['intra_eu', { tax_id: 'FR12345678901' }, ['K', 'VATEX-EU-IC', 'Intra-Community supply']],
    ['export', {}, ['G', 'VATEX-EU-G', 'Export outside the EU']],
    ['exempt', {}, ['E', 'Exempt from VAT', 'Exempt from VAT']],
    ['zero', {}, ['Z']],
    ['outside_scope', {}, ['O', 'VATEX-EU-O', 'Not subject to VAT']],
  ])('has the category %s with its reason', async (category, details, parts) => {
    const lines = [{ ...untaxedLine, vat: { category } }];
    const { sent, xml } = await send({}, { lines, customer: { ...customer, ...details }, delivery_date: '2026-11-05' });
    expect(sent.warnings).toEqual([]);
    for (const part of parts) expect(xml).toContain(`>${part}</ram:`);
    const { pages } = await readPdf((await lab.request(`GET /v1/invoices/${sent.id}/pdf`)).bytes);
    const [, , reason = ''] = parts;
    expect(pages.join('')).toContain(reason);
  });

  it('takes a blank reference as none, so that another one counts', async () => {
    const blank = { buyer_reference: '  ', order_number: ' ', reference: ' PO-9 ' };
    const lines = [{ ...untaxedLine, vat: { category: 'exempt', exemption_reason: ' ' } }];
    const { sent, xml } = await send({}, { ...blank, lines, customer });
    expect(sent).toMatchObject({ buyer_reference: null, order_number: null, reference: 'PO-9', warnings: [] });
    expect(sent.lines[0]?.vat).toEqual({ category: 'exempt', exemption_reason: 'Exempt from VAT' });
    expect(xml).toContain('<ram:BuyerReference>PO-9</ram:BuyerReference>');
  });

  it.each<[string, object, string]>([
    ['reverse_charge', {}, 'customer.tax_id'],
    ['intra_eu', { delivery_date: null }, 'delivery_date'],
    ['outside_scope', {}, 'lines.vat.category'],
  ])('is missing for %s without its data', async (category, changes, param) => {
    const lines = [{ ...untaxedLine, vat: { category } }, untaxedLine];
    if (category === 'outside_scope') lines[1] = { ...untaxedLine, vat: { category: 'zero' } };
    const { sent } = await send({}, { lines, customer, ...changes });
    expect(sent.warnings.map(warning => warning.param)).toContain(param);
  });

  it.each<[object, string]>([
    [{ lines: [{ ...untaxedLine, vat: { category: 'standard' } }] }, 'lines[0].vat.category'],
    [{ lines: [{ ...taxedLine, vat: { category: 'export' } }] }, 'lines[0].vat.category'],
    [{ lines: [{ ...taxedLine, vat: { category: 'standard', exemption_reason: 'x' } }] }, exemptionReason],
    [{ lines: [{ ...untaxedLine, vat: { category: 'zero', exemption_reason: 'x' } }] }, exemptionReason],
    [{ delivery_date: '2026-02-30' }, 'delivery_date'],
    [{ period: { starts_on: '2026-11-02', ends_on: '2026-11-01' } }, 'period.ends_on'],
  ])('never has the contradiction %j', async (changes, param) => {
    const body = { ...order, ...changes };
    expect(refusal(await lab.request('POST /v1/invoices', { body }))).toEqual([400, 'parameter_invalid', param]);
  });
});

describe('an XRechnung', () => {
  const contact = { name: 'Grace Hopper', phone: '+49 30 1234567', email: 'grace@blau.example' };
  const address = { line1: 'Sternwartenweg 3', postal_code: '10117', city: 'Berlin', country: 'DE' };
  const complete = { contact, address, support_email: 'rechnung@blau.example' };
  const office = { ...customer, address: { line1: 'Amt 1', postal_code: '53113', city: 'Bonn', country: 'DE' } };

  it('is served when the data is there', async () => {
    const { sent } = await send(complete, { customer: office, buyer_reference: '04011000-12345-03' });
    expect(sent.warnings).toEqual([]);
    const { status, text } = await xmlOf(sent.id, '?format=xrechnung');
    expect(status).toBe(200);
    expect(text).toContain('#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0');
  });

  it('names the fields that are missing: in the preview, on sending and on reading', async () => {
    const bare = { contact: null, support_email: null, address: { line1: 'Sternwartenweg 3', country: 'DE' } };
    const { sent } = await send(bare, { buyer_reference: '04011000-12345-03' });
    const missing = [
      ...['account.address.city', 'account.address.postal_code', 'account.support_email', 'account.contact.name'],
      ...['account.contact.phone', 'customer.address.city', 'customer.address.postal_code'],
    ];
    expect(sent.warnings).toMatchObject(missing.map(param => ({ code: 'xrechnung_unavailable', param })));
    const body = { ...order, customer, buyer_reference: '04011000-12345-03' };
    expect((await lab.request('POST /v1/invoices/preview', { body })).body.warnings).toEqual(sent.warnings);
    const draft = await lab.draft(body);
    for (const { id } of [draft, sent]) {
      expect((await lab.request(`GET /v1/invoices/${id}`)).body.warnings).toEqual(sent.warnings);
    }
    const office = { ...customer, address: { ...account.address, postal_code: '53113', city: 'Bonn' } };
    const changed = await lab.request(`POST /v1/invoices/${draft.id}/preview`, { body: { customer: office } });
    expect(changed.body.warnings.map(({ param }: { param: string }) => param)).toEqual(missing.slice(0, -2));
    const answer = await xmlOf(sent.id, '?format=xrechnung');
    expect(refusal(answer)).toEqual([409, 'einvoice_unavailable', 'account.address.city']);
    expect(answer.body.error.errors.map(({ param }: { param: string }) => param)).toEqual(missing);
    expect((await xmlOf(sent.id)).status).toBe(200);
  });
});
