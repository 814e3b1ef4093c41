import type { InvoiceContact } from '../../api/merchant.ts';
import type { PostalAddress } from '../../api/schema.ts';
import type { InvoiceSeller } from '../../core/invoice/invoice-document.ts';
import { languageOf } from '../../core/locale/locale.ts';
import { formatLocales } from '../../core/locale/locale-format.ts';
import { readImageHeader } from '../platform/image-header.ts';
import type { Merchant } from '../platform/merchant.ts';

/** The merchant's details that documents print. */
export interface PrintedSeller {
  readonly name: string;
  readonly email: string | null;
  readonly address: PostalAddress | null;
  readonly tax_id: string | null;
  readonly iban: string | null;
  readonly bic: string | null;
  readonly legal_registration?: string | null;
  readonly contact?: InvoiceContact | null;
}

/** The merchant's current details for a document. */
export function currentSeller(merchant: Merchant): PrintedSeller {
  const { name, supportEmail: email, address, taxId: tax_id, iban, bic } = merchant;
  const { legalRegistration: legal_registration, invoiceContact: contact } = merchant;
  return { name, email, address, tax_id, iban, bic, legal_registration, contact };
}

/** The seller of a document, with the merchant's current branding. */
export function documentSeller(
  { name, email, address, tax_id: taxId, iban, bic, legal_registration: legalRegistration, contact }: PrintedSeller,
  { branding }: Pick<Merchant, 'branding'>,
  locale: string,
): InvoiceSeller {
  return {
    name,
    email,
    taxId,
    iban,
    bic,
    ...documentAddress(address, locale),
    legalRegistration: legalRegistration ?? null,
    contact: contact ?? null,
    logo: logoOf(branding.logo),
    primaryColor: branding.primary_color,
  };
}

/** A postal address for a document: its printed lines and its parts. */
export function documentAddress(address: PostalAddress | null, locale: string) {
  const part = (text: string | undefined) => text?.trim() || null;
  return {
    addressLines: addressLines(address, locale),
    country: address?.country ?? null,
    address: address && {
      line1: part(address.line1),
      line2: part(address.line2),
      city: part(address.city),
      state: part(address.state),
      postalCode: part(address.postal_code),
    },
  };
}

/** The lines of a printed address. The country's name is in the language of `locale`. */
export function addressLines(address: PostalAddress | null, locale: string): string[] {
  if (address === null) return [];
  const { line1, line2, city, state, postal_code: postalCode, country } = address;
  const name = country && countryName(country, locale);
  const lines = isJapanese(address, locale)
    ? [postalCode && `〒${postalCode.replace('〒', '')}`, joined(state, city), line1, line2, name]
    : [line1, line2, [postalCode, city, state].filter(Boolean).join(' '), name];
  return lines.filter(line => line !== undefined).filter(line => line !== '');
}

const japaneseScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Whether the address is written in Japanese order: postal code, prefecture, city, street. An address in Latin script
 * uses the international order if the language is not Japanese (Universal Postal Union, addressing in Japan).
 */
function isJapanese({ country, ...parts }: PostalAddress, locale: string): boolean {
  const isInJapanese = languageOf(locale) === 'ja';
  if (country === undefined) return isInJapanese;
  return (
    country.toUpperCase() === 'JP' && (isInJapanese || Object.values(parts).some(part => japaneseScript.test(part)))
  );
}

/** Prefecture and city. Japanese script has no space between them. */
function joined(state = '', city = ''): string {
  return `${state}${japaneseScript.test(state + city) ? '' : ' '}${city}`.trim();
}

function countryName(code: string, locale: string): string {
  return new Intl.DisplayNames(formatLocales(locale), { type: 'region' }).of(code) ?? code;
}

/** The merchant's logo if the setting is a data URL, otherwise null. Drawing a document never fetches an image. */
function logoOf(logo: string | null): InvoiceSeller['logo'] {
  const base64 = logo?.match(/^data:image\/\w+;base64,(.+)$/)?.[1];
  if (base64 === undefined) return null;
  const bytes = Buffer.from(base64, 'base64');
  const header = readImageHeader(bytes);
  return header && { type: header.type, bytes };
}
