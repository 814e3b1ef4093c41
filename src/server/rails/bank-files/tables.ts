import type { Generated, Insertable, Selectable } from 'kysely';
import type { Json, Moment, MomentOrNull } from '../../platform/db/tables.ts';
import type { AsideReason, FileRailId } from './bank-file.ts';

/** States of an order; the state machine is in `bank-order.ts`. */
export type BankOrderState = 'accepted' | 'filed' | 'completed' | 'failed' | 'returned';

interface BankOrdersTable {
  rail: FileRailId;
  id: string;
  merchant_id: string;
  reference: string;
  amount: bigint;
  currency: string;
  destination: Json<Readonly<Record<string, string>>>;
  text: string | null;
  state: BankOrderState;
  file_id: string | null;
  failure_code: string | null;
  failure_message: string | null;
  returned_amount: bigint | null;
  settles_at: MomentOrNull;
  completed_by_date: Generated<boolean>;
  created_at: Moment;
}

interface BankFilesTable {
  id: string;
  rail: FileRailId;
  name: string;
  content: string;
  sha256: string;
  payments: number;
  state: 'composed' | 'sent';
  due_at: MomentOrNull;
  created_at: Moment;
}

interface BankAnswersTable {
  sha256: string;
  name: string;
  content: Buffer | null;
  reports: number;
  problem: string | null;
  received_at: Moment;
}

interface BankReturnsTable {
  rail: FileRailId;
  order_id: string;
  entry: string;
  amount: bigint;
  code: string;
  message: string;
  position: bigint | null;
  received_at: Moment;
}

interface PutAsideAnswersTable {
  id: string;
  sha256: string | null;
  name: string;
  reason: AsideReason;
  message: string;
  file_ids: string[];
  reference: string | null;
  order_id: string | null;
  amount: string | null;
  currency: string | null;
  order_amount: bigint | null;
  order_currency: string | null;
  received_at: Moment;
  handled_at: MomentOrNull;
  handled_by: string | null;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    bank_orders: BankOrdersTable;
    bank_files: BankFilesTable;
    bank_answers: BankAnswersTable;
    bank_returns: BankReturnsTable;
    put_aside_answers: PutAsideAnswersTable;
    bank_return_positions: { rail: string; position: bigint };
  }
}

export type BankOrderRow = Selectable<BankOrdersTable>;
export type BankFileRow = Selectable<BankFilesTable>;
export type NewBankFile = Insertable<BankFilesTable>;
export type NewBankAnswer = Insertable<BankAnswersTable>;
export type BankReturnRow = Selectable<BankReturnsTable>;
export type PutAsideRow = Selectable<PutAsideAnswersTable>;
