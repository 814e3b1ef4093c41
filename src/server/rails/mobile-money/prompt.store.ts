import { sql } from 'kysely';
import { addSeconds } from '../../../core/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { findRow } from '../../platform/db/rows.ts';
import type { OverdueWork } from '../../platform/overdue.ts';
import type { PromptRefusal, PromptRequest } from './collecting.ts';
import type { OrderKey } from './connector.ts';
import type { PromptRow } from './tables.ts';

/** The final outcome of a prompt. `receipt`: null if the operator's answer has none. */
export type PromptVerdict =
  | { readonly state: 'collected'; readonly receipt: string | null }
  | { readonly state: 'refused'; readonly code: PromptRefusal['code'] };

/** Stores a prompt before it is sent. Returns false if it is already stored. */
export async function insertPrompt(
  db: Db,
  rail: string,
  { merchantId, attemptId, amount, currency, now }: PromptRequest,
  expiresAt: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('mobile_money_prompts')
    .values({
      merchant_id: merchantId,
      attempt_id: attemptId,
      rail,
      amount,
      currency,
      expires_at: expiresAt,
      created_at: now,
    })
    .onConflict(conflict => conflict.columns(['merchant_id', 'attempt_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** The rail's prompt of the attempt, or null. */
export async function findPrompt(db: Db, rail: string, { merchantId, orderId }: OrderKey): Promise<PromptRow | null> {
  return await findRow(db, 'mobile_money_prompts', { merchant_id: merchantId, attempt_id: orderId, rail });
}

/** Ends a prompt that the operator certainly did not receive. Does not change one that has an answer. */
export async function endUnsentPrompt(db: Db, { merchantId, orderId }: OrderKey): Promise<void> {
  const key = { merchant_id: merchantId, attempt_id: orderId, state: 'sent' } as const;
  await db
    .updateTable('mobile_money_prompts')
    .set({ state: 'refused', refusal_code: 'operator_unavailable' satisfies PromptRefusal['code'] })
    .where(eb => eb.and(key))
    .execute();
}

/**
 * Records that the operator has accepted the prompt, by its id there. Changes only a prompt without an answer. An id
 * that names another prompt is not recorded.
 */
export async function acceptPrompt(
  db: Db,
  rail: string,
  { merchantId, orderId }: OrderKey,
  { providerId, expiresAt }: { readonly providerId: string; readonly expiresAt?: Date | undefined },
): Promise<void> {
  await sql`
    update mobile_money_prompts
    set state = 'accepted', provider_id = ${providerId}::text,
      expires_at = coalesce(${expiresAt ?? null}::timestamptz, expires_at)
    where merchant_id = ${merchantId} and attempt_id = ${orderId} and rail = ${rail} and state = 'sent'
      and not exists (select from mobile_money_prompts where rail = ${rail} and provider_id = ${providerId}::text)
    `.execute(db);
}

/** Seconds for which a prompt without an answer is reported. Then someone has looked for it in the operator's portal. */
const reportedSeconds = 7 * 86_400;

/**
 * Prompts of M-Pesa that ended in the last week without an answer. They may have taken money. MTN tells the state of
 * every prompt, so its prompts are not among them.
 */
export async function findUnansweredPrompts(db: Db, now: Date): Promise<OverdueWork[]> {
  const { rows } = await sql<OverdueWork>`
    select count(*)::int as count, min(expires_at) as since from mobile_money_prompts
    where rail = 'mpesa' and state = 'sent'
      and expires_at between ${addSeconds(now, -reportedSeconds)} and ${now}`.execute(db);
  return rows;
}

/** Stores the receipt that a callback reports for an open prompt. */
export async function storeReceipt(db: Db, { merchantId, orderId }: OrderKey, receipt: string): Promise<void> {
  await db
    .updateTable('mobile_money_prompts')
    .set({ receipt })
    .where(eb => eb.and({ merchant_id: merchantId, attempt_id: orderId, state: 'accepted' }))
    .execute();
}

/** Decides an open prompt. Does not change a decided one. A verdict without a receipt keeps the reported one. */
export async function decidePrompt(db: Db, { merchantId, orderId }: OrderKey, verdict: PromptVerdict): Promise<void> {
  const [receipt, code] = verdict.state === 'collected' ? [verdict.receipt, null] : [null, verdict.code];
  await sql`
    update mobile_money_prompts
    set state = ${verdict.state}, refusal_code = ${code}::text, receipt = coalesce(${receipt}::text, receipt)
    where merchant_id = ${merchantId} and attempt_id = ${orderId} and state in ('sent', 'accepted')`.execute(db);
}
