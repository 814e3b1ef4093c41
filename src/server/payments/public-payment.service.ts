import type { Payment } from '../../api/payment.ts';
import { findPayment, type PaymentKey } from './payment.store.ts';
import { merchantToWire, payerView, paymentToWire } from './payment.view.ts';
import type { PaymentDeps } from './payment-deps.ts';

/** The payment as its payer may see it, for pages that have proved whose it is; null when there is none. */
export async function findPublicPayment(deps: PaymentDeps, key: PaymentKey): Promise<Payment | null> {
  const row = await findPayment(deps.db, key);
  if (row === null) return null;
  const merchant = await deps.findMerchant(key.merchantId);
  return payerView({ ...paymentToWire(deps, row), merchant: merchantToWire(merchant) });
}
