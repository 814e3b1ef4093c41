import { currencyDecimals } from '../../../core/currency.ts';
import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import { facturX } from './factur-x.ts';

const fileName = 'factur-x.xml';
const namespace = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';

/** What the extension schema says of each property, and its value for this profile. */
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
 * with their PDF/A extension schema. A void invoice carries no XML, so that no program books it. Neither does an
 * invoice in a currency of three decimals, which EN 16931 excludes (BR-DEC).
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
