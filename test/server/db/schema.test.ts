import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const read = async (sql: string) => (await database.pool.query({ text: sql, rowMode: 'array' })).rows.flat();

const ownTables = `
  select c.oid, c.relname, coalesce(obj_description(c.oid), '') like 'routing:%' as routing
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

it('lists the routing tables, which are read before the merchant is known', async () => {
  expect(await read(`select relname from (${ownTables}) t where routing order by 1`)).toEqual([
    'api_keys',
    'bank_orders',
    'deposit_routes',
    'domains',
    'merchants',
    'payment_link_routes',
    'people',
    'person_sessions',
  ]);
});

it('has merchant_id in every unique key of a table owned by merchants, and first in its primary key', async () => {
  const wrong = await read(`
    select i.indexrelid::regclass::text
    from (${ownTables}) t
    join pg_attribute a on a.attrelid = t.oid and a.attname = 'merchant_id'
    join pg_index i on i.indrelid = t.oid
    where not t.routing
      and (i.indisunique and a.attnum <> all (i.indkey::smallint[]) or i.indisprimary and i.indkey[0] <> a.attnum)`);
  expect(wrong).toEqual([]);
});

it('has no foreign keys, because none may cross merchants', async () => {
  expect(
    await read("select conname from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace"),
  ).toEqual([]);
});

it('has room for 78 digits in every amount of an asset, as units of 18 decimals need', async () => {
  const tables =
    'payments transfers deposits crypto_offers wallet_transactions refund_parts outbound_transfers top_ups withdrawals ' +
    'balance_quotes conversions payouts payout_returns ledger_entries ledger_sums ledger_sum_changes';
  const narrow = await read(`
    select table_name || '.' || column_name from information_schema.columns
    where table_schema = 'public' and table_name = any (string_to_array('${tables}', ' ')) and data_type = 'bigint'
    order by 1`);
  // In minor units of a currency, or a chain's own number.
  expect(narrow).toEqual([
    'balance_quotes.dollar_cents',
    'conversions.dollar_cents',
    'crypto_offers.counted',
    'crypto_offers.payment_amount',
    'deposits.block_height',
    'payments.amount',
    ...'available direct disputed receivable received refunded refunding settled settling suspense'
      .split(' ')
      .map(name => `payments.amount_${name}`),
    'refund_parts.amount',
    'transfers.amount_applied',
    'transfers.amount_excess',
    'transfers.ledger',
  ]);
});
