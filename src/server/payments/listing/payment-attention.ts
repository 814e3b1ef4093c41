import type { PaymentException } from '../../../api/payment.ts';
import { type AttentionSource, attentionIn } from '../../platform/db/attention.ts';
import { settledOnStellar, undecided } from '../payment.store.ts';
import { exceptionsToDecide } from '../payment-funds.ts';

/** Payments with these exceptions need attention until the exception is cleared. */
const toReturn = ['wrong_asset', 'wrong_network'] as const satisfies readonly PaymentException[];

function withException(exception: PaymentException, further?: typeof undecided): [string, AttentionSource] {
  const url = `/v1/payments?exception=${exception}`;
  return [`payments_${exception}`, attentionIn('payments', { exception: [exception] }, url, further)];
}

/** The objects that wait for the merchant's action: payments, settlements, refunds, disputes and transfers. */
export const paymentAttention: Readonly<Record<string, AttentionSource>> = {
  ...Object.fromEntries([
    ...exceptionsToDecide.map(exception => withException(exception, undecided)),
    ...toReturn.map(exception => withException(exception)),
  ]),
  payments_to_capture: attentionIn('payments', { phase: ['authorized'] }, '/v1/payments?phase=authorized'),
  settlements_failed: attentionIn(
    'payments',
    { settlement_status: ['failed'] },
    '/v1/payments?settlement_status=failed',
    // A settlement in a currency waits once for all its payments (`settlement/`).
    settledOnStellar,
  ),
  refunds_without_destination: attentionIn(
    'refunds',
    { requires_destination: [true], status: ['pending'] },
    '/v1/refunds?requires_destination=true',
  ),
  disputes_to_answer: attentionIn('disputes', { status: ['needs_response'] }, '/v1/disputes?status=needs_response'),
  transfers_unmatched: attentionIn('transfers', { status: ['unmatched'] }, '/v1/transfers?status=unmatched'),
};
