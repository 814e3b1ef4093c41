import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import type { Erasure, KeptRecords, LeavingCustomer } from '../platform/erasure.ts';

/** Erases drafts, and the addresses of reminders. Issued invoices and credit notes are legal records and stay. */
export const invoiceErasure: Erasure = { openWork, objectsOf, erase, kept };

const theirs = ({ merchantId, livemode, customerId }: LeavingCustomer) =>
  sql`i.merchant_id = ${merchantId} and i.livemode = ${livemode} and i.customer_id = ${customerId}`;

/** Recurring invoices to the customer's address. */
const recurringTo = ({ merchantId, livemode, email }: LeavingCustomer) =>
  sql`merchant_id = ${merchantId} and livemode = ${livemode} and lower(template -> 'customer' ->> 'email') = lower(${email})`;

async function openWork(tx: Tx, customer: LeavingCustomer): Promise<readonly string[]> {
  const { merchantId, livemode, customerId } = customer;
  const { rows } = await sql<{ what: string }>`
    select what from (
      select 'invoice ' || i.number || ' is ' || replace(i.status, '_', ' ') as what from invoices i
      where ${theirs(customer)} and i.status in ('sent', 'viewed', 'partially_paid', 'overdue')
      union all select 'recurring invoice ' || id || ' is ' || status from recurring_invoices
      where ${recurringTo(customer)} and status <> 'ended'
      union all select 'the customer has unused credit in ' || currency from customer_credits
      where merchant_id = ${merchantId} and livemode = ${livemode} and holder = ${customerId} and amount > 0
    ) open limit 5`.execute(tx);
  return rows.map(({ what }) => what);
}

async function objectsOf(tx: Tx, customer: LeavingCustomer): Promise<readonly string[]> {
  const ofInvoices = ['credit_notes', 'invoice_transactions', 'invoice_reminders'].map(
    table => sql`
      select o.id from invoices i join ${sql.table(table)} o on o.merchant_id = i.merchant_id and o.invoice_id = i.id
      where ${theirs(customer)}`,
  );
  const { rows } = await sql<{ id: string }>`
    select i.id from invoices i where ${theirs(customer)}
    union all ${sql.join(ofInvoices, sql` union all `)}
    union all select id from recurring_invoices where ${recurringTo(customer)}`.execute(tx);
  return rows.map(({ id }) => id);
}

async function erase(tx: Tx, customer: LeavingCustomer, ids: readonly string[]): Promise<void> {
  const { merchantId } = customer;
  await sql`delete from invoices i where ${theirs(customer)} and i.status = 'draft'`.execute(tx);
  await sql`
    update invoice_reminders set sent_to = null
    where merchant_id = ${merchantId} and invoice_id = any (${ids})`.execute(tx);
  await sql`
    update recurring_invoices set template = jsonb_set(template, '{customer}', '{}'), metadata = '{}'
    where ${recurringTo(customer)}`.execute(tx);
}

async function kept(tx: Tx, customer: LeavingCustomer, ids: readonly string[]): Promise<readonly KeptRecords[]> {
  const { rows } = await sql<KeptRecords>`
    select 'invoice' as object, count(*)::int as count from invoices i where ${theirs(customer)}
    union all select 'credit_note', count(*)::int from credit_notes
    where merchant_id = ${customer.merchantId} and id = any (${ids})`.execute(tx);
  return rows;
}
