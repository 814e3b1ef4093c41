import type { InvoiceLine, InvoiceTaxTotal } from '../../../api/invoice/invoice-view.ts';
import type { PostalAddress } from '../../../api/schema.ts';
import { epcPayload } from '../../../core/bank/epc-qr.ts';
import { isQrIban, qrReference, type SwissParty, swissQrPayload } from '../../../core/bank/swiss-qr.ts';
import type {
  InvoiceDocument,
  InvoiceDocumentLine,
  InvoiceDocumentTax,
} from '../../../core/invoice/invoice-document.ts';
import type { ReceivedPayment } from '../../documents/documents.ts';
import { currentSeller, documentAddress, documentSeller } from '../../merchants/document-party.ts';
import { dayIn } from '../../platform/local-day.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { installmentsOf, nextDue, remainingOf } from '../invoice.ts';
import {
  hostedInvoiceUrl,
  type InvoiceRow,
  type InvoiceViewContext,
  type TransactionRow,
  todayOf,
} from '../invoice.view.ts';
import type { KeptSeller } from '../tables.ts';

/** The merchant's details that a new invoice stores. */
export function sellerOf(merchant: Merchant): KeptSeller {
  return { ...currentSeller(merchant), timezone: merchant.timezone };
}

/**
 * The invoice as a document. `now` is on the merchant's clock. `asked`: the amount to ask for; default: the next due
 * amount. A draft shows the merchant's current details.
 */
export function invoiceDocument(
  context: InvoiceViewContext,
  row: InvoiceRow,
  merchant: Merchant,
  now: Date,
  asked?: bigint,
): InvoiceDocument {
  const seller = row.seller ?? sellerOf(merchant);
  const remaining = remainingOf(row);
  return {
    kind: 'invoice',
    id: row.id,
    number: row.number,
    status: row.status,
    livemode: row.livemode,
    issueDate: row.issue_date,
    dueDate: row.due_date,
    corrects: null,
    reference: row.reference,
    seller: documentSeller(seller, merchant, row.locale),
    buyer: buyerOf(row),
    currency: row.currency,
    locale: row.locale,
    ...detailsDocument(row),
    lines: row.lines.map(lineDocument),
    subtotal: row.subtotal,
    discount: row.discount && { percent: row.discount.percent, amount: BigInt(row.discount.amount) },
    discountTotal: row.discount_total,
    taxes: row.taxes.map(taxDocument),
    taxTotal: row.tax_total,
    taxIncluded: row.tax_included,
    total: row.total,
    amountPaid: row.amount_paid,
    amountCredited: row.amount_credited,
    amountRemaining: remaining,
    installments: installmentsOf(row, todayOf(row, now)).map(({ dueDate, percent: _percent, ...part }) => ({
      ...part,
      dueDate: dueDate ?? row.due_date ?? '',
    })),
    exchangeRate: exchangeDocument(row),
    memo: row.memo,
    footer: row.footer,
    payUrl: row.status === 'draft' ? null : hostedInvoiceUrl(context, row),
    ...paymentOf(row, seller, asked ?? nextDue(row)?.amount ?? remaining),
  };
}

/** A payment of an invoice, for its receipt. */
export function receivedPayment({ seller }: InvoiceRow, money: TransactionRow): ReceivedPayment {
  return {
    number: money.payment_id ?? money.id,
    paidOn: dayIn(seller?.timezone ?? 'UTC', money.paid_at),
    amount: money.amount + money.amount_overpaid,
    kept: money.amount_overpaid,
    method: methodOf(money.method),
    reference: money.reference,
  };
}

function methodOf(method: string | null): ReceivedPayment['method'] {
  const known = ['card', 'bank_transfer', 'crypto', 'mobile_money'] as const;
  return known.find(each => each === method) ?? 'other';
}

