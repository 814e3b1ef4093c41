import type { PaymentLink } from '../../api/link.ts';
import { type StateTable, statusChip } from '../controls/status-chip.ts';
import { moneyWords } from '../controls/values.ts';

const states: StateTable = {
  open: ['Open', 'good'],
  not_started: ['Not open yet', 'busy'],
  disabled: ['Off', 'plain'],
  expired: ['Ended', 'plain'],
  used: ['Used up', 'plain'],
};

/** Whether payers can pay by the link now. */
export const linkChip = ({ state }: PaymentLink) => statusChip(state, states);

/** The title of the link for people. */
export const linkTitle = ({ description, reference, id }: PaymentLink): string => description || reference || id;

/** The price: `€42.00`, or the bounds of an amount that the payer chooses. */
export function priceWords({ amount, currency, custom_amount: chosen }: PaymentLink): string {
  if (amount !== null) return moneyWords(amount, currency);
  const { min, max } = chosen ?? {};
  if (min !== undefined && max !== undefined) return `${moneyWords(min, currency)} to ${moneyWords(max, currency)}`;
  if (min !== undefined) return `From ${moneyWords(min, currency)}`;
  if (max !== undefined) return `Up to ${moneyWords(max, currency)}`;
  return 'The payer chooses';
}

/** The uses of the link: `3 of 10 payments`, `1 payment`. */
export function usesWords({ uses, max_uses: most }: PaymentLink): string {
  const noun = (most ?? uses) === 1 ? 'payment' : 'payments';
  return most === null ? `${uses} ${noun}` : `${uses} of ${most} ${noun}`;
}

/** The received sums, one for each currency. */
export function receivedWords({ received, currency }: PaymentLink): string {
  if (received.length === 0) return moneyWords(0, currency);
  return received.map(sum => moneyWords(sum.amount, sum.currency)).join(' + ');
}
