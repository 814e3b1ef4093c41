import { isQrIban, qrReference } from '../../../core/bank/swiss-qr.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import type { InvoiceBuyer, InvoiceDocument, InvoiceSeller } from '../../../core/invoice/invoice-document.ts';
import { formatUnits } from '../../../core/money.ts';
import {
  buyersReference,
  isBlank,
  isVatNumber,
  missingForEInvoice,
  plainId,
  type XmlFormat,
} from './e-invoice-data.ts';
import { groupByTax, lineItem, type TaxGroup } from './factur-x-line.ts';
import { writeXml, type XmlContent, type XmlElements } from './xml-writer.ts';

const namespaces = {
  '@xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  '@xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  '@xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
  '@xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
};
/** BT-24: the profile EN 16931 of Factur-X and ZUGFeRD, or XRechnung 3.0. */
const guidelines: Readonly<Record<XmlFormat, string>> = {
  en16931: 'urn:cen.eu:en16931:2017',
  xrechnung: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
};
/** BT-23: the process of Peppol BIS Billing, which XRechnung asks for. */
const process = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';
/** UNCL 1001: commercial invoice, credit note. */
const typeCodes = { invoice: '380', credit_note: '381' } as const;

/**
 * The invoice as the XML of Factur-X 1.0 / ZUGFeRD 2, profile EN 16931 (UN/CEFACT Cross Industry Invoice), or as
 * XRechnung in the same syntax. Lines contain all discounts, so amounts obey BR-CO-10 to BR-CO-16. A group's tax is the
 * sum of the printed line taxes. It may differ from rate × base by rounding (BR-CO-17). `missingForEInvoice` names the
 * details that the rules need. Throws RangeError for a draft, which has no number and no date.
 */
export function eInvoiceXml(invoice: InvoiceDocument, format: XmlFormat = 'en16931'): string {
  const { number, issueDate, kind, memo, footer, lines, currency } = invoice;
  if (number === null || issueDate === null) throw new RangeError('a draft has no XML');
  const { treated, groups } = groupByTax(lines);
  const notes = [memo, footer].filter(note => !isBlank(note));
  return writeXml('rsm:CrossIndustryInvoice', {
    ...namespaces,
    'rsm:ExchangedDocumentContext': {
      'ram:BusinessProcessSpecifiedDocumentContextParameter': format === 'xrechnung' ? { 'ram:ID': process } : null,
      'ram:GuidelineSpecifiedDocumentContextParameter': { 'ram:ID': guidelines[format] },
    },
    'rsm:ExchangedDocument': {
      'ram:ID': number,
      'ram:TypeCode': typeCodes[kind],
      'ram:IssueDateTime': dateString('udt', issueDate),
      'ram:IncludedNote': notes.map(note => ({ 'ram:Content': note })),
    },
    'rsm:SupplyChainTradeTransaction': {
      'ram:IncludedSupplyChainTradeLineItem': treated.map(({ line, tax }, at) => lineItem(line, at, currency, tax)),
      'ram:ApplicableHeaderTradeAgreement': agreement(invoice, groups),
      'ram:ApplicableHeaderTradeDelivery': delivery(invoice, groups),
      'ram:ApplicableHeaderTradeSettlement': settlement(invoice, groups, format),
    },
  });
}

function agreement(invoice: InvoiceDocument, groups: readonly TaxGroup[]): XmlElements {
  const { orderNumber, seller, buyer } = invoice;
  // An invoice outside of VAT contains no VAT number (BR-O-02).
  const isOutside = groups.some(({ category }) => category === 'O');
  const isVat = (taxId: string | null) => taxId !== null && isVatNumber(taxId) && !isOutside;
  const registration = seller.legalRegistration ?? null;
  return {
    'ram:BuyerReference': buyersReference(invoice),
    'ram:SellerTradeParty': {
      // Without a VAT number, the register entry (BT-30) or else BT-29 identifies the seller (BR-CO-26).
      'ram:ID': isVat(seller.taxId) || registration !== null ? null : seller.taxId,
      'ram:Name': seller.name,
      'ram:SpecifiedLegalOrganization': registration && { 'ram:ID': registration },
      'ram:DefinedTradeContact': sellerContact(seller),
      ...addressOf(seller),
      'ram:SpecifiedTaxRegistration': taxRegistration(seller.taxId, isVat(seller.taxId) ? 'VA' : 'FC'),
    },
    'ram:BuyerTradeParty': {
      'ram:Name': isBlank(buyer.name) ? (buyer.email ?? '-') : buyer.name,
      'ram:SpecifiedLegalOrganization': buyer.taxId === null || isVat(buyer.taxId) ? null : { 'ram:ID': buyer.taxId },
      ...addressOf(buyer),
      'ram:SpecifiedTaxRegistration': isVat(buyer.taxId) ? taxRegistration(buyer.taxId, 'VA') : null,
    },
    'ram:BuyerOrderReferencedDocument': orderNumber == null ? null : { 'ram:IssuerAssignedID': orderNumber },
  };
}

/** BG-6: the person whom the buyer may ask. */
function sellerContact({ contact, email }: InvoiceSeller): XmlContent {
  if (contact == null) return null;
  const address = contact.email ?? email;
  return {
    'ram:PersonName': contact.name,
    'ram:TelephoneUniversalCommunication': contact.phone && { 'ram:CompleteNumber': contact.phone },
    'ram:EmailURIUniversalCommunication': address && { 'ram:URIID': address },
  };
}

