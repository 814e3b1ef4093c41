import type { PaymentException } from '../../../api/payment.ts';
import { type AttentionSource, attentionIn } from '../../platform/db/attention.ts';

const exceptions = [
  'underpaid',
  'overpaid',
  'paid_late',
  'wrong_asset',
  'wrong_network',
] as const satisfies readonly PaymentException[];

/** What of payments waits for the merchant. */
export const paymentAttention: Readonly<Record<string, AttentionSource>> = {
  ...Object.fromEntries(
    exceptions.map(exception => [
      `payments_${exception}`,
      attentionIn('payments', { exception: [exception] }, `/v1/payments?exception=${exception}`),
    ]),
  ),
  payments_to_capture: attentionIn('payments', { phase: ['authorized'] }, '/v1/payments?phase=authorized'),
  settlements_failed: attentionIn(
    'payments',
    { settlement_status: ['failed'] },
    '/v1/payments?settlement_status=failed',
  ),
  refunds_without_destination: attentionIn(
    'refunds',
    { requires_destination: [true], status: ['pending'] },
    '/v1/refunds?status=pending',
  ),
  transfers_unmatched: attentionIn('transfers', { status: ['unmatched'] }, '/v1/transfers?status=unmatched'),
};
