import type { ColumnType, Generated } from 'kysely';
import type { InvoiceContact, SettlementBatch } from '../../api/merchant.ts';
import type { SettlementDestination } from '../../api/payout.ts';
import type { PostalAddress } from '../../api/schema.ts';
import type { Moment, MomentByDefault, MomentOrNull } from '../platform/db/tables.ts';

export interface MerchantsTable {
  id: string;
  name: string;
  support_email: string | null;
  support_url: string | null;
  branding: ColumnType<Record<string, unknown>, string | undefined, string>;
  settlement_asset: Generated<string>;
  stellar_address: string | null;
  settlement_schedule: Generated<'automatic' | 'manual'>;
  settlement_destination: ColumnType<SettlementDestination | null, string | null | undefined, string | null>;
  settlement_batch: Generated<SettlementBatch>;
  settlement_hour: Generated<number>;
  allowed_origins: Generated<string[]>;
  redirect_origins: Generated<string[]>;
  client_amounts: Generated<boolean>;
  tolerance_basis_points: Generated<number>;
  tolerance_units: Generated<bigint>;
  quote_seconds: Generated<number>;
  session_seconds: Generated<number>;
  quote_grace_seconds: Generated<number>;
  late_money: Generated<'wait' | 'market'>;
  match_bank_credits_by_amount: Generated<boolean>;
  locale: Generated<string>;
  receipts: Generated<boolean>;
  timezone: Generated<string>;
  address: ColumnType<PostalAddress | null, string | null | undefined, string | null>;
  tax_id: string | null;
  legal_registration: string | null;
  invoice_contact: ColumnType<InvoiceContact | null, string | null | undefined, string | null>;
  iban: string | null;
  bic: string | null;
  invoice_prefix: Generated<string>;
  payout_approval_amount: bigint | null;
  payout_approval_currency: string | null;
  kyc: Generated<'service' | 'platform'>;
  test_clock_offset_ms: Generated<bigint>;
  created_at: MomentByDefault;
}

export interface ApiKeysTable {
  id: string;
  merchant_id: string;
  hash: Buffer;
  type: 'secret' | 'publishable';
  livemode: boolean;
  name: string | null;
  hint: string;
  scopes: Generated<string[]>;
  api_version: string;
  created_by: ColumnType<string | null, string | null | undefined, string | null>;
  created_at: Moment;
  revoked_at: MomentOrNull;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    merchants: MerchantsTable;
    api_keys: ApiKeysTable;
  }
}
