import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SentInvoice } from '../../src/api/invoice/invoice-view.ts';
import type { DocumentAddress, InvoiceDocument, InvoiceDocumentLine } from '../../src/core/invoice/invoice-document.ts';
import type { XmlFormat } from '../../src/server/documents/e-invoice/e-invoice-data.ts';
import { randomInvoice, randomXRechnung } from '../server/documents/random-invoices.ts';
import { type InvoiceLab, startInvoiceLab } from '../server/invoices/invoice-lab.ts';
import { type FatalRules, noRules, officialRules } from './official-rules.ts';
import { beginPart, report, roundSeconds, seed, seeded } from './round.ts';

/** E-invoices to check without a time limit. */
const wanted = 300;
const random = seeded(seed);

type Fields = Readonly<Record<string, unknown>>;

/** Without fields that are null or blank, because the API takes them as absent or refuses them. */
function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null && String(value).trim() !== ''));
}

function addressOf(address: DocumentAddress | null | undefined, country: string | null): Fields {
  const { postalCode, ...parts } = address ?? { postalCode: null };
  return given({ ...parts, postal_code: postalCode, country });
}

function lineOf({ description, quantity, unit, unitAmount, discount, taxes, vat }: InvoiceDocumentLine): Fields {
  return {
    description,
    quantity,
    unit_amount: Number(unitAmount),
    ...given({ unit }),
    taxes: taxes.map(({ amount: _amount, ...tax }) => tax),
    ...(discount?.percent != null && { discount: { percent: discount.percent } }),
    ...(vat != null && { vat: vatOf(vat) }),
  };
}

/** The API takes no reason for the category zero. */
function vatOf({ category, reason }: NonNullable<InvoiceDocumentLine['vat']>): Fields {
  return { category, ...(category !== 'zero' && given({ exemption_reason: reason })) };
}

/** The account of the seller, as a change of its details. */
function accountOf({ seller }: InvoiceDocument): Fields {
  const { contact, country, address } = seller;
  return {
    ...given({ name: seller.name }),
    support_email: seller.email,
    tax_id: seller.taxId,
    legal_registration: seller.legalRegistration ?? null,
    address: addressOf(address, country),
    contact: contact == null ? null : given({ ...contact }),
  };
}

/** The request for an invoice like this document. */
function requestOf(document: InvoiceDocument): Fields {
  const { buyer, discount, period, lines } = document;
  const { name, email, taxId, address, country } = buyer;
  return {
    currency: document.currency,
    lines: lines.map(lineOf),
    payment_methods: document.methods,
    customer: { ...given({ name, email, tax_id: taxId }), address: addressOf(address, country) },
    ...(discount?.percent != null && { discount: { percent: discount.percent } }),
    ...(period != null && { period: { starts_on: period.startsOn, ends_on: period.endsOn } }),
    ...given({
      reference: document.reference,
      buyer_reference: document.buyerReference,
      order_number: document.orderNumber,
      delivery_date: document.deliveryDate,
      memo: document.memo,
      footer: document.footer,
    }),
  };
}

const reason = noRules('EN16931') ?? noRules('XRechnung');
describe.skipIf(reason !== null)(`e-invoices that the API serves${reason ? `: ${reason}` : ''}`, () => {
  let lab: InvoiceLab;
  let rules: { readonly [Name in 'EN16931' | 'XRechnung']: FatalRules };
  beforeAll(async () => {
    lab = await startInvoiceLab();
    rules = { EN16931: officialRules('EN16931'), XRechnung: officialRules('XRechnung') };
  }, 600_000);
  afterAll(() => lab?.close());

  /** The formats to check: only documents for an XRechnung have its data. */
  let formats: readonly XmlFormat[] = [];
  const broken = new Map<string, string>();
  const counts = { invoices: 0, notes: 0, without: 0 };

  /** Reads the document in both formats and checks it. Returns the formats that are there. */
  async function check(path: `/v1/${string}`, kind: 'invoices' | 'notes'): Promise<string[]> {
    const served: string[] = [];
    for (const format of formats) {
      const { status, text } = await lab.request(`GET ${path}/xml?format=${format}`);
      expect([200, 409], text).toContain(status);
      if (status === 409) {
        counts.without++;
        continue;
      }
      served.push(format);
      counts[kind]++;
      const fatal = [...rules.EN16931(text), ...(format === 'xrechnung' ? rules.XRechnung(text) : [])];
      for (const rule of fatal) broken.set(`${kind} ${format} ${rule}`, text);
    }
    return served;
  }

  /** Creates and sends an invoice like the document, from an account like its seller. */
  async function send(document: InvoiceDocument): Promise<SentInvoice> {
    const account = await lab.request('PATCH /v1/account', { body: accountOf(document) });
    expect(account.status, account.text).toBe(200);
    return (await lab.sent({ due_date: null, ...requestOf(document) })) as SentInvoice;
  }

  /** Credits the invoice by an amount, by a line and by the rest, in random order. */
  async function credit({ id, total, lines }: SentInvoice): Promise<void> {
    const bodies = [
      { amount: Math.ceil(total * random() * 0.5) },
      { lines: [{ line: Math.floor(random() * lines.length) }] },
      {},
    ];
    for (const body of bodies.toSorted(() => random() - 0.5)) {
      const note = await lab.invoice(id, 'credit-notes', body);
      expect(note.status, note.text).toBeLessThan(500);
      if (note.status === 201) await check(`/v1/credit-notes/${note.body.id}`, 'notes');
    }
  }

  it('break no fatal rule, nor do their credit notes', { timeout: 3_600_000 }, async () => {
    const part = beginPart(0.08);
    const checked = () => counts.invoices + counts.notes;
    for (let round = 0; checked() < wanted && (checked() === 0 || !part.isOver()); round++) {
      const isXRechnung = round % 2 === 0;
      const [document] = fc.sample(isXRechnung ? randomXRechnung : randomInvoice, { numRuns: 1, seed: seed + round });
      if (document === undefined) break;
      formats = isXRechnung ? ['en16931', 'xrechnung'] : ['en16931'];
      const sent = await send(document);
      const isAnnounced = sent.warnings.every(({ code }) => code !== 'einvoice_unavailable');
      const served = await check(`/v1/invoices/${sent.id}`, 'invoices');
      expect(served.includes('en16931'), JSON.stringify(sent.warnings)).toBe(isAnnounced);
      await credit(sent);
    }
    const { invoices, notes, without } = counts;
    report(`${invoices} e-invoices and ${notes} e-credit notes of the API checked; ${without} lack the data for one`);
    expect(Object.fromEntries(broken)).toEqual({});
    if (roundSeconds === null) expect(checked()).toBeGreaterThanOrEqual(wanted);
  });
});
