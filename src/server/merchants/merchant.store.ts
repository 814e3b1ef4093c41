import { type Selectable, sql } from 'kysely';
import type { Branding } from '../../api/merchant.ts';
import type { PostalAddress } from '../../api/schema.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import { announce } from '../platform/events/outbox.ts';
import type { Merchant } from '../platform/merchant.ts';
import type { MerchantsTable } from './tables.ts';

/** How a merchant's pages look until it says otherwise. */
const plainBranding: Branding = {
  logo: null,
  icon: null,
  primary_color: null,
  background_color: null,
  font: 'system',
  border_style: 'rounded',
};

/** The merchant of a row of `merchants`. */
export function merchantFromRow(row: Selectable<MerchantsTable>): Merchant {
  return {
    id: row.id,
    name: row.name,
    supportEmail: row.support_email,
    supportUrl: row.support_url,
    branding: { ...plainBranding, ...row.branding },
    settlementAsset: row.settlement_asset,
    stellarAddress: row.stellar_address,
    allowedOrigins: row.allowed_origins,
    redirectOrigins: row.redirect_origins,
    clientAmounts: row.client_amounts,
    toleranceBasisPoints: row.tolerance_basis_points,
    toleranceUnits: row.tolerance_units,
    quoteSeconds: row.quote_seconds,
    sessionSeconds: row.session_seconds,
    locale: row.locale,
    timezone: row.timezone,
    address: row.address,
    taxId: row.tax_id,
    iban: row.iban,
    bic: row.bic,
    invoicePrefix: row.invoice_prefix,
    testClockOffsetMs: Number(row.test_clock_offset_ms),
    createdAt: row.created_at,
  };
}

/** The merchant, or null. */
export async function findMerchant(db: Executor, merchantId: string): Promise<Merchant | null> {
  const row = await db.selectFrom('merchants').selectAll().where('id', '=', merchantId).executeTakeFirst();
  return row === undefined ? null : merchantFromRow(row);
}

/** Those of the merchants that there are, by id. */
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

/** The merchant that was there first: the one a server makes for itself. */
export async function findFirstMerchant(db: Executor): Promise<Merchant | null> {
  const row = await db.selectFrom('merchants').selectAll().orderBy('created_at').orderBy('id').executeTakeFirst();
  return row === undefined ? null : merchantFromRow(row);
}

/** Makes a merchant with the defaults of the schema. */
export async function insertMerchant(
  tx: Tx,
  merchant: { readonly id: string; readonly name: string; readonly clientAmounts: boolean },
): Promise<void> {
  await tx
    .insertInto('merchants')
    .values({ id: merchant.id, name: merchant.name, client_amounts: merchant.clientAmounts })
    .execute();
}

/** The fields of a merchant that its owner may change; what is absent stays. `branding` is merged field by field. */
export interface MerchantChanges {
  readonly name?: string;
  readonly supportEmail?: string | null;
  readonly supportUrl?: string | null;
  readonly branding?: Partial<Branding>;
  readonly settlementAsset?: string;
  readonly stellarAddress?: string | null;
  readonly allowedOrigins?: readonly string[];
  readonly redirectOrigins?: readonly string[];
  readonly clientAmounts?: boolean;
  readonly toleranceBasisPoints?: number;
  readonly toleranceUnits?: bigint;
  readonly quoteSeconds?: number;
  readonly sessionSeconds?: number;
  readonly locale?: string;
  readonly timezone?: string;
  readonly address?: PostalAddress | null;
  readonly taxId?: string | null;
  readonly iban?: string | null;
  readonly bic?: string | null;
  readonly invoicePrefix?: string;
}

/** Changes the merchant and tells every process that it changed. */
export async function updateMerchant(tx: Tx, merchantId: string, changes: MerchantChanges): Promise<Merchant> {
  const given = <K extends keyof MerchantChanges>(name: K) => changes[name] !== undefined;
  const row = await tx
    .updateTable('merchants')
    .set({
      id: merchantId,
      ...(changes.name !== undefined && { name: changes.name }),
      ...(changes.supportEmail !== undefined && { support_email: changes.supportEmail }),
      ...(changes.supportUrl !== undefined && { support_url: changes.supportUrl }),
      ...(changes.settlementAsset !== undefined && { settlement_asset: changes.settlementAsset }),
      ...(changes.stellarAddress !== undefined && { stellar_address: changes.stellarAddress }),
      ...(changes.allowedOrigins !== undefined && { allowed_origins: [...changes.allowedOrigins] }),
      ...(changes.redirectOrigins !== undefined && { redirect_origins: [...changes.redirectOrigins] }),
      ...(changes.clientAmounts !== undefined && { client_amounts: changes.clientAmounts }),
      ...(changes.toleranceBasisPoints !== undefined && { tolerance_basis_points: changes.toleranceBasisPoints }),
      ...(changes.toleranceUnits !== undefined && { tolerance_units: changes.toleranceUnits }),
      ...(changes.quoteSeconds !== undefined && { quote_seconds: changes.quoteSeconds }),
      ...(changes.sessionSeconds !== undefined && { session_seconds: changes.sessionSeconds }),
      ...(changes.locale !== undefined && { locale: changes.locale }),
      ...invoiceColumns(changes),
    })
    .$if(given('branding'), query =>
      query.set({ branding: sql`merchants.branding || ${JSON.stringify(changes.branding)}::jsonb` }),
    )
    .where('id', '=', merchantId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await announceMerchant(tx, merchantId);
  return merchantFromRow(row);
}

/** What invoices say of the merchant. */
function invoiceColumns(changes: MerchantChanges) {
  const { timezone, address, taxId, iban, bic, invoicePrefix } = changes;
  return {
    ...(timezone !== undefined && { timezone }),
    ...(address !== undefined && { address: address === null ? null : JSON.stringify(address) }),
    ...(taxId !== undefined && { tax_id: taxId }),
    ...(iban !== undefined && { iban }),
    ...(bic !== undefined && { bic }),
    ...(invoicePrefix !== undefined && { invoice_prefix: invoicePrefix }),
  };
}

/** Moves the merchant's test clock ahead. It never goes back. */
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

/** Tells every process, when the transaction commits, that the merchant or its keys changed. */
export async function announceMerchant(tx: Tx, merchantId: string): Promise<void> {
  await announce(tx, [{ merchantId, resourceId: merchantId }]);
}
