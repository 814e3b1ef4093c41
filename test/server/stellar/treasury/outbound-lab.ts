import { randomUUID } from 'node:crypto';
import { findOutbound, insertOutbound } from '../../../../src/server/outbound/outbound.store.ts';
import type { OutboundRow } from '../../../../src/server/outbound/outbound.ts';
import type { TransactionMemo } from '../../../../src/server/stellar/network.ts';
import type { SettlementLab } from '../../settlement/settlement-lab.ts';

/** A transfer for the treasury to send. No module books it. */
export interface TestTransfer {
  readonly destination: string;
  readonly asset: string;
  /** Stroops. */
  readonly amount: bigint;
  readonly memo?: TransactionMemo | null;
  readonly resourceId?: string;
}

const purpose = 'test';

/** Queues a transfer on Stellar, or finds the queued transfer of the resource. */
export async function queueTransfer(
  { database: { db }, merchant }: SettlementLab,
  { destination: address, asset, amount, memo, resourceId = randomUUID() }: TestTransfer,
): Promise<OutboundRow> {
  const destination = memo ? { address, memo: memo.value, memo_type: memo.type } : { address };
  await insertOutbound(db, [
    {
      merchantId: merchant.id,
      livemode: false,
      purpose,
      resourceId,
      attempt: 1,
      rail: 'stellar',
      destination,
      originalReference: null,
      asset,
      amount,
      source: null,
      value: amount,
      valueCurrency: asset,
      now: new Date(),
    },
  ]);
  const [row] = await findOutbound(db, merchant.id, purpose, [resourceId]);
  if (row === undefined) throw new Error('a transfer was not queued');
  return row;
}

export async function readTransfer({ database: { db } }: SettlementLab, row: OutboundRow): Promise<OutboundRow> {
  const [found] = await findOutbound(db, row.merchant_id, row.purpose, [row.resource_id]);
  if (found === undefined) throw new Error(`${row.id} is gone`);
  return found;
}

/** Whether the transfer's transaction was submitted. With `answered`, its first attempt must have ended, too. */
export async function isSubmitted(
  { database: { pool } }: SettlementLab,
  { id }: OutboundRow,
  { answered = false } = {},
): Promise<boolean> {
  const { rows } = await pool.query(
    `select 1 from outbound_transfers t join carriers e on e.id = t.carrier_id
     where t.id = $1 and t.state = 'sending' and e.state = 'submitted' and e.attempts >= $2`,
    [id, answered ? 2 : 1],
  );
  return rows.length > 0;
}
