import { type Selectable, sql, type Updateable } from 'kysely';
import type { Branding } from '../../api/merchant.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import { announce } from '../platform/events/outbox.ts';
import type { Merchant } from '../platform/merchant.ts';
import type { MerchantsTable } from './tables.ts';

/** The look of a merchant's pages by default. */
const plainBranding: Branding = {
  logo: null,
  icon: null,
  primary_color: null,
  background_color: null,
  font: 'system',
  border_style: 'rounded',
};

/** The column of each field that is kept as it is. */
const columnOf = {
  ...{ id: 'id', name: 'name', createdAt: 'created_at', locale: 'locale', timezone: 'timezone', address: 'address' },
  ...{ supportEmail: 'support_email', supportUrl: 'support_url', taxId: 'tax_id', iban: 'iban', bic: 'bic' },
  ...{ settlementAsset: 'settlement_asset', stellarAddress: 'stellar_address', invoicePrefix: 'invoice_prefix' },
  ...{ allowedOrigins: 'allowed_origins', redirectOrigins: 'redirect_origins', clientAmounts: 'client_amounts' },
  ...{ toleranceBasisPoints: 'tolerance_basis_points', toleranceUnits: 'tolerance_units' },
  ...{ quoteSeconds: 'quote_seconds', sessionSeconds: 'session_seconds' },
} as const satisfies Record<Exclude<keyof Merchant, 'branding' | 'testClockOffsetMs'>, keyof MerchantsTable>;

/** The merchant of a row of `merchants`. */
export function merchantFromRow(row: Selectable<MerchantsTable>): Merchant {
  const fields = Object.entries(columnOf).map(([field, column]) => [field, row[column]]);
  const { branding, test_clock_offset_ms: offset } = row;
  const own = { branding: { ...plainBranding, ...branding }, testClockOffsetMs: Number(offset) };
  return { ...Object.fromEntries(fields), ...own };
}

/** The merchant, or null. */
export async function findMerchant(db: Executor, merchantId: string): Promise<Merchant | null> {
  const row = await db.selectFrom('merchants').selectAll().where('id', '=', merchantId).executeTakeFirst();
  return row === undefined ? null : merchantFromRow(row);
}

/** The merchants with these ids, by id. */
export async function findMerchants(db: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, Merchant>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('merchants').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map(row => [row.id, merchantFromRow(row)]));
}

/** The merchant's Stellar address. No transaction can change it before this one ends. */
export async function lockStellarAddress(tx: Tx, merchantId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('merchants')
    .select('stellar_address')
    .where('id', '=', merchantId)
    .forShare()
    .executeTakeFirst();
  return row?.stellar_address ?? null;
}

/** The oldest merchant: the server made it for itself. */
export async function findFirstMerchant(db: Executor): Promise<Merchant | null> {
  const row = await db.selectFrom('merchants').selectAll().orderBy('created_at').orderBy('id').executeTakeFirst();
  return row === undefined ? null : merchantFromRow(row);
}

/** Makes a merchant with the defaults of the schema. */
export async function insertMerchant(
  tx: Tx,
  merchant: { readonly id: string; readonly name: string; readonly clientAmounts: boolean },
): Promise<void> {
  const { id, name, clientAmounts } = merchant;
  await tx.insertInto('merchants').values({ id, name, client_amounts: clientAmounts }).execute();
}

/** The fields that a merchant may change; absent fields stay. `branding` is merged field by field. */
export type MerchantChanges = {
  readonly [K in Exclude<keyof Merchant, 'id' | 'branding' | 'testClockOffsetMs' | 'createdAt'>]?:
    | Merchant[K]
    | undefined;
} & { readonly branding?: Partial<Branding> | undefined };

/** Changes the merchant and notifies every process. */
export async function updateMerchant(tx: Tx, merchantId: string, changes: MerchantChanges): Promise<Merchant> {
  const { branding, address, ...plain } = changes;
  const columns = Object.entries(plain).map(([field, value]) => [columnOf[field as keyof typeof plain], value]);
  const set: Updateable<MerchantsTable> = { id: merchantId, ...Object.fromEntries(columns) };
  if (address !== undefined) set.address = address && JSON.stringify(address);
  const row = await tx
    .updateTable('merchants')
    .set(set)
    .$if(branding !== undefined, query =>
      query.set({ branding: sql`merchants.branding || ${JSON.stringify(branding)}::jsonb` }),
    )
    .where('id', '=', merchantId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await announceMerchant(tx, merchantId);
  return merchantFromRow(row);
}

/** Moves the merchant's test clock ahead and notifies every process. */
export async function advanceTestClock(tx: Tx, merchantId: string, byMs: number): Promise<Merchant> {
  const row = await tx
    .updateTable('merchants')
    .set({ test_clock_offset_ms: sql`test_clock_offset_ms + ${byMs}` })
    .where('id', '=', merchantId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await announceMerchant(tx, merchantId);
  return merchantFromRow(row);
}

/** Notifies every process, when the transaction commits, that the merchant or its keys changed. */
export async function announceMerchant(tx: Tx, merchantId: string): Promise<void> {
  await announce(tx, [{ merchantId, resourceId: merchantId }]);
}
