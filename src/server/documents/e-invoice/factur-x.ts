import { isQrIban, qrReference } from '../../../core/bank/swiss-qr.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import type { InvoiceBuyer, InvoiceDocument, InvoiceSeller } from '../../../core/invoice/invoice-document.ts';
import { formatUnits } from '../../../core/money.ts';
import { isBlank, isVatNumber, missingForEInvoice, plainId } from './e-invoice-data.ts';
import { categoryOf, groupByTax, lineItem, type TaxGroup } from './factur-x-line.ts';
import { writeXml, type XmlContent, type XmlElements } from './xml-writer.ts';

const namespaces = {
  '@xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  '@xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  '@xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
  '@xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
};
/** BT-24: the profile EN 16931 of Factur-X and ZUGFeRD. */
const guideline = 'urn:cen.eu:en16931:2017';
/** UNCL 1001: commercial invoice, credit note. */
const typeCodes = { invoice: '380', credit_note: '381' } as const;

/**
 * The invoice as the XML of Factur-X 1.0 / ZUGFeRD 2, profile EN 16931 (UN/CEFACT Cross Industry Invoice). Lines
 * contain all discounts, so amounts obey BR-CO-10 to BR-CO-16. A group's tax is the sum of the printed line taxes. It
 * may differ from rate × base by rounding (BR-CO-17). `missingForEInvoice` names the details that the rules need.
 * Throws RangeError for a draft, which has no number and no date.
 */
export function facturX(invoice: InvoiceDocument): string {
  const { number, issueDate, kind, memo, footer, lines, currency } = invoice;
  if (number === null || issueDate === null) throw new RangeError('a draft has no XML');
  const { treated, groups } = groupByTax(lines);
  const notes = [memo, footer].filter(note => !isBlank(note));
  return writeXml('rsm:CrossIndustryInvoice', {
    ...namespaces,
    'rsm:ExchangedDocumentContext': { 'ram:GuidelineSpecifiedDocumentContextParameter': { 'ram:ID': guideline } },
    'rsm:ExchangedDocument': {
      'ram:ID': number,
      'ram:TypeCode': typeCodes[kind],
      'ram:IssueDateTime': dateString('udt', issueDate),
      'ram:IncludedNote': notes.map(note => ({ 'ram:Content': note })),
    },
    'rsm:SupplyChainTradeTransaction': {
      'ram:IncludedSupplyChainTradeLineItem': treated.map(({ line, tax }, at) => lineItem(line, at, currency, tax)),
      'ram:ApplicableHeaderTradeAgreement': agreement(invoice, groups),
      'ram:ApplicableHeaderTradeDelivery': {},
      'ram:ApplicableHeaderTradeSettlement': settlement(invoice, groups),
    },
  });
}

function agreement({ reference, seller, buyer }: InvoiceDocument, groups: readonly TaxGroup[]): XmlElements {
  // An invoice outside of VAT must not contain a VAT number (BR-O-02).
  const isOutside = groups.some(({ category }) => category === 'O');
  const isVat = (taxId: string | null) => taxId !== null && isVatNumber(taxId) && !isOutside;
  return {
    'ram:BuyerReference': reference,
    'ram:SellerTradeParty': {
      // BT-29 identifies the seller. Without a VAT number, no other element does (BR-CO-26).
      'ram:ID': isVat(seller.taxId) ? null : seller.taxId,
      'ram:Name': seller.name,
      ...contactOf(seller),
      'ram:SpecifiedTaxRegistration': taxRegistration(seller.taxId, isVat(seller.taxId) ? 'VA' : 'FC'),
    },
    'ram:BuyerTradeParty': {
      'ram:Name': isBlank(buyer.name) ? (buyer.email ?? '-') : buyer.name,
      'ram:SpecifiedLegalOrganization': buyer.taxId === null || isVat(buyer.taxId) ? null : { 'ram:ID': buyer.taxId },
      ...contactOf(buyer),
      'ram:SpecifiedTaxRegistration': isVat(buyer.taxId) ? taxRegistration(buyer.taxId, 'VA') : null,
    },
  };
}

function contactOf({ addressLines, country, email }: InvoiceSeller | InvoiceBuyer): XmlElements {
  const [first = null, second = null, ...rest] = addressLines.filter(line => line.trim() !== '');
  const address = {
    'ram:LineOne': first,
    'ram:LineTwo': second,
    'ram:LineThree': rest.length === 0 ? null : rest.join(', '),
    'ram:CountryID': country?.toUpperCase() ?? null,
  };
  return {
    'ram:PostalTradeAddress': first === null && country === null ? null : address,
    'ram:URIUniversalCommunication': email === null ? null : { 'ram:URIID': { '@schemeID': 'EM', '#': email } },
  };
}

function taxRegistration(taxId: string | null, scheme: 'VA' | 'FC'): XmlContent {
  if (taxId === null) return null;
  return { 'ram:ID': { '@schemeID': scheme, '#': scheme === 'VA' ? plainId(taxId) : taxId } };
}

function settlement(invoice: InvoiceDocument, groups: readonly TaxGroup[]): XmlElements {
  const { number, currency, exchangeRate, corrects } = invoice;
  const { iban } = invoice.seller;
  return {
    'ram:PaymentReference': number && iban !== null && isQrIban(iban) ? qrReference(number) : number,
    'ram:TaxCurrencyCode': exchangeRate?.currency ?? null,
    'ram:InvoiceCurrencyCode': currency,
    'ram:SpecifiedTradeSettlementPaymentMeans': paymentMeans(invoice),
    'ram:ApplicableTradeTax': groups.map(group => taxOf(group, currency)),
    'ram:SpecifiedTradePaymentTerms': paymentTerms(invoice),
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation': summation(invoice, groups),
    'ram:InvoiceReferencedDocument': corrects && {
      'ram:IssuerAssignedID': corrects.number,
      'ram:FormattedIssueDateTime': dateString('qdt', corrects.issueDate),
    },
  };
}