/** A line of an invoice, for its document. */
export function lineDocument(line: InvoiceLine): InvoiceDocumentLine {
  const own = BigInt(line.discount?.amount ?? 0);
  return {
    description: line.description,
    quantity: line.quantity,
    unit: line.unit,
    unitAmount: BigInt(line.unit_amount),
    subtotal: BigInt(line.subtotal),
    discount: line.discount && { percent: line.discount.percent, amount: own },
    discountShare: BigInt(line.discount_total) - own,
    taxes: line.taxes.map(tax => ({ ...tax, amount: BigInt(tax.amount) })),
    vat: line.vat == null ? null : { category: line.vat.category, reason: line.vat.exemption_reason },
    net: BigInt(line.total) - BigInt(line.tax_total),
    total: BigInt(line.total),
  };
}

/** A tax rate of an invoice or credit note, for its document. */
export function taxDocument({ base, amount, ...tax }: InvoiceTaxTotal): InvoiceDocumentTax {
  return { ...tax, base: BigInt(base), amount: BigInt(amount) };
}

/** The further details of an invoice (`KeptDetails`), for its document. */
export function detailsDocument({ details }: InvoiceRow) {
  const { buyer_reference: buyerReference, order_number: orderNumber, delivery_date: deliveryDate, period } = details;
  return {
    buyerReference: buyerReference ?? null,
    orderNumber: orderNumber ?? null,
    deliveryDate: deliveryDate ?? null,
    period: period == null ? null : { startsOn: period.starts_on, endsOn: period.ends_on },
  };
}

function buyerOf({ customer, locale }: InvoiceRow): InvoiceDocument['buyer'] {
  const { name, email, address, tax_id: taxId } = customer;
  return { name, email, taxId, ...documentAddress(address, locale) };
}

function exchangeDocument({ exchange, issue_date: issued }: InvoiceRow): InvoiceDocument['exchangeRate'] {
  if (exchange === null || exchange.rate === null || exchange.total === null) return null;
  return {
    currency: exchange.currency,
    rate: exchange.rate,
    date: exchange.date ?? issued ?? '',
    taxTotal: BigInt(exchange.tax_total ?? 0),
    total: BigInt(exchange.total),
  };
}

function paymentOf(row: InvoiceRow, seller: KeptSeller, asked: bigint) {
  const isByBank = row.status !== 'void' && row.payment_methods.includes('bank_transfer');
  return { methods: row.payment_methods, asked, bankQr: isByBank ? bankQrOf(seller, row, asked) : null };
}

/**
 * The payment code for the payer's bank: a Swiss QR-bill or an EPC code. CHF uses the QR-bill, and so does EUR from a
 * buyer in Switzerland or Liechtenstein, or to a QR-IBAN. Other EUR invoices use EPC.
 */
function bankQrOf(
  { iban, bic, name, address }: KeptSeller,
  { currency, number, customer }: InvoiceRow,
  asked: bigint,
): InvoiceDocument['bankQr'] {
  if (iban === null || number === null || asked === 0n) return null;
  const buyer = swissParty(customer.name ?? '', customer.address);
  const isSwiss = isQrIban(iban) || /^(CH|LI)$/.test(buyer.country);
  if (currency === 'CHF' || (currency === 'EUR' && isSwiss)) {
    const reference = isQrIban(iban) ? qrReference(number) : null;
    const terms = { iban, amount: asked, currency, message: number, reference } as const;
    const bill = swissQrPayload({ ...terms, creditor: swissParty(name, address), debtor: buyer });
    if (bill !== null) return { format: 'swiss_qr', payload: bill };
  }
  if (currency !== 'EUR' || isQrIban(iban)) return null;
  const payload = epcPayload({ bic: bic ?? '', name, iban, amount: asked, text: number });
  return payload === null ? null : { format: 'epc', payload };
}

/** A party of the QR-bill. The house number stays in the street, as the Swiss standard allows. */
function swissParty(name: string, address: PostalAddress | null): SwissParty {
  return {
    name,
    street: address?.line1 ?? '',
    buildingNumber: '',
    postalCode: address?.postal_code ?? '',
    town: address?.city ?? '',
    country: address?.country?.toUpperCase() ?? '',
  };
}
