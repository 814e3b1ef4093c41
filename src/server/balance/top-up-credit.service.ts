import { PayError } from '../../core/error.ts';
import { unitOf } from '../../core/unit.ts';
import { post } from '../ledger/ledger.store.ts';
import { move } from '../ledger/posting.ts';
import { keepUnmatched } from '../payments/payment-credit.service.ts';
import { insertTransfer, type TopUpTransfer, unapplied } from '../payments/transfer.store.ts';
import type { Tx } from '../platform/db/database.ts';
import { changeRow } from '../platform/events/change.ts';
import type { Merchant } from '../platform/merchant.ts';
import { lockTopUp } from './top-up.store.ts';
import { type TopUpContext, topUpResource } from './top-up.view.ts';

/**
 * Credits a transfer to the available balance: transfer, posting, top-up and event in one transaction. A transfer with
 * a known rail reference changes nothing. Money in another asset or currency than the top-up's stays unmatched. Throws
 * `invalid_amount` if the total would exceed the largest amount of the API.
 */
export async function creditTopUp(
  tx: Tx,
  deps: Omit<TopUpContext, 'merchant'>,
  merchant: Merchant,
  topUpId: string,
  transfer: TopUpTransfer,
): Promise<void> {
  const row = await lockTopUp(tx, merchant.id, topUpId);
  if (row === null) throw new Error(`the top-up ${topUpId} does not exist`);
  const { currency, amount, livemode, rail, created_at: now } = transfer;
  if (row.currency !== currency) return await keepUnmatched(tx, { ...transfer, ...unapplied });
  const received = row.amount_received + amount;
  if (received > unitOf(currency).most) {
    throw new PayError('invalid_amount', 'The total of the top-up would exceed the maximum amount.');
  }
  if (!(await insertTransfer(tx, { ...transfer, ...unapplied, status: 'matched', top_up_id: topUpId }))) return;
  const postings = move(`clearing.${rail}`, 'merchant.available', currency, amount);
  await post(tx, [{ merchantId: merchant.id, livemode, kind: 'top_up', resourceId: topUpId, postings, now }]);
  const isEnough = row.amount === null || received >= row.amount;
  await changeRow(tx, topUpResource, { ...deps, merchant }, row, {
    ...(isEnough && { to: 'received' }),
    set: { amount_received: received },
    events: ['top_up.received'],
    now,
  });
}
