import type { UpdateAccount } from '../../api/merchant.ts';
import type { PostalAddress } from '../../api/schema.ts';
import { isIban } from '../../core/bank/iban.ts';
import { PayError } from '../../core/error.ts';

/** What the numbers of credit notes start with. */
export const creditNotePrefix = 'CN-';

/** What a `PATCH /v1/account` changes of what invoices say of the merchant. Throws PayError naming the wrong field. */
export function invoicingChanges(body: UpdateAccount) {
  const { timezone, address, tax_id: taxId, bank_account: account, invoice_prefix: invoicePrefix } = body;
  if (timezone !== undefined && !isTimeZone(timezone)) {
    const message = 'timezone takes an IANA name like Europe/Berlin.';
    throw new PayError('parameter_invalid', message, { param: 'timezone' });
  }
  if (invoicePrefix !== undefined) numberPrefix(invoicePrefix, 'invoice_prefix');
  return {
    timezone,
    address: address == null ? address : plainAddress(address),
    taxId: taxId?.trim() ?? taxId,
    iban: account == null ? account : ibanOf(account.iban),
    bic: account == null ? account : bicOf(account.bic ?? null),
    invoicePrefix,
  };
}

/**
 * The prefix of invoice numbers with a mark at its end that keeps it apart from the number: `INV` and `INV-` are one.
 * Throws `parameter_invalid` naming `param` for the credit notes' own: their numbers would be missing among the invoices'.
 */
export function numberPrefix(text: string, param: string): string {
  const prefix = /[A-Za-z0-9]$/.test(text) ? `${text}-` : text;
  if (prefix.toUpperCase() !== creditNotePrefix) return prefix;
  const message = `${param}: numbers that start with ${creditNotePrefix} are those of credit notes. Take another prefix.`;
  throw new PayError('parameter_invalid', message, { param });
}

/** The address with its country in capitals and without what is blank; null when nothing is left. */
export function plainAddress(address: PostalAddress): PostalAddress | null {
  const kept = Object.entries(address).flatMap(([name, text]) => {
    const value = String(text).trim();
    return value === '' ? [] : [[name, name === 'country' ? value.toUpperCase() : value]];
  });
  return kept.length === 0 ? null : (Object.fromEntries(kept) as PostalAddress);
}

/** Whether the text is a time zone by its IANA name. Offsets are refused: a place's days change with its summer time. */
export function isTimeZone(text: string): boolean {
  try {
    return (
      /^[A-Za-z]/.test(text) && new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
    );
  } catch {
    return false;
  }
}

function ibanOf(text: string): string {
  if (isIban(text)) return text.replace(/[ \u00a0]/g, '').toUpperCase();
  throw new PayError('parameter_invalid', 'bank_account.iban is no IBAN: check its digits.', {
    param: 'bank_account.iban',
  });
}

function bicOf(text: string | null): string | null {
  const bic = text === null || text.trim() === '' ? null : text.trim().toUpperCase();
  if (bic === null || /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bic)) return bic;
  throw new PayError('parameter_invalid', 'bank_account.bic takes 8 or 11 letters and digits.', {
    param: 'bank_account.bic',
  });
}
