import type { CreatePayout, CreatePayouts, PayoutDestination } from '../../../api/payout.ts';
import type { Recipient } from '../../../api/recipient.ts';
import { parseAmount } from '../../../core/typed-amount.ts';
import { decimalsOf } from '../../../element/money-text.ts';
import type { FormTexts } from '../../controls/action-dialog.ts';
import { typedDestination } from '../destination-fields.ts';

/** The value of the choice “Another destination”, which the person types. */
export const otherPlace = 'other';

/** The destination of the payout: one of the recipient's, or the typed destination. Null if none is typed. */
export function chosenDestination(texts: FormTexts, recipient: Recipient | null): PayoutDestination | null {
  const known = recipient?.destinations.find(({ id }) => id === placeOf(texts, recipient));
  return known?.destination ?? typedDestination(texts);
}

/** The id of the chosen destination, or `otherPlace`. By default, the recipient's default destination. */
export function placeOf(texts: FormTexts, recipient: Recipient): string {
  const places = recipient.destinations;
  const first = places.find(({ default: isDefault }) => isDefault) ?? places[0];
  const chosen = texts['place'] ?? '';
  const isThere = chosen === otherPlace || places.some(({ id }) => id === chosen);
  return isThere ? chosen : (first?.id ?? otherPlace);
}

export const currencyOf = (texts: FormTexts): string => (texts['currency'] ?? '').trim().toUpperCase();

/** The typed amount in minor units. Throws RangeError, with a message for the person, for zero and for other texts. */
function amountOf(texts: FormTexts): number {
  const currency = currencyOf(texts);
  const decimals = /^[A-Z]{3}$/.test(currency) ? decimalsOf(currency) : 2;
  const amount = parseAmount(texts['amount'] ?? '', decimals, '.');
  if (amount === null || amount === 0) throw new RangeError('Write the amount as a number, for example 42.50.');
  return amount;
}

/** The payout that the form describes. Throws RangeError, with a message for the person, for an invalid amount. */
export function typedPayout(texts: FormTexts, recipient: Recipient | null): CreatePayout {
  const destination = chosenDestination(texts, recipient);
  const textOf = (name: string) => texts[name]?.trim() || undefined;
  const [source, reference, description] = ['source_currency', 'reference', 'description'].map(textOf);
  return {
    ...(recipient !== null && { recipient_id: recipient.id }),
    amount: amountOf(texts),
    currency: currencyOf(texts),
    ...(destination !== null && { destination }),
    ...(source !== undefined && { source_currency: source }),
    ...(reference !== undefined && { reference }),
    ...(description !== undefined && { description }),
  };
}

/** The request for one payout: the payout, the time, and whether another person must approve. */
export function typedOrder(payout: CreatePayout, texts: FormTexts): CreatePayouts {
  const at = texts['schedule.at'];
  return {
    payouts: [payout],
    ...(at && { schedule: { type: 'scheduled', at: new Date(at).toISOString() } }),
    ...(texts['approval'] === 'yes' && { approval: { required: true } }),
  };
}
