import { html, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { cardName } from '../../core/locale/part-name.ts';
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
}: Pick<Payment, 'phase' | 'exception' | 'requires_decision' | 'amount_disputed'>): TemplateResult {
  if (exception === null || !isOpen) return disputed > 0 ? chip('Disputed', 'warn') : statusChip(phase, phases);
  return html`<span class="chip warn">${exceptions[exception] ?? sentenceCase(exception)}</span>`;
}

export const methods: Readonly<Record<string, string>> = {
  card: 'Card',
  bank_transfer: 'Bank transfer',
  crypto: 'Crypto',
};

/** How the payment was made, in words: `Visa •••• 4242`, `USDC on Stellar`, `SEPA transfer`. */
export function methodWords({ method, card, received, next_action: next }: Payment): string {
  if (card !== null) return cardName(card);
  const [part] = received;
  if (part?.chain) return `${part.asset.split(':')[0]} on ${sentenceCase(part.chain)}`;
  const rail = part?.rail ?? (next?.type === 'bank_instructions' ? next.rail : null);
  if (method === 'bank_transfer' && rail) return `${rail.toUpperCase()} transfer`;
  return method === null ? 'Not chosen yet' : (methods[method] ?? sentenceCase(method));
}
