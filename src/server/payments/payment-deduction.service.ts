import { lockAvailable } from '../ledger/ledger.store.ts';
import type { Tx } from '../platform/db/database.ts';
import type { PaymentRow } from './payment.view.ts';
import { neededOfBalance, type Taken, takeOwned } from './payment-funds.ts';

/** An amount (minor units) of a refund or dispute of a locked payment. */
interface Wanted {
  readonly payment: PaymentRow;
  readonly amount: bigint;
  readonly now: Date;
}

/**
 * Splits each amount into pending money, available balance and the merchant's debt. `wanted` names each payment at most
 * once. Locks the needed available balances until the transaction ends. The caller posts the parts and updates the
 * payments' columns.
 */
export async function deductFromMerchants(tx: Tx, wanted: readonly Wanted[]): Promise<Taken[]> {
  // Most refunds need no lock, because their payments moved no money to the available balance (`amount_available`).
  const needing = wanted.filter(each => neededOfBalance(each.payment, each.amount) > 0n);
  const left = new Map<string, bigint>();
  // All transactions lock in the same order, so they cannot deadlock.
  for (const { payment, now } of needing.toSorted((a, b) => (balanceOf(a) < balanceOf(b) ? -1 : 1))) {
    const balance = balanceOf({ payment });
    if (left.has(balance)) continue;
    const { merchant_id: merchantId, livemode, currency } = payment;
    left.set(balance, (await lockAvailable(tx, { merchantId, livemode, now }, [currency])).get(currency) ?? 0n);
  }
  return wanted.map(({ payment, amount }) => {
    const balance = balanceOf({ payment });
    const available = left.get(balance) ?? 0n;
    const taken = takeOwned(payment, amount, available);
    left.set(balance, available - taken.available);
    return taken;
  });
}

/** Like `deductFromMerchants`, for one payment. */
export async function deductFromMerchant(tx: Tx, wanted: Wanted): Promise<Taken> {
  const [taken] = await deductFromMerchants(tx, [wanted]);
  if (taken === undefined) throw new Error('nothing was taken');
  return taken;
}

function balanceOf({ payment: { merchant_id, livemode, currency } }: Pick<Wanted, 'payment'>): string {
  return `${merchant_id} ${livemode} ${currency}`;
}