function addressOf(party: InvoiceSeller | InvoiceBuyer): XmlElements {
  const { email } = party;
  return {
    'ram:PostalTradeAddress': postalAddress(party),
    'ram:URIUniversalCommunication': email === null ? null : { 'ram:URIID': { '@schemeID': 'EM', '#': email } },
  };
}

function postalAddress({ address, addressLines, country }: InvoiceSeller | InvoiceBuyer): XmlContent {
  const countryId = country?.toUpperCase() ?? null;
  if (address != null) {
    return {
      'ram:PostcodeCode': address.postalCode,
      'ram:LineOne': address.line1,
      'ram:LineTwo': address.line2,
      'ram:CityName': address.city,
      'ram:CountryID': countryId,
      'ram:CountrySubDivisionName': address.state,
    };
  }
  const [first = null, second = null, ...rest] = addressLines.filter(line => line.trim() !== '');
  if (first === null && countryId === null) return null;
  return {
    'ram:LineOne': first,
    'ram:LineTwo': second,
    'ram:LineThree': rest.length === 0 ? null : rest.join(', '),
    'ram:CountryID': countryId,
  };
}

/** The day of delivery. A supply to another EU country also has an address of delivery (BR-IC-12). */
function delivery({ deliveryDate, buyer }: InvoiceDocument, groups: readonly TaxGroup[]): XmlElements {
  const isIntraEu = groups.some(({ category }) => category === 'K');
  // CII requires this element, even an empty one.
  if (!isIntraEu && deliveryDate == null) return {};
  return {
    'ram:ShipToTradeParty': isIntraEu ? { 'ram:PostalTradeAddress': postalAddress(buyer) } : null,
    'ram:ActualDeliverySupplyChainEvent':
      deliveryDate == null ? null : { 'ram:OccurrenceDateTime': dateString('udt', deliveryDate) },
  };
}

function taxRegistration(taxId: string | null, scheme: 'VA' | 'FC'): XmlContent {
  if (taxId === null) return null;
  return { 'ram:ID': { '@schemeID': scheme, '#': scheme === 'VA' ? plainId(taxId) : taxId } };
}

function settlement(invoice: InvoiceDocument, groups: readonly TaxGroup[], format: XmlFormat): XmlElements {
  const { number, currency, exchangeRate, corrects, period = null } = invoice;
  const { iban } = invoice.seller;
  return {
    'ram:PaymentReference': number && iban !== null && isQrIban(iban) ? qrReference(number) : number,
    'ram:TaxCurrencyCode': exchangeRate?.currency ?? null,
    'ram:InvoiceCurrencyCode': currency,
    'ram:SpecifiedTradeSettlementPaymentMeans': paymentMeans(invoice, format),
    'ram:ApplicableTradeTax': groups.map(group => taxOf(group, currency, format)),
    'ram:BillingSpecifiedPeriod': period && {
      'ram:StartDateTime': dateString('udt', period.startsOn),
      'ram:EndDateTime': dateString('udt', period.endsOn),
    },
    'ram:SpecifiedTradePaymentTerms': paymentTerms(invoice),
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation': summation(invoice, groups),
    'ram:InvoiceReferencedDocument': corrects && {
      'ram:IssuerAssignedID': corrects.number,
      'ram:FormattedIssueDateTime': dateString('qdt', corrects.issueDate),
    },
  };
}

/**
 * UNCL 4461: 58 is a SEPA credit transfer, 30 another credit transfer, and 68 an online payment service. A credit note
 * has 1 (not defined) as XRechnung, and no code otherwise.
 */
function paymentMeans({ seller, currency, payUrl, kind }: InvoiceDocument, format: XmlFormat): XmlContent {
  const { iban, bic } = seller;
  if (kind === 'credit_note' && format === 'xrechnung') return { 'ram:TypeCode': '1' };
  if (kind === 'credit_note' || (iban === null && payUrl === null)) return null;
  if (iban === null) return { 'ram:TypeCode': '68' };
  return {
    'ram:TypeCode': currency === 'EUR' ? '58' : '30',
    'ram:PayeePartyCreditorFinancialAccount': { 'ram:IBANID': iban },
    'ram:PayeeSpecifiedCreditorFinancialInstitution': bic === null ? null : { 'ram:BICID': bic },
  };
}

/** A tax of the invoice (BG-23). XRechnung asks for a rate even outside of VAT (BR-DE-14). */
function taxOf(group: TaxGroup, currency: string, format: XmlFormat): XmlElements {
  const { category, base, amount, reason, reasonCode, rate } = group;
  const decimals = currencyDecimals(currency);
  return {
    'ram:CalculatedAmount': formatUnits(amount, decimals),
    'ram:TypeCode': 'VAT',
    'ram:ExemptionReason': reason,
    'ram:BasisAmount': formatUnits(base, decimals),
    'ram:CategoryCode': category,
    'ram:ExemptionReasonCode': reasonCode,
    'ram:RateApplicablePercent': category === 'O' && format !== 'xrechnung' ? null : rate,
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
  if (number === null || issueDate === null || status === 'void') return;
  const xml = invoice.xml === undefined ? ownXml(invoice) : invoice.xml;
  if (xml === null) return;
  const date = new Date(`${issueDate}T00:00:00Z`);
  const options = {
    name: fileName,
    type: 'text/xml',
    description: 'Factur-X / ZUGFeRD, EN 16931',
    relationship: 'Alternative',
    creationDate: date,
    modifiedDate: date,
  };
  document.file(Buffer.from(xml), options);
  document.appendXML(metadata());
}

function ownXml(invoice: InvoiceDocument): string | null {
  return missingForEInvoice(invoice).length > 0 ? null : eInvoiceXml(invoice);
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
