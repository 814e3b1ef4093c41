import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { Erasure, LeavingCustomer } from '../erasure.ts';

/** Reduces events of a customer's objects to ids, states and amounts, and forgets what endpoints answered to them. */
export const eventErasure: Erasure = { erase };

async function erase(tx: Tx, { merchantId }: LeavingCustomer, ids: readonly string[]): Promise<void> {
  await sql`
    with erased as (
      update events set previous = null, object = json_strip_nulls(json_build_object(
        'id', object -> 'id', 'object', object -> 'object', 'status', object -> 'status', 'amount', object -> 'amount',
        'currency', object -> 'currency', 'livemode', object -> 'livemode', 'created_at', object -> 'created_at'))
      where merchant_id = ${merchantId} and resource_id = any (${ids}) returning id)
    update webhook_deliveries set attempt_log = '[]', last_error = null
    where merchant_id = ${merchantId} and event_id in (select id from erased)`.execute(tx);
}
