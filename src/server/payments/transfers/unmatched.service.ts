import { post } from '../../ledger/ledger.store.ts';
import { move } from '../../ledger/posting.ts';
import type { Tx } from '../../platform/db/database.ts';
import { recordEvents } from '../../platform/events/outbox.ts';
import { transferToWire } from '../payment.view.ts';
import { insertTransfer, type NewTransfer } from './transfer.store.ts';

/** What a transfer has that counts towards no payment. */
export const unapplied = { payment_id: null, status: 'unmatched', amount_applied: 0n, amount_excess: 0n } as const;

/**
 * Keeps money that fits no payment, in suspense, for the merchant to see and decide about. The same rail reference
 * twice is the same money and changes nothing.
 */
export async function keepUnmatched(tx: Tx, row: NewTransfer): Promise<void> {
  if (!(await insertTransfer(tx, row))) return;
  if (row.custodial !== false) await postUnmatched(tx, row);
  await recordEvents(tx, [
    {
      merchantId: row.merchant_id,
      livemode: row.livemode,
      type: 'transfer.unmatched',
      resourceId: row.id,
      sequence: 1,
      object: transferToWire({ custodial: true, return_count: 0, ...row }),
      previous: null,
      now: row.created_at,
    },
  ]);
}

/** Only money in custody is on the books. */
async function postUnmatched(tx: Tx, row: NewTransfer): Promise<void> {
  await post(tx, [
    {
      merchantId: row.merchant_id,
      livemode: row.livemode,
      kind: 'unmatched_credit',
      postings: move(`clearing.${row.rail}`, 'merchant.suspense', row.currency, row.amount),
      now: row.created_at,
    },
  ]);
}
