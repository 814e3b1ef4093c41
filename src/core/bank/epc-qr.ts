import { formatUnits } from '../money.ts';
import { mostCents, oneLine } from './qr-fields.ts';
import { isSepaIban } from './sepa.ts';

/** The transfer that a bank app prepares for the payer. */
export interface EpcTransfer {
  readonly bic: string;
  /** The account holder. Cut after 70 characters, or earlier if the payload would become too long. */
  readonly name: string;
  /** In electronic form, without blanks. */
  readonly iban: string;
  /** Euro cents. Null: the sender chooses the amount. */
  readonly amount: bigint | null;
  /** The remittance text, at most 140 characters. */
  readonly text: string;
}

const longestName = 70;
const longestText = 140;
const mostBytes = 331;

/**
 * Payload of the QR code that European bank apps read: EPC069-12, version 002, UTF-8, SEPA credit transfer. The text is
 * unstructured remittance, which the payer's bank forwards unchanged. Encode the payload with error correction level M.
 * The maximum of 331 bytes then fits into version 13, the largest allowed. Null without a name, for an account outside
 * of SEPA, and for a text of more than 140 characters or too many bytes. Also null for an amount outside of 0.01 to
 * 999,999,999.99 euros.
 */
export function epcPayload(transfer: EpcTransfer): string | null {
  const name = [...oneLine(transfer.name)].slice(0, longestName);
  const text = oneLine(transfer.text);
  const { amount } = transfer;
  if (!isSepaIban(transfer.iban)) return null;
  if (amount !== null && (amount < 1n || amount > mostCents)) return null;
  if (text.length > longestText) return null;
  while (name.length > 0) {
    const payload = lines(transfer, name.join('').trim(), text);
    if (new TextEncoder().encode(payload).length <= mostBytes) return payload;
    name.pop();
  }
  return null;
}

/**
 * One field per line: tag, version, character set, identification, BIC, name, IBAN, amount, purpose, reference, text.
 */
function lines({ bic, iban, amount }: EpcTransfer, name: string, text: string): string {
  const sum = amount === null ? '' : `EUR${formatUnits(amount, 2)}`;
  return ['BCD', '002', '1', 'SCT', bic, name, iban, sum, '', '', text].join('\n');
}
