import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import { erasedDestination } from '../platform/db/erased-destination.ts';
import { type Erasure, erasedEmail, type LeavingCustomer } from '../platform/erasure.ts';

/** Erases who bought or sold. Sums, the wallet and the transaction stay, as they are on the ledger. */
export const rampErasure: Erasure = {
  openWork: async (tx, customer) => {
    const { rows } = await sql<{ id: string; status: string }>`
      select id, status from ramps where ${ofCustomer(customer)}
        and status not in ('completed', 'refunded', 'expired') order by id limit 5`.execute(tx);
    return rows.map(({ id, status }) => `ramp ${id} is ${status}`);
  },
  objectsOf: async (tx, customer) => {
    const { rows } = await sql<{ id: string }>`select id from ramps where ${ofCustomer(customer)}`.execute(tx);
    return rows.map(({ id }) => id);
  },
  erase: async (tx: Tx, customer) => {
    await sql`update ramps set customer_email = ${erasedEmail}, customer_name = null, country = null, metadata = '{}',
        payout_destination = case when payout_destination is not null then ${erasedDestination('payout_destination')} end
      where ${ofCustomer(customer)}`.execute(tx);
  },
};

function ofCustomer({ merchantId, livemode, customerId }: LeavingCustomer) {
  return sql`merchant_id = ${merchantId} and livemode = ${livemode} and customer_id = ${customerId}`;
}
