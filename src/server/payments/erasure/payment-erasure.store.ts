import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { type Erasure, erasedEmail, type LeavingCustomer } from '../../platform/erasure.ts';

/** Erases the payers of a customer's payments. Amounts, states, references and line items stay. */
export const paymentErasure: Erasure = { openWork, objectsOf, erase };

const theirs = ({ merchantId, livemode, customerId }: LeavingCustomer) =>
  sql`p.merchant_id = ${merchantId} and p.livemode = ${livemode} and p.customer_id = ${customerId}`;

/** Money on its way needs the payer's data. At most five objects are named. */
async function openWork(tx: Tx, customer: LeavingCustomer): Promise<readonly string[]> {
  const { rows } = await sql<{ what: string }>`
    select what from (
      select 'payment ' || p.id || ' is pending' as what from payments p
      where ${theirs(customer)} and p.status = 'pending'
      union all select 'payment ' || p.id || ' has an open prompt on a phone' from payments p
      where ${theirs(customer)} and p.status <> 'pending' and p.open_prompt is not null
      union all select 'payment ' || p.id || ' holds money that you have not accepted or returned' from payments p
      where ${theirs(customer)} and p.status <> 'pending' and p.amount_suspense > 0
      union all select 'refund ' || r.id || ' is ' || replace(r.status, '_', ' ') from payments p
      join refunds r on r.merchant_id = p.merchant_id and r.payment_id = p.id
      where ${theirs(customer)} and r.status in ('awaiting_approval', 'pending')
      union all select 'dispute ' || d.id || ' is open' from payments p
      join disputes d on d.merchant_id = p.merchant_id and d.payment_id = p.id
      where ${theirs(customer)} and d.status <> 'closed'
      union all select 'transfer ' || t.id || ' is going back' from payments p
      join transfers t on t.merchant_id = p.merchant_id and t.payment_id = p.id
      where ${theirs(customer)} and t.status in ('awaiting_approval', 'returning')) open limit 5`.execute(tx);
  return rows.map(({ what }) => what);
}

async function objectsOf(tx: Tx, customer: LeavingCustomer): Promise<readonly string[]> {
  const ofPayments = ['payment_attempts', 'disputes', 'refunds', 'transfers'].map(
    table => sql`
      select o.id from payments p join ${sql.table(table)} o on o.merchant_id = p.merchant_id and o.payment_id = p.id
      where ${theirs(customer)}`,
  );
  const { rows } = await sql<{ id: string }>`
    select p.id from payments p where ${theirs(customer)}
    union all ${sql.join(ofPayments, sql` union all `)}
    union all select o.id from payments p
    join refunds r on r.merchant_id = p.merchant_id and r.payment_id = p.id
    join refund_parts o on o.merchant_id = r.merchant_id and o.refund_id = r.id
    where ${theirs(customer)}`.execute(tx);
  return rows.map(({ id }) => id);
}

async function erase(tx: Tx, { merchantId }: LeavingCustomer, ids: readonly string[]): Promise<void> {
  const own = sql`merchant_id = ${merchantId} and id = any (${ids})`;
  // Streams of payments resume by the version, so that it grows with each change.
  await sql`
    update payments set customer_email = ${erasedEmail}, customer_name = null, description = null, metadata = '{}',
      mobile_money = null, next_action = null, open_prompt = null, last_attempt = null, redirect_url = null, cancel_url = null,
      receipts = false, version = version + 1
    where ${own}`.execute(tx);
  await sql`
    update payment_attempts set number = null, open_number = null, return_url = null
    where merchant_id = ${merchantId} and payment_id = any (${ids})`.execute(tx);
  await sql`update disputes set evidence = null where ${own}`.execute(tx);
  await sql`update refunds set destination = null, metadata = '{}' where ${own}`.execute(tx);
  // The sender on a chain is an address, to which later refunds go.
  await sql`update transfers set sender = null, reference = null where ${own} and chain is null`.execute(tx);
}
