import { html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { moneyOf, moneyWords } from '../controls/values.ts';
import { methodWords, paymentChip } from './payment-states.ts';

/** The columns of lists of payments. */
export const paymentColumns: readonly Column<Payment>[] = [
  { label: 'Payer', share: 2, cell: payerCell },
  { label: 'Method', share: 1.6, cell: payment => methodWords(payment).replace(' ••••', '') },
  { label: 'State', share: 1.1, inCard: 'last', cell: paymentChip },
  { label: 'Amount', share: 1.4, align: 'end', inCard: 'value', cell: amountCell },
  { label: 'When', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

function payerCell({ customer, reference, id }: Payment): TemplateResult {
  const first = customer?.name || customer?.email || reference || id;
  const second = [customer?.name ? customer.email : null, reference].filter(text => text && text !== first);
  return html`${first}${second.length === 0 ? nothing : html`<div class="second-line">${second.join(' · ')}</div>`}`;
}

function amountCell(payment: Payment): TemplateResult {
  const { amount, amount_received: received, currency, status } = payment;
  if (status !== 'pending' || received === 0 || received === amount) return moneyOf(amount, currency);
  return html`<bdi class="figure">${moneyWords(received, currency)} of ${moneyWords(amount, currency)}</bdi>`;
}
