import { lockAvailable } from '../ledger/ledger.store.ts';
import type { Tx } from '../platform/db/database.ts';
import { neededOfBalance, type Taken, takeOwned } from './payment-funds.ts';
import type { PaymentRow } from './tables.ts';

/** An amount (minor units) of a refund or dispute of a locked payment. */
interface Wanted {
  readonly payment: PaymentRow;
  readonly amount: bigint;
  readonly now: Date;
}

/**
 * Splits the amount into pending money, available balance and the merchant's debt. Locks the available balance until
 * the transaction ends, if it is needed. The caller posts the parts and updates the payment's columns.
 */
export async function deductFromMerchant(tx: Tx, { payment, amount, now }: Wanted): Promise<Taken> {
  // Most refunds need no lock, because their payments moved no money to the available balance (`amount_available`).
  if (neededOfBalance(payment, amount) === 0n) return takeOwned(payment, amount, 0n);
  const { merchant_id: merchantId, livemode, currency } = payment;
  const available = await lockAvailable(tx, { merchantId, livemode, now }, [currency]);
  return takeOwned(payment, amount, available.get(currency) ?? 0n);
}
