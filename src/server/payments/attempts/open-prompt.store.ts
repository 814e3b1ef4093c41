import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { rowSource } from '../../platform/db/rows.ts';
import type { PaymentKey } from '../payment.store.ts';
import type { AttemptRow } from './attempt.store.ts';

/** A prompt of the payment that its payer may still approve, or null. `endsAfter`: earlier ends count as over. */
export async function findOpenPrompt(db: Executor, key: PaymentKey, endsAfter: Date): Promise<AttemptRow | null> {
  const row = await db
    .selectFrom('payment_attempts')
    .selectAll()
    .where(eb => eb.and({ merchant_id: key.merchantId, payment_id: key.paymentId }))
    .where('open_number', 'is not', null)
    .where('expires_at', '>', endsAfter)
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** A prompt to start. */
export interface AskedPrompt {
  readonly merchant_id: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly number: string;
  /** Open prompts that ended at this time or earlier are over. */
  readonly over_at: Date;
  /** Prompts to the number after this time count. */
  readonly counted_since: Date;
}

/** How the number of a new prompt is used. */
export interface NumberUse {
  /** The attempt that would show the prompt. */
  readonly id: string;
  /** Whether its number has an open prompt of the merchant. */
  readonly isOpen: boolean;
  /** When the oldest of the last `most` counted prompts was asked for. Null: there were fewer. */
  readonly fullSince: Date | null;
}

const asked = {
  merchant_id: 'text',
  livemode: 'bool',
  id: 'text',
  number: 'text',
  over_at: 'timestamptz',
  counted_since: 'timestamptz',
} as const;

/**
 * Reads how the numbers of prompts are used, and frees numbers whose prompt is over. The sweep frees them as well, but
 * it asks no operator that is no longer connected. Does not count prompts that the operator did not receive.
 */
export async function readNumberUse(tx: Tx, prompts: readonly AskedPrompt[], most: number): Promise<NumberUse[]> {
  const { rows } = await executePrepared(
    tx,
    sql<NumberUse>`
      with asked as (select * from ${rowSource(asked, prompts)} as n),
      ended as (
        select a.merchant_id, a.payment_id, a.id from payment_attempts a join asked k
          on a.merchant_id = k.merchant_id and a.livemode = k.livemode and a.open_number = k.number
        where a.expires_at <= k.over_at for update of a skip locked
      ),
      freed as (
        update payment_attempts a set open_number = null from ended o
        where a.merchant_id = o.merchant_id and a.payment_id = o.payment_id and a.id = o.id
      )
      select k.id,
        exists (
          select from payment_attempts a where a.merchant_id = k.merchant_id and a.livemode = k.livemode
            and a.open_number = k.number and a.expires_at > k.over_at) as "isOpen",
        (select a.created_at from payment_attempts a
          where a.merchant_id = k.merchant_id and a.number = k.number and a.livemode = k.livemode
            and a.created_at > k.counted_since and a.code is distinct from 'operator_unavailable'
          order by a.created_at desc offset ${most - 1} limit 1) as "fullSince"
      from asked k`,
  );
  return rows;
}
