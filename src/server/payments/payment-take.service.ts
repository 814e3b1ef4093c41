import { lockAvailable } from '../ledger/ledger.store.ts';
import type { Tx } from '../platform/db/database.ts';
import type { PaymentRow } from './payment.view.ts';
import { neededOfBalance, type Taken, takeOwned } from './payment-funds.ts';

/**
 * Splits the amount (minor units) of a refund or dispute into pending money, available balance and the merchant's debt.
 * The payment must be locked. Locks the available balance until the transaction ends. The caller posts the parts and
 * updates the payment's columns.
 */
export async function takeFromMerchant(
  tx: Tx,
  payment: PaymentRow,
  disputed: bigint,
  amount: bigint,
  now: Date,
): Promise<Taken> {
  // Most payments have no money in the available balance, so their refunds need no lock.
  if (neededOfBalance(payment, disputed, amount) === 0n) return takeOwned(payment, disputed, amount, 0n);
  const { merchant_id: merchantId, livemode, currency } = payment;
  const sums = await lockAvailable(tx, { merchantId, livemode, now }, [currency]);
  return takeOwned(payment, disputed, amount, sums.get(currency) ?? 0n);
}
