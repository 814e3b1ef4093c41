import { currencyDecimals } from '../../../core/currency.ts';
import type { InvoiceBuyer, InvoiceDocument, InvoiceSeller } from '../../../core/invoice/invoice-document.ts';
import { formatUnits } from '../../../core/money.ts';
import { categoryOf, lineItem, type TaxGroup, taxGroups } from './factur-x-line.ts';
import { element, withAttributes, writeXml, type XmlElement } from './xml-writer.ts';

const namespaces = {
  'xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  'xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  'xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
  'xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
};
/** BT-24: the profile EN 16931 of Factur-X and ZUGFeRD. */
const guideline = 'urn:cen.eu:en16931:2017';
/** UNCL 1001: commercial invoice, credit note. */
const typeCodes = { invoice: '380', credit_note: '381' } as const;

/**
 * The invoice as the XML of Factur-X 1.0 / ZUGFeRD 2, profile EN 16931 (UN/CEFACT Cross Industry Invoice). Amounts obey
 * BR-CO-10 to BR-CO-16 because discounts are taken off in the lines. The tax of a group is the one that the invoice
 * shows; rounding of inclusive or parallel taxes may make it differ from rate × base (BR-CO-17). What the seller has
 * not told, like its country, is left out. Throws RangeError for an invoice without number and date.
 */
export function facturX(invoice: InvoiceDocument): string {
  const { number, issueDate, kind, memo, footer, lines, currency } = invoice;
  if (number === null || issueDate === null) throw new RangeError('a draft has no XML');
  const { groups, ofLine } = taxGroups(lines);
  const notes = [memo, footer].filter(note => note !== null && note.trim() !== '');
  return writeXml(
    withAttributes(
      element(
        'rsm:CrossIndustryInvoice',
        element(
          'rsm:ExchangedDocumentContext',
          element('ram:GuidelineSpecifiedDocumentContextParameter', element('ram:ID', guideline)),
        ),
        element(
          'rsm:ExchangedDocument',
          element('ram:ID', number),
          element('ram:TypeCode', typeCodes[kind]),
          element('ram:IssueDateTime', dateString('udt', issueDate)),
          ...notes.map(note => element('ram:IncludedNote', element('ram:Content', note))),
        ),
        element(
          'rsm:SupplyChainTradeTransaction',
          ...lines.flatMap((line, index) => {
            const tax = ofLine[index];
            return tax === undefined ? [] : [lineItem(line, index, currency, tax)];
          }),
          agreement(invoice, groups),
          element('ram:ApplicableHeaderTradeDelivery'),
          settlement(invoice, groups),
        ),
      ),
      namespaces,
    ),
  );
}

function agreement({ reference, seller, buyer }: InvoiceDocument, groups: readonly TaxGroup[]): XmlElement {
  // An invoice outside of VAT names no VAT number (BR-O-02).
  const isOutside = groups.some(({ category }) => category === 'O');
  return element(
    'ram:ApplicableHeaderTradeAgreement',
    reference === null ? null : element('ram:BuyerReference', reference),
    element('ram:SellerTradeParty', ...sellerParts(seller, isOutside)),
    element('ram:BuyerTradeParty', ...buyerParts(buyer, isOutside)),
  );
}

function sellerParts(seller: InvoiceSeller, isOutside: boolean): (XmlElement | null)[] {
  const { name, taxId } = seller;
  const scheme = taxId !== null && isVatNumber(taxId) && !isOutside ? 'VA' : 'FC';
  return [
    element('ram:Name', name),
    address(seller),
    mailbox(seller.email),
    taxId === null ? null : taxRegistration(scheme === 'VA' ? plainId(taxId) : taxId, scheme),
  ];
}

function buyerParts(buyer: InvoiceBuyer, isOutside: boolean): (XmlElement | null)[] {
  const { taxId } = buyer;
  const isVat = taxId !== null && isVatNumber(taxId) && !isOutside;
  return [
    element('ram:Name', buyer.name ?? buyer.email ?? '-'),
    taxId === null || isVat ? null : element('ram:SpecifiedLegalOrganization', element('ram:ID', taxId)),
    address(buyer),
    mailbox(buyer.email),
    taxId !== null && isVat ? taxRegistration(plainId(taxId), 'VA') : null,
  ];
}

function address({ addressLines, country }: Pick<InvoiceSeller, 'addressLines' | 'country'>): XmlElement | null {
  const [first, second, ...rest] = addressLines.filter(line => line.trim() !== '');
  if (first === undefined && country === null) return null;
  return element(
    'ram:PostalTradeAddress',
    first === undefined ? null : element('ram:LineOne', first),
    second === undefined ? null : element('ram:LineTwo', second),
    rest.length === 0 ? null : element('ram:LineThree', rest.join(', ')),
    country === null ? null : element('ram:CountryID', country.toUpperCase()),
  );
}

function mailbox(email: string | null): XmlElement | null {
  if (email === null) return null;
  return element('ram:URIUniversalCommunication', withAttributes(element('ram:URIID', email), { schemeID: 'EM' }));
}

function taxRegistration(id: string, schemeID: 'VA' | 'FC'): XmlElement {
  return element('ram:SpecifiedTaxRegistration', withAttributes(element('ram:ID', id), { schemeID }));
}

