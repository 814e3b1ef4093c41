import type { ColumnType, Generated, Selectable } from 'kysely';
import type { KycFile, KycFlag, KycStatus, KycTier, KycType } from '../../api/kyc/kyc.ts';
import type { Json, Moment, MomentOrNull } from '../platform/db/tables.ts';

interface KycRecordsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  customer_id: string;
  type: KycType;
  status: KycStatus;
  tier: KycTier | null;
  requested_tier: KycTier;
  provided: string[];
  sealed: ColumnType<Buffer | null, Buffer | null, Buffer | null>;
  asked_again: string[];
  rejection_reasons: Json<readonly string[]>;
  flags: Json<readonly KycFlag[]>;
  provider: string | null;
  provider_reference: string | null;
  attempt: number;
  submitted: boolean;
  callback_id: string | null;
  callback_at: MomentOrNull;
  due_at: MomentOrNull;
  asked: number;
  decided_by: string | null;
  decided_at: MomentOrNull;
  version: Generated<number>;
  event_sequence: Generated<number>;
  begun_by: string | null;
  created_at: Moment;
}

/** Media types of files. */
export type KycFileType = KycFile['type'];

interface KycFilesTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  customer_id: string;
  field: string;
  type: KycFileType;
  size: number;
  sha256: string;
  key_id: string;
  sealed: Buffer;
  created_at: Moment;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    kyc_records: KycRecordsTable;
    kyc_files: KycFilesTable;
  }
}

/** A row of `kyc_records`. Times are on the merchant's clock, except those of callbacks. */
export type KycRow = Selectable<KycRecordsTable>;

export type KycFileRow = Selectable<KycFilesTable>;