/** UNCL 4461: SEPA credit transfer, credit transfer, online payment service. */
function paymentMeans({ seller, currency, payUrl, kind }: InvoiceDocument): XmlContent {
  const { iban, bic } = seller;
  if (kind === 'credit_note' || (iban === null && payUrl === null)) return null;
  if (iban === null) return { 'ram:TypeCode': '68' };
  return {
    'ram:TypeCode': currency === 'EUR' ? '58' : '30',
    'ram:PayeePartyCreditorFinancialAccount': { 'ram:IBANID': iban },
    'ram:PayeeSpecifiedCreditorFinancialInstitution': bic === null ? null : { 'ram:BICID': bic },
  };
}

function taxOf(group: TaxGroup, currency: string): XmlElements {
  const { category, base, amount } = group;
  const decimals = currencyDecimals(currency);
  return {
    'ram:CalculatedAmount': formatUnits(amount, decimals),
    'ram:TypeCode': 'VAT',
    'ram:ExemptionReason': { S: null, Z: null, E: 'Exempt from VAT', O: 'Not subject to VAT' }[category],
    'ram:BasisAmount': formatUnits(base, decimals),
    ...categoryOf(group),
  };
}

/** The due date. A payment plan is written as text, because the standard allows only one date. */
function paymentTerms({ dueDate, installments, currency }: InvoiceDocument): XmlContent {
  if (dueDate === null && installments.length === 0) return null;
  const decimals = currencyDecimals(currency);
  const parts = installments.map(part => `${part.dueDate}: ${formatUnits(part.amount, decimals)} ${currency}`);
  return {
    'ram:Description': parts.length === 0 ? null : parts.join('\n'),
    'ram:DueDateDateTime': dueDate === null ? null : dateString('udt', dueDate),
  };
}

function summation(invoice: InvoiceDocument, groups: readonly TaxGroup[]): XmlElements {
  const { currency, exchangeRate, kind, total, amountRemaining } = invoice;
  const money = (amount: bigint, of = currency) => formatUnits(amount, currencyDecimals(of));
  const taxTotal = (amount: bigint, of: string) => ({ '@currencyID': of, '#': money(amount, of) });
  const net = groups.reduce((sum, { base }) => sum + base, 0n);
  const tax = groups.reduce((sum, { amount }) => sum + amount, 0n);
  const due = kind === 'credit_note' ? total : amountRemaining;
  return {
    'ram:LineTotalAmount': money(net),
    'ram:TaxBasisTotalAmount': money(net),
    'ram:TaxTotalAmount': [
      taxTotal(tax, currency),
      exchangeRate && taxTotal(exchangeRate.taxTotal, exchangeRate.currency),
    ],
    'ram:GrandTotalAmount': money(net + tax),
    'ram:TotalPrepaidAmount': due === total ? null : money(total - due),
    'ram:DuePayableAmount': money(due),
  };
}

/** A day in the form 102 (CCYYMMDD) of UNCL 2379. */
function dateString(prefix: 'udt' | 'qdt', date: string): XmlElements {
  return { [`${prefix}:DateTimeString`]: { '@format': '102', '#': date.replaceAll('-', '') } };
}

const fileName = 'factur-x.xml';
const namespace = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';

/** Properties of the PDF/A extension schema, and their values for this profile. */
const properties = [
  { name: 'DocumentFileName', value: fileName, description: 'The name of the embedded XML document' },
  { name: 'DocumentType', value: 'INVOICE', description: 'The type of the hybrid document in capital letters' },
  {
    name: 'Version',
    value: '1.0',
    description: 'The actual version of the standard applying to the embedded XML document',
  },
  { name: 'ConformanceLevel', value: 'EN 16931', description: 'The conformance level of the embedded XML document' },
] as const;

/**
 * Embeds the invoice's XML as Factur-X requires: as an associated file that is an alternative of the pages, with
 * metadata. Drafts and void invoices have no XML, so that no program books them. Without the data for EN 16931, there
 * is no XML, and the PDF does not claim to have one.
 */
export function attachFacturX(document: PDFKit.PDFDocument, invoice: InvoiceDocument): void {
  const { number, issueDate, status } = invoice;
  if (number === null || issueDate === null || status === 'void' || missingForEInvoice(invoice).length > 0) return;
  const date = new Date(`${issueDate}T00:00:00Z`);
  const options = {
    name: fileName,
    type: 'text/xml',
    description: 'Factur-X / ZUGFeRD, EN 16931',
    relationship: 'Alternative',
    creationDate: date,
    modifiedDate: date,
  };
  document.file(Buffer.from(facturX(invoice)), options);
  document.appendXML(metadata());
}

function metadata(): string {
  const values = properties.map(({ name, value }) => `<fx:${name}>${value}</fx:${name}>`).join('');
  const schema = properties.map(
    ({ name, description }) =>
      `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name>` +
      '<pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category>' +
      `<pdfaProperty:description>${description}</pdfaProperty:description></rdf:li>`,
  );
  return (
    `<rdf:Description rdf:about="" xmlns:fx="${namespace}">${values}</rdf:Description>` +
    '<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" ' +
    'xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">' +
    '<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">' +
    '<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>' +
    `<pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix>` +
    `<pdfaSchema:property><rdf:Seq>${schema.join('')}</rdf:Seq></pdfaSchema:property>` +
    '</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>'
  );
}
