import type { ColumnType, Kysely } from 'kysely';
import type { Db } from '../server/platform/db/database.ts';
import type { PromptRefusal } from '../server/rails/mobile-money/collecting.ts';

// Tables of the sandbox's acquirer, banks and mobile-money operators. The migrations that create them explain their
// columns.

type Moment = ColumnType<Date, Date, Date>;
type MaybeMoment = ColumnType<Date | null, Date | null, Date | null>;

export interface CardTokensTable {
  token: string;
  brand: string;
  last4: string;
  expiry_month: number;
  expiry_year: number;
  behavior: string;
  created_at: Moment;
  rail: string;
}

export interface ChargesTable {
  id: string;
  attempt_id: string;
  merchant_id: string;
  payee: string;
  token: string | null;
  brand: string;
  last4: string;
  amount: bigint;
  currency: string;
  state: 'requires_action' | 'authorized' | 'captured' | 'declined' | 'closed' | 'canceled' | 'released';
  capture_method: 'automatic' | 'manual';
  captured_amount: bigint | null;
  capture_behavior: 'captured' | 'delayed' | 'unanswered' | 'declined';
  captures_at: MaybeMoment;
  code: string | null;
  refund_behavior: 'completed' | 'pending' | 'failed';
  challenge: string | null;
  return_url: string;
  created_at: Moment;
  rail: string;
  payment_id: string | null;
}

export interface SandboxDisputesTable {
  id: string;
  charge_id: string;
  amount: bigint;
  currency: string;
  reason: string;
  evidence: string | null;
  submitted_at: MaybeMoment;
  accepted_at: MaybeMoment;
  created_at: Moment;
}

export interface SandboxCardEventsTable {
  rail: string;
  position: bigint;
  merchant_id: string;
  about: 'charge' | 'dispute';
  reference: string;
  payment_id: string | null;
  is_sent: boolean;
}

interface BankFeedsTable {
  rail: string;
  position: bigint;
}

export interface BankCreditsTable {
  rail: string;
  position: bigint;
  merchant_id: string;
  bank_reference: string;
  amount: bigint;
  currency: string;
  reference: string | null;
  sender: string | null;
  created_at: Moment;
}

export interface SandboxRefundsTable {
  rail: string;
  refund_id: string;
  id: string;
  merchant_id: string;
  original_reference: string | null;
  amount: bigint;
  currency: string;
  outcome: 'completed' | 'failed';
  settles_at: MaybeMoment;
  code: string | null;
  created_at: Moment;
}

export interface MobileTransfersTable {
  rail: string;
  order_id: string;
  id: string;
  merchant_id: string;
  number: string;
  amount: bigint;
  currency: string;
  outcome: 'completed' | 'failed';
  settles_at: Moment;
  code: string | null;
  returns: boolean;
  created_at: Moment;
}

interface MobileReturnsTable {
  rail: string;
  position: bigint;
  order_id: string;
  amount: bigint;
}

export interface MobilePromptsTable {
  rail: string;
  attempt_id: string;
  id: string;
  merchant_id: string;
  payment_id: string;
  payee: string;
  number: string;
  amount: bigint;
  currency: string;
  code: PromptRefusal['code'] | null;
  answered_at: MaybeMoment;
  created_at: Moment;
  expires_at: Moment;
}

interface BankFilesTable {
  name: string;
  reference: string;
  received_at: Moment;
}

interface BankAnswersTable {
  name: string;
  content: string;
  due_at: Moment;
  is_archived: boolean;
}

export interface KycChecksTable {
  subject: string;
  attempt: number;
  state: 'pending' | 'approved' | 'more_needed' | 'rejected';
  fields: string[];
  reasons: string[];
}

interface SandboxTables {
  'sandbox.card_tokens': CardTokensTable;
  'sandbox.charges': ChargesTable;
  'sandbox.disputes': SandboxDisputesTable;
  'sandbox.card_events': SandboxCardEventsTable;
  'sandbox.bank_feeds': BankFeedsTable;
  'sandbox.bank_credits': BankCreditsTable;
  'sandbox.refunds': SandboxRefundsTable;
  'sandbox.mobile_transfers': MobileTransfersTable;
  'sandbox.mobile_returns': MobileReturnsTable;
  'sandbox.mobile_prompts': MobilePromptsTable;
  'sandbox.bank_files': BankFilesTable;
  'sandbox.bank_answers': BankAnswersTable;
  'sandbox.kyc_checks': KycChecksTable;
}

/** The database with only the sandbox's tables. */
export type SandboxDb = Kysely<SandboxTables>;

export function sandboxDb(db: Db): SandboxDb {
  return db.$pickTables<never>().$extendTables<{ [K in keyof SandboxTables]: SandboxTables[K] }>();
}
