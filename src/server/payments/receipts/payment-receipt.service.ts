import { PayError } from '../../../core/error.ts';
import { moneyText, numberText } from '../../../core/locale/locale-format.ts';
import { type DrawingReader, drawPaymentReceipt, type PaymentReceiptOrder } from '../../documents/documents.ts';
import { currentSeller, documentSeller } from '../../merchants/document-party.ts';
import { dayIn } from '../../platform/local-day.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { PaymentRow } from '../tables.ts';
import { countedParts, phoneOf, type ReceivedPart, receivedToWire } from './received-part.ts';

/** The locale of the payment's receipt. The payment's page may have another locale, which its visitor prefers. */
export function receiptLocale({ locale }: Pick<PaymentRow, 'locale'>, merchant: Pick<Merchant, 'locale'>): string {
  return locale ?? merchant.locale;
}

/** The amount of a part as it was sent: `€64.20`, `139.956 USDC`. */
export function sentText(part: ReceivedPart, locale: string): string {
  const { chain, currency, amount } = part;
  if (chain === null) return moneyText(BigInt(amount), currency, locale);
  return `${numberText(receivedToWire(part).amount, locale)} ${currency.split(':')[0]}`;
}

/**
 * Draws the receipt of a completed payment as PDF/A-3b. The default locale is the payment's. Throws `illegal_state`
 * before the payment is completed.
 */
export async function drawReceiptOf(
  row: PaymentRow,
  merchant: Merchant,
  reader?: DrawingReader,
  locale = receiptLocale(row, merchant),
): Promise<Buffer> {
  if (row.completed_at === null) {
    throw new PayError('illegal_state', 'The payment is not completed. Its receipt exists once it is.');
  }
  return await drawPaymentReceipt(receiptOrder({ row, merchant, locale, completedAt: row.completed_at }), reader);
}

interface Completed {
  readonly row: PaymentRow;
  readonly merchant: Merchant;
  readonly locale: string;
  readonly completedAt: Date;
}

function receiptOrder({ row, merchant, locale, completedAt }: Completed): PaymentReceiptOrder {
  const { timezone } = merchant;
  return {
    seller: documentSeller(currentSeller(merchant), merchant, locale),
    buyer: { name: row.customer_name, email: row.customer_email, taxId: null, addressLines: [], country: null },
    number: row.id,
    livemode: row.livemode,
    locale,
    currency: row.currency,
    reference: row.reference,
    description: row.description,
    paidOn: dayIn(timezone, completedAt),
    items: (row.line_items ?? []).map(({ name, quantity, amount }) => ({ name, quantity, amount: BigInt(amount) })),
    received: row.amount_received,
    refunded: row.amount_refunded,
    parts: countedParts(row.received).map(part => ({
      method: part.method,
      rail: part.rail,
      chain: part.chain,
      asset: part.currency,
      card: part.card,
      phone: phoneOf(part, row),
      sent: sentText(part, locale),
      credited: BigInt(part.credited),
      transaction: part.tx_hash,
      day: dayIn(timezone, new Date(part.at)),
    })),
  };
}