/** VAT numbers begin with the country (BR-CO-9). */
function isVatNumber(taxId: string): boolean {
  return /^[A-Z]{2}[0-9A-Z]{2,13}$/.test(plainId(taxId));
}

function plainId(taxId: string): string {
  return taxId.replace(/[\s.-]/g, '').toUpperCase();
}

function settlement(invoice: InvoiceDocument, groups: readonly TaxGroup[]): XmlElement {
  const { number, currency, exchangeRate, corrects } = invoice;
  return element(
    'ram:ApplicableHeaderTradeSettlement',
    number === null ? null : element('ram:PaymentReference', number),
    exchangeRate === null ? null : element('ram:TaxCurrencyCode', exchangeRate.currency),
    element('ram:InvoiceCurrencyCode', currency),
    paymentMeans(invoice),
    ...groups.map(group => taxOf(group, currency)),
    paymentTerms(invoice),
    summation(invoice, groups),
    corrects &&
      element(
        'ram:InvoiceReferencedDocument',
        element('ram:IssuerAssignedID', corrects.number),
        element('ram:FormattedIssueDateTime', dateString('qdt', corrects.issueDate)),
      ),
  );
}

/** UNCL 4461: SEPA credit transfer, credit transfer, online payment service. */
function paymentMeans({ seller, currency, payUrl, kind }: InvoiceDocument): XmlElement | null {
  const { iban, bic } = seller;
  if (kind === 'credit_note' || (iban === null && payUrl === null)) return null;
  if (iban === null) return element('ram:SpecifiedTradeSettlementPaymentMeans', element('ram:TypeCode', '68'));
  return element(
    'ram:SpecifiedTradeSettlementPaymentMeans',
    element('ram:TypeCode', currency === 'EUR' ? '58' : '30'),
    element('ram:PayeePartyCreditorFinancialAccount', element('ram:IBANID', iban)),
    bic === null ? null : element('ram:PayeeSpecifiedCreditorFinancialInstitution', element('ram:BICID', bic)),
  );
}

function taxOf(group: TaxGroup, currency: string): XmlElement {
  const { category, base, amount } = group;
  const decimals = currencyDecimals(currency);
  const reason = { S: null, Z: null, E: 'Exempt from VAT', O: 'Not subject to VAT' }[category];
  return element(
    'ram:ApplicableTradeTax',
    element('ram:CalculatedAmount', formatUnits(amount, decimals)),
    element('ram:TypeCode', 'VAT'),
    reason === null ? null : element('ram:ExemptionReason', reason),
    element('ram:BasisAmount', formatUnits(base, decimals)),
    ...categoryOf(group),
  );
}

/** When it is due; the parts of a payment plan in words, since the standard knows one date. */
function paymentTerms({ dueDate, installments, currency }: InvoiceDocument): XmlElement | null {
  if (dueDate === null && installments.length === 0) return null;
  const decimals = currencyDecimals(currency);
  const parts = installments.map(part => `${part.dueDate}: ${formatUnits(part.amount, decimals)} ${currency}`);
  return element(
    'ram:SpecifiedTradePaymentTerms',
    parts.length === 0 ? null : element('ram:Description', parts.join('\n')),
    dueDate === null ? null : element('ram:DueDateDateTime', dateString('udt', dueDate)),
  );
}

function summation(invoice: InvoiceDocument, groups: readonly TaxGroup[]): XmlElement {
  const { currency, exchangeRate, kind, total, amountRemaining } = invoice;
  const money = (amount: bigint) => formatUnits(amount, currencyDecimals(currency));
  const net = groups.reduce((sum, { base }) => sum + base, 0n);
  const tax = groups.reduce((sum, { amount }) => sum + amount, 0n);
  const due = kind === 'credit_note' ? total : amountRemaining;
  const inOther =
    exchangeRate &&
    taxTotal(formatUnits(exchangeRate.taxTotal, currencyDecimals(exchangeRate.currency)), exchangeRate.currency);
  return element(
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
    element('ram:LineTotalAmount', money(net)),
    element('ram:TaxBasisTotalAmount', money(net)),
    taxTotal(money(tax), currency),
    inOther,
    element('ram:GrandTotalAmount', money(net + tax)),
    due === total ? null : element('ram:TotalPrepaidAmount', money(total - due)),
    element('ram:DuePayableAmount', money(due)),
  );
}

function taxTotal(amount: string, currencyID: string): XmlElement {
  return withAttributes(element('ram:TaxTotalAmount', amount), { currencyID });
}

/** A day in the form 102 (CCYYMMDD) of UNCL 2379. */
function dateString(prefix: 'udt' | 'qdt', date: string): XmlElement {
  return withAttributes(element(`${prefix}:DateTimeString`, date.replaceAll('-', '')), { format: '102' });
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
 * Embeds the invoice's XML as Factur-X requires: an associated file that is an alternative of the pages, and metadata
 * with their PDF/A extension schema. Drafts have no XML. Neither has a void invoice, so that no program books it, nor
 * an invoice in a currency of three decimals, which EN 16931 excludes (BR-DEC).
 */
export function attachFacturX(document: PDFKit.PDFDocument, invoice: InvoiceDocument): void {
  const { number, issueDate, status, currency } = invoice;
  if (number === null || issueDate === null || status === 'void' || currencyDecimals(currency) > 2) return;
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
