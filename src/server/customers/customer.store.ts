import type { ColumnType, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Metadata, PostalAddress } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { executePrepared } from '../platform/db/prepared.ts';
import { findRow, insertRows, updateRows } from '../platform/db/rows.ts';
import type { Json, JsonOrNull, Moment } from '../platform/db/tables.ts';
import type { KeptRecords } from '../platform/erasure.ts';
import type { MerchantScope } from '../platform/merchant.ts';

interface CustomersTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  email: string;
  name: string | null;
  phone: string | null;
  address: JsonOrNull<PostalAddress>;
  tax_id: string | null;
  description: string | null;
  metadata: ColumnType<Metadata, string | undefined, string>;
  created_at: Moment;
}

interface ErasedCustomersTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  erased_by: string | null;
  erased_at: Moment;
  kept: Json<readonly KeptRecords[]>;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    customers: CustomersTable;
    erased_customers: ErasedCustomersTable;
  }
}

export type CustomerRow = Selectable<CustomersTable>;

/** The fields that the merchant sets. Absent fields stay unchanged. */
export type CustomerDetails = Partial<
  Pick<CustomerRow, 'name' | 'phone' | 'address' | 'tax_id' | 'description' | 'metadata'>
>;

/** What other modules know of a customer. `country`: ISO 3166-1 alpha-2, of the address. */
export type KnownCustomer = Pick<CustomerRow, 'email' | 'name'> & { readonly country: string | null };

/** A customer's e-mail address, name and country, or null. */
export async function findCustomer(
  db: Db,
  { merchantId, livemode }: MerchantScope,
  id: string,
): Promise<KnownCustomer | null> {
  const { rows } = await executePrepared(
    db,
    sql<KnownCustomer>`
      select email, name, upper(address ->> 'country') as country from customers where merchant_id = ${merchantId} and id = ${id} and livemode = ${livemode}`,
  );
  return rows[0] ?? null;
}

/** Reads the customer. With `lock`, locks the row until the transaction ends. Throws `resource_missing`. */
export async function readCustomer(
  db: Db | Tx,
  { merchantId, livemode }: MerchantScope,
  id: string,
  lock?: 'lock',
): Promise<CustomerRow> {
  const row = await findRow(db, 'customers', { merchant_id: merchantId, id, livemode }, lock);
  if (row !== null) return row;
  throw new PayError('resource_missing', `No customer ${id.slice(0, 64)} exists. Check the id.`, { param: 'id' });
}

/** Lists one page of customers, newest first. */
export async function listCustomers(
  db: Db,
  scope: MerchantScope,
  filter: { readonly id: string | undefined },
  request: PageRequest,
): Promise<Page<CustomerRow>> {
  return await readPage(db, { table: 'customers', ...scope }, request, { equal: { id: filter.id } });
}

/** Inserts the customer if it does not exist. Returns whether it is new. */
export async function insertCustomer(
  tx: Tx,
  row: Pick<CustomerRow, 'merchant_id' | 'id' | 'livemode' | 'email' | 'created_at'>,
): Promise<boolean> {
  const { rows } = await sql`
    insert into customers (merchant_id, id, livemode, email, created_at)
    values (${row.merchant_id}, ${row.id}, ${row.livemode}, ${row.email}, ${row.created_at})
    on conflict (merchant_id, id) do nothing returning id`.execute(tx);
  return rows.length > 0;
}

/** Changes a locked customer. */
export async function changeCustomer(tx: Tx, row: CustomerRow, details: CustomerDetails): Promise<CustomerRow> {
  const given = Object.entries(details).filter(([, value]) => value !== undefined);
  const changed = { ...row, ...(Object.fromEntries(given) as CustomerDetails) };
  const columns = given.map(([name]) => name);
  if (columns.length > 0) {
    await updateRows(tx, { table: 'customers', key: ['merchant_id', 'id'], columns, rows: [changed] });
  }
  return changed;
}

export type ErasedRow = Selectable<ErasedCustomersTable>;

/** The last erasure of the customer, or null. */
export async function findErased(
  tx: Tx,
  { merchantId, livemode }: MerchantScope,
  id: string,
): Promise<ErasedRow | null> {
  return await findRow(tx, 'erased_customers', { merchant_id: merchantId, id, livemode });
}

/** Deletes a locked customer. The next payment or invoice with the address makes the customer anew. */
export async function deleteCustomer(tx: Tx, { merchant_id: merchantId, id }: CustomerRow): Promise<void> {
  await sql`delete from customers where merchant_id = ${merchantId} and id = ${id}`.execute(tx);
}

/** Records an erasure. It replaces an earlier one of a customer who had come back. */
export async function keepErasure(tx: Tx, row: ErasedRow): Promise<ErasedRow> {
  await sql`delete from erased_customers where merchant_id = ${row.merchant_id} and id = ${row.id}`.execute(tx);
  await insertRows(tx, 'erased_customers', [row]);
  return row;
}
