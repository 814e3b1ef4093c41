import sharp from 'sharp';
import {
  formatPercent,
  formatQuantity,
  parseDecimal,
  parsePercent,
  quantityDecimals,
} from '../../../src/core/invoice/invoice-decimal.ts';
import type {
  InvoiceDocument,
  InvoiceDocumentLine,
  InvoiceSeller,
} from '../../../src/core/invoice/invoice-document.ts';
import { calculateInvoice } from '../../../src/core/invoice/invoice-totals.ts';

/** A logo as accounts store it, `height` pixels high. */
export async function sampleLogo(height: number): Promise<Buffer> {
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60"><rect width="200" height="60" rx="12" fill="#0f766e"/><circle cx="30" cy="30" r="16" fill="#fff"/><path d="M60 20h120v8H60zM60 34h90v8H60z" fill="#fff"/></svg>';
  return await sharp(Buffer.from(drawing), { density: 72 * (height / 60) })
    .png()
    .toBuffer();
}

export interface SampleTax {
  readonly name: string;
  readonly percent: string;
  readonly inclusive?: boolean;
  readonly compound?: boolean;
}

export interface SampleLine {
  readonly description: string;
  readonly quantity?: string;
  readonly unit?: string | null;
  readonly unitAmount: bigint;
  readonly discountPercent?: string;
  readonly taxes?: readonly SampleTax[];
  readonly vat?: InvoiceDocumentLine['vat'];
}

export type SampleChanges = Partial<Omit<InvoiceDocument, 'lines' | 'seller' | 'discount'>> & {
  readonly lines?: readonly SampleLine[];
  readonly discountPercent?: string;
  readonly seller?: Partial<InvoiceSeller>;
};

const vat = { name: 'VAT', percent: '19' };

/** A complete invoice whose amounts are calculated as the service calculates them. */
export function sampleInvoice(changes: SampleChanges = {}): InvoiceDocument {
  const {
    lines = [{ description: 'Consulting', quantity: '8', unitAmount: 12_000n, taxes: [vat] }],
    seller,
    discountPercent,
    ...rest
  } = changes;
  const amounts = calculateLines(lines, discountPercent ?? null);
  return {
    kind: 'invoice',
    id: 'inv_0123456789abcdef',
    number: 'INV-0001',
    status: 'sent',
    livemode: true,
    issueDate: '2026-11-21',
    dueDate: '2026-12-05',
    corrects: null,
    reference: 'PO-4711',
    buyer: {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      addressLines: ['12 St James’s Square', 'London SW1Y 4JH', 'United Kingdom'],
      country: 'GB',
      taxId: 'GB123456789',
    },
    currency: 'EUR',
    locale: 'en',
    ...amounts,
    amountPaid: 0n,
    amountCredited: 0n,
    amountRemaining: amounts.total,
    installments: [],
    exchangeRate: null,
    memo: null,
    footer: null,
    payUrl: 'https://pay.example.com/i/inv_0123456789abcdef_secret',
    methods: ['card', 'bank_transfer', 'crypto'],
    asked: amounts.total,
    bankQr: null,
    ...rest,
    seller: {
      name: 'Kopernikus Instruments GmbH',
      addressLines: ['Sternwartenweg 3', '10117 Berlin', 'Germany'],
      country: 'DE',
      email: 'billing@kopernikus.example',
      taxId: 'DE 123 456 789',
      logo: null,
      primaryColor: '#0f766e',
      iban: 'DE71110220330123456789',
      bic: 'BHBLDEHHXXX',
      ...seller,
    },
  };
}

/** The lines and sums of an invoice, by the service’s own arithmetic. */
function calculateLines(lines: readonly SampleLine[], discountPercent: string | null) {
  const terms = lines.map(({ quantity = '1', unitAmount, discountPercent: percent, taxes = [] }) => ({
    quantity: parseDecimal(quantity, quantityDecimals) ?? 0n,
    unitAmount,
    discount: percent === undefined ? null : { percent: parsePercent(percent) ?? 0n },
    taxes: taxes.map(({ name, percent, inclusive = false, compound = false }) => ({
      name,
      percent: parsePercent(percent) ?? 0n,
      inclusive,
      compound,
    })),
  }));
  const whole = discountPercent === null ? null : { percent: parsePercent(discountPercent) ?? 0n };
  const totals = calculateInvoice(terms, whole);
  const documentLines = totals.lines.map((line, index): InvoiceDocumentLine => {
    const { description, unit = null, discountPercent: percent, vat = null } = lines[index]!;
    const term = terms[index]!;
    return {
      description,
      quantity: formatQuantity(term.quantity),
      unit,
      unitAmount: term.unitAmount,
      subtotal: line.subtotal,
      discount: percent === undefined ? null : { percent, amount: line.ownDiscount },
      discountShare: line.discountShare,
      taxes: term.taxes.map((tax, at) => ({
        ...tax,
        percent: formatPercent(tax.percent),
        amount: line.taxAmounts[at]!,
      })),
      vat,
      net: line.total - line.taxAmounts.reduce((sum, tax) => sum + tax, 0n),
      total: line.total,
    };
  });
  return {
    lines: documentLines,
    subtotal: totals.subtotal,
    discount: discountPercent === null ? null : { percent: discountPercent, amount: totals.discount },
    discountTotal: totals.discountTotal,
    taxes: totals.taxes.map(tax => ({ ...tax, percent: formatPercent(tax.percent) })),
    taxTotal: totals.taxTotal,
    taxIncluded: totals.taxIncluded,
    total: totals.total,
  };
}
