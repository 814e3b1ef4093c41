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
  /** Of Switzerland or Liechtenstein, in electronic form. */
  readonly iban: string;
  readonly creditor: SwissParty;
  /** Rappen or euro cents. */
  readonly amount: bigint;
  readonly currency: 'CHF' | 'EUR';
  readonly debtor: SwissParty | null;
  /** The remittance text, at most 140 characters. */
  readonly message: string;
}

/** The largest lengths of a party's name, street, building number, postal code, town and country. */
const longest = [70, 70, 16, 16, 35, 2];
/** Positions of the debtor's seven lines and of the message in the payload; creditor and amount precede them. */
const debtorAt = 20;
const messageAt = 29;

/**
 * Payload of the QR code on a Swiss bill: Swiss Payments Code 0200 (Swiss Implementation Guidelines QR-bill). Its
 * reference type is NON. Null for a QR-IBAN, which requires a QR reference, and for an IBAN of another country. Null
 * also for a party without town or country, or an amount outside of 0.01 to 999,999,999.99.
 */
export function swissQrPayload({ iban, creditor, amount, currency, debtor, message }: SwissBill): string | null {
  const text = oneLine(message);
  const isSwiss = /^(CH|LI)/.test(iban) && isIban(iban) && !isQrIban(iban);
  if (!isSwiss || !isComplete(creditor) || amount < 1n || amount > mostCents || text.length > 140) return null;
  return [
    ...['SPC', '0200', '1', iban],
    ...partyLines(creditor),
    // The ultimate creditor is reserved for later use.
    ...Array<string>(7).fill(''),
    ...[formatUnits(amount, 2), currency],
    ...(debtor !== null && isComplete(debtor) ? partyLines(debtor) : Array<string>(7).fill('')),
    ...['NON', '', text, 'EPD'],
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
  return { iban: lines[3] ?? '', creditor, amount, currency, debtor, message: lines[messageAt] ?? '' };
}

function partyLines(party: SwissParty): string[] {
  const { name, street, buildingNumber, postalCode, town, country } = party;
  const parts = [name, street, buildingNumber, postalCode, town, country];
  return ['S', ...parts.map((part, index) => [...oneLine(part)].slice(0, longest[index]).join('').trim())];
}

function partyOf([type, ...parts]: readonly string[]): SwissParty | null {
  const [name = '', street = '', buildingNumber = '', postalCode = '', town = '', country = ''] = parts;
  return type === 'S' ? { name, street, buildingNumber, postalCode, town, country } : null;
}

function isComplete({ name, postalCode, town, country }: SwissParty): boolean {
  return oneLine(name) !== '' && oneLine(postalCode) !== '' && oneLine(town) !== '' && /^[A-Z]{2}$/.test(country);
}

/** Institution numbers 30000 to 31999 belong to accounts that require a QR reference. */
function isQrIban(iban: string): boolean {
  return /^3[01]/.test(iban.slice(4, 6));
}
