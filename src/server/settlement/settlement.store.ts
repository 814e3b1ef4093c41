import { newId } from '../../core/id.ts';
import type { Moment, MomentOrNull } from '../platform/db/column.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Delivery } from '../stellar/treasury/outgoing.ts';
import type { Begun, SettledPaymentKey } from './settlement-payments.ts';

/** Columns of `settlements`. */
interface SettlementsTable {
  merchant_id: string;
  id: string;
  payment_id: string;
  livemode: boolean;
  status: 'submitted' | 'settled' | 'failed';
  payment_amount: bigint;
  payment_currency: string;
  asset: string;
  amount: bigint;
  destination: string;
  delivery: 'payment' | 'claimable_balance';
  tx_hash: string | null;
  ledger: number | null;
  failure_code: string | null;
  created_at: Moment;
  ended_at: MomentOrNull;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    settlements: SettlementsTable;
  }
}

/** A settlement on its way. */
export interface OpenSettlement extends SettledPaymentKey {
  readonly id: string;
  readonly begun: Begun;
  readonly asset: string;
  readonly destination: string;
  readonly delivery: Delivery;
  readonly now: Date;
}

/** Keeps a settlement that is on its way; returns its id. */
export async function insertSettlement(tx: Tx, settlement: Omit<OpenSettlement, 'id'>): Promise<string> {
  const id = newId('settlement');
  const { begun } = settlement;
  await tx
    .insertInto('settlements')
    .values({
      merchant_id: settlement.merchantId,
      id,
      payment_id: settlement.paymentId,
      livemode: begun.livemode,
      status: 'submitted',
      payment_amount: begun.portion.value,
      payment_currency: begun.currency,
      asset: settlement.asset,
      amount: begun.portion.amount,
      destination: settlement.destination,
      delivery: settlement.delivery,
      created_at: settlement.now,
    })
    .execute();
  return id;
}

/** How a settlement ended. */
export type SettlementOutcome =
  | { readonly status: 'settled'; readonly txHash: string; readonly ledger: number }
  | { readonly status: 'failed'; readonly code: string };

/** Ends a settlement, and returns what it was. Throws when it had ended before. */
export async function endSettlement(
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  outcome: SettlementOutcome,
  now: Date,
) {
  return await tx
    .updateTable('settlements')
    .set({
      status: outcome.status,
      ended_at: now,
      ...(outcome.status === 'settled'
        ? { tx_hash: outcome.txHash, ledger: outcome.ledger }
        : { failure_code: outcome.code }),
    })
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.id)
    .where('status', '=', 'submitted')
    .returningAll()
    .executeTakeFirstOrThrow();
}
