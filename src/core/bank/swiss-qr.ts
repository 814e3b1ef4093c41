import { formatUnits, parseUnits } from '../money.ts';
import { isIban } from './iban.ts';
import { mostCents, oneLine } from './qr-fields.ts';

/** A party of a Swiss bill, with a structured address (type S, the only type since November 2025). */
export interface SwissParty {
  readonly name: string;
  readonly street: string;
  readonly buildingNumber: string;
  readonly postalCode: string;
  readonly town: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** A bill that Swiss banks read. */
export interface SwissBill {
  /** An IBAN of Switzerland or Liechtenstein, in electronic form. */
  readonly iban: string;
  readonly creditor: SwissParty;
  /** Rappen or euro cents. */
  readonly amount: bigint;
  readonly currency: 'CHF' | 'EUR';
  readonly debtor: SwissParty | null;
  /** The remittance text, at most 140 characters. */
  readonly message: string;
  /** A QR reference. A QR-IBAN requires it; for another IBAN it must be null. */
  readonly reference: string | null;
}

/**
 * The characters of the bill: Latin letters with and without accents, and `€` (Implementation Guidelines QR-bill 2.3,
 * 4.1.1). Banks cannot read other characters.
 */
const writable = /^[\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u20ac]*$/;

/** Maximum lengths of a party's name, street, building number, postal code, town and country. */
const longest = [70, 70, 16, 16, 35, 2];
/** Positions of the debtor's seven lines, and of reference and message, in the payload. */
const debtorAt = 20;
const referenceAt = 28;

/**
 * Payload of the QR code on a Swiss bill: Swiss Payments Code 0200 (Swiss Implementation Guidelines QR-bill). Its
 * reference type is QRR with a reference, otherwise NON. Null for an invalid IBAN or one of another country, a QR-IBAN
 * without reference, or a reference with another IBAN. Null for a creditor without name, postal code, town or country.
 * Null for an amount outside of 0.01 to 999,999,999.99. Null for a creditor or message with characters that are not
 * `writable`, and for a message of more than 140 characters. A debtor that the bill cannot show stays blank, and the
 * payer writes it by hand.
 */
export function swissQrPayload({
  iban,
  creditor,
  amount,
  currency,
  debtor,
  message,
  reference,
}: SwissBill): string | null {
  const text = fieldText(message);
  const isSwiss = /^(CH|LI)/.test(iban) && isIban(iban) && isQrIban(iban) === (reference !== null);
  if (!isSwiss || !canShow(creditor) || amount < 1n || amount > mostCents) return null;
  if (text.length > 140 || !writable.test(text)) return null;
  return [
    ...['SPC', '0200', '1', iban],
    ...partyLines(creditor),
    // The fields of the ultimate creditor are reserved for later use.
    ...Array<string>(7).fill(''),
    ...[formatUnits(amount, 2), currency],
    ...(debtor !== null && canShow(debtor) ? partyLines(debtor) : Array<string>(7).fill('')),
    ...[reference === null ? 'NON' : 'QRR', reference ?? '', text, 'EPD'],
  ].join('\n');
}

/** The bill in a payload of `swissQrPayload`, or null for another text. */
export function readSwissQr(payload: string): SwissBill | null {
  const lines = payload.split('\n');
  const amount = parseUnits(lines[18] ?? '', 2);
  const currency = lines[19];
  if (lines[0] !== 'SPC' || amount === null || (currency !== 'CHF' && currency !== 'EUR')) return null;
  const creditor = partyOf(lines.slice(4, 11));
  if (creditor === null) return null;
  const debtor = partyOf(lines.slice(debtorAt, debtorAt + 7));
  const [reference = '', message = ''] = lines.slice(referenceAt);
  return { iban: lines[3] ?? '', creditor, amount, currency, debtor, message, reference: reference || null };
}

function partyLines(party: SwissParty): string[] {
  const { name, street, buildingNumber, postalCode, town, country } = party;
  const parts = [name, street, buildingNumber, postalCode, town, country];
  return ['S', ...parts.map((part, index) => [...fieldText(part)].slice(0, longest[index]).join('').trim())];
}

function partyOf([type, ...parts]: readonly string[]): SwissParty | null {
  const [name = '', street = '', buildingNumber = '', postalCode = '', town = '', country = ''] = parts;
  return type === 'S' ? { name, street, buildingNumber, postalCode, town, country } : null;
}

/** Whether the party has the fields that a bill needs, in the bill's characters. */
function canShow(party: SwissParty): boolean {
  const { name, postalCode, town, country } = party;
  const isComplete = [name, postalCode, town].every(part => fieldText(part) !== '') && /^[A-Z]{2}$/.test(country);
  return isComplete && Object.values(party).every(part => writable.test(fieldText(part)));
}

function fieldText(text: string): string {
  return oneLine(text.normalize('NFC'));
}

/** Whether the IBAN is a QR-IBAN: institution numbers 30000 to 31999 require a QR reference. */
export function isQrIban(iban: string): boolean {
  return /^(CH|LI)..3[01]/.test(iban);
}

/** Digits of a QR reference before its check digit. */
const referenceDigits = 26;

/**
 * The QR reference of an invoice number: its digits, and two digits for each letter (`A` is 10). Only the last 26
 * digits count. A check digit by modulo 10 recursive follows.
 */
export function qrReference(number: string): string {
  const digits = Array.from(number.toUpperCase().replace(/[^0-9A-Z]/g, ''), sign => Number.parseInt(sign, 36)).join('');
  const reference = digits.slice(-referenceDigits).padStart(referenceDigits, '0');
  return reference + checkDigit(reference);
}

/** The table for modulo 10 recursive: each row begins with another digit of this sequence (SIX, Annex B). */
const sequence = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];

function checkDigit(digits: string): number {
  let carry = 0;
  for (const digit of digits) carry = sequence[(carry + Number(digit)) % 10] ?? 0;
  return (10 - carry) % 10;
}

/** The reference in its printed groups: two digits, then groups of five. */
export function formatQrReference(reference: string): string {
  return `${reference.slice(0, 2)} ${reference.slice(2).replace(/(.{5})(?=.)/g, '$1 ')}`;
}
