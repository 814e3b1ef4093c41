import { type Selectable, sql, type Updateable } from 'kysely';
import type { Branding } from '../../api/merchant.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import { executePrepared } from '../platform/db/prepared.ts';
import { announce } from '../platform/events/outbox.ts';
import type { Merchant } from '../platform/merchant.ts';
import type { MerchantsTable } from './tables.ts';

/** Default branding of a merchant's pages. */
const plainBranding: Branding = {
  logo: null,
  icon: null,
  primary_color: null,
  background_color: null,
  font: 'system',
  border_style: 'rounded',
};

/** The column of each field that is stored unchanged. */
const columnOf = {
  id: 'id',
  name: 'name',
  createdAt: 'created_at',
  locale: 'locale',
  timezone: 'timezone',
  address: 'address',
  supportEmail: 'support_email',
  supportUrl: 'support_url',
  taxId: 'tax_id',
  iban: 'iban',
  bic: 'bic',
  legalRegistration: 'legal_registration',
  invoiceContact: 'invoice_contact',
  settlementAsset: 'settlement_asset',
  stellarAddress: 'stellar_address',
  invoicePrefix: 'invoice_prefix',
  settlementSchedule: 'settlement_schedule',
  settlementDestination: 'settlement_destination',
  settlementBatch: 'settlement_batch',
  settlementHour: 'settlement_hour',
  allowedOrigins: 'allowed_origins',
  redirectOrigins: 'redirect_origins',
  clientAmounts: 'client_amounts',
  receipts: 'receipts',
  matchBankCreditsByAmount: 'match_bank_credits_by_amount',
  toleranceBasisPoints: 'tolerance_basis_points',
  toleranceUnits: 'tolerance_units',
  quoteSeconds: 'quote_seconds',
  sessionSeconds: 'session_seconds',
  quoteGraceSeconds: 'quote_grace_seconds',
  lateMoney: 'late_money',
  payoutApprovalAmount: 'payout_approval_amount',
  payoutApprovalCurrency: 'payout_approval_currency',
  kyc: 'kyc',
} as const satisfies Record<Exclude<keyof Merchant, 'branding' | 'testClockOffsetMs'>, keyof MerchantsTable>;

export function merchantFromRow(row: Selectable<MerchantsTable>): Merchant {
  const fields = Object.entries(columnOf).map(([field, column]) => [field, row[column]]);
  const { branding, test_clock_offset_ms: offset } = row;
  const own = { branding: { ...plainBranding, ...branding }, testClockOffsetMs: Number(offset) };
  return { ...Object.fromEntries(fields), ...own };
}

export async function findMerchant(db: Executor, merchantId: string): Promise<Merchant | null> {
  const row = await db.selectFrom('merchants').selectAll().where('id', '=', merchantId).executeTakeFirst();
  return row === undefined ? null : merchantFromRow(row);
}

/** The merchants with these ids, by id. */
export async function findMerchants(db: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, Merchant>> {
  return ids.length === 0 ? new Map() : merchantsById((await executePrepared(db, merchantRows(ids))).rows);
}

/** The query of `findMerchants`. `merchantsById` reads its rows. */
export function merchantRows(ids: readonly string[]) {
  return sql<Selectable<MerchantsTable>>`select * from merchants where id = any (${[...ids]}::text[])`;
}

export function merchantsById(rows: readonly Selectable<MerchantsTable>[]): ReadonlyMap<string, Merchant> {
  return new Map(rows.map(row => [row.id, merchantFromRow(row)]));
}

/** The merchant's Stellar address and settlement schedule, locked against changes until the transaction ends. */
export async function lockSettlementTerms(tx: Tx, merchantId: string) {
  return await tx
    .selectFrom('merchants')
    .select(['stellar_address as address', 'settlement_schedule as schedule'])
    .where('id', '=', merchantId)
    .forShare()
    .executeTakeFirstOrThrow();
}

/** The oldest merchant, which the server created at its first start. */
export async function findFirstMerchant(db: Executor): Promise<Merchant | null> {
  const oldest = db.selectFrom('merchants').selectAll().orderBy('created_at').orderBy('id').limit(1);
  const [row] = (await executePrepared(db, oldest)).rows;
  return row === undefined ? null : merchantFromRow(row);
}

/** Inserts a merchant with the schema's defaults. */
export async function insertMerchant(
  tx: Tx,
  merchant: Pick<Merchant, 'id' | 'name' | 'clientAmounts'> & Partial<Pick<Merchant, 'stellarAddress'>>,
): Promise<void> {
  const { id, name, clientAmounts, stellarAddress = null } = merchant;
  const values = { id, name, client_amounts: clientAmounts, stellar_address: stellarAddress };
  await tx.insertInto('merchants').values(values).execute();
}

/** The fields that a merchant may change. Absent fields stay unchanged. `branding` is merged field by field. */
export type MerchantChanges = {
  readonly [K in Exclude<keyof Merchant, 'id' | 'branding' | 'testClockOffsetMs' | 'createdAt'>]?:
    | Merchant[K]
    | undefined;
} & { readonly branding?: Partial<Branding> | undefined };

/** Changes the merchant and notifies all processes. */
export async function updateMerchant(tx: Tx, merchantId: string, changes: MerchantChanges): Promise<Merchant> {
  const { branding, address, invoiceContact, settlementDestination: target, ...plain } = changes;
  const columns = Object.entries(plain).map(([field, value]) => [columnOf[field as keyof typeof plain], value]);
  const set: Updateable<MerchantsTable> = { id: merchantId, ...Object.fromEntries(columns) };
  if (invoiceContact !== undefined) set.invoice_contact = invoiceContact && JSON.stringify(invoiceContact);
  if (target !== undefined) set.settlement_destination = target && JSON.stringify(target);
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

/** Advances the merchant's test clock and notifies all processes. */
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

/** After the commit, notifies all processes that the merchant or its keys changed. */
export async function announceMerchant(tx: Tx, merchantId: string): Promise<void> {
  await announce(tx, [{ merchantId, resourceId: merchantId }]);
}
