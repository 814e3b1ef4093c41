import { html, type TemplateResult } from 'lit';
import type { Payment, PaymentMethod } from '../../api/payment.ts';
import { cardName } from '../../core/locale/part-name.ts';
import { walletName } from '../../core/locale/way-name.ts';
import { chip, type StateTable, sentenceCase, statusChip } from '../controls/status-chip.ts';

/** Words and tones of the phases of a payment. */
export const phases: StateTable = {
  awaiting_payer: ['Waiting', 'plain'],
  requires_action: ['At the bank', 'busy'],
  awaiting_funds: ['Waiting', 'plain'],
  partially_paid: ['Part paid', 'warn'],
  confirming: ['Confirming', 'busy'],
  processing: ['Processing', 'busy'],
  authorized: ['Authorized', 'busy'],
  paid: ['Paid', 'good'],
  partially_refunded: ['Part refunded', 'plain'],
  declined: ['Declined', 'bad'],
  expired: ['Expired', 'plain'],
  canceled: ['Canceled', 'plain'],
  refunded: ['Refunded', 'plain'],
};

/** Words of exceptions. */
export const exceptions: Readonly<Record<string, string>> = {
  underpaid: 'Underpaid',
  overpaid: 'Overpaid',
  paid_late: 'Paid late',
  wrong_asset: 'Wrong asset',
  wrong_network: 'Wrong network',
};

/** The chip of a payment. It shows an exception that needs a decision, otherwise a dispute, otherwise the phase. */
export function paymentChip({
  phase,
  exception,
  requires_decision: isOpen,
  amount_disputed: disputed,
  next_action: next,
}: Pick<Payment, 'phase' | 'exception' | 'requires_decision' | 'amount_disputed' | 'next_action'>): TemplateResult {
  if (exception === null || !isOpen) {
    if (disputed > 0) return chip('Disputed', 'warn');
    return next?.type === 'phone_prompt' ? chip('On the phone', 'busy') : statusChip(phase, phases);
  }
  return html`<span class="chip warn">${exceptions[exception] ?? sentenceCase(exception)}</span>`;
}

/** The names of the payment methods. */
export const methods = {
  card: 'Card',
  bank_transfer: 'Bank transfer',
  crypto: 'Crypto',
  mobile_money: 'Mobile money',
} as const satisfies Record<PaymentMethod, string>;

/** How the payment was made, in words: `Visa •••• 4242`, `MTN MoMo +256 772 123 456`, `USDC on Stellar`, `SEPA transfer`. */
export function methodWords({ method, card, mobile_money: wallet, received, next_action: next }: Payment): string {
  if (card !== null) return cardName(card);
  if (wallet !== null) return walletName(wallet);
  const [part] = received;
  if (part?.chain) return `${part.asset.split(':')[0]} on ${sentenceCase(part.chain)}`;
  const rail = part?.rail ?? (next?.type === 'bank_instructions' ? next.rail : null);
  if (method === 'bank_transfer' && rail) return `${rail.toUpperCase()} transfer`;
  if (next?.type === 'phone_prompt') return walletName(next);
  return method === null ? 'Not chosen yet' : (methods[method] ?? sentenceCase(method));
}
