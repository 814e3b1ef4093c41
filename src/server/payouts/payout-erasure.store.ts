import { sql } from 'kysely';
import { erasedDestination } from '../platform/db/erased-destination.ts';
import type { Erasure } from '../platform/erasure.ts';

/** Erases where a customer's ramps were paid out. Other payouts go to recipients, who are no customers. */
export const payoutErasure: Erasure = {
  objectsOf: async (tx, { merchantId }, known) => {
    const { rows } = await sql<{ id: string }>`
      select id from payouts where merchant_id = ${merchantId} and ramp_id = any (${[...known]}::text[])`.execute(tx);
    return rows.map(({ id }) => id);
  },
  erase: async (tx, { merchantId }, ids) => {
    await sql`update payouts set destination = ${erasedDestination('destination')}
      where merchant_id = ${merchantId} and ramp_id is not null and id = any (${[...ids]}::text[])`.execute(tx);
  },
};
