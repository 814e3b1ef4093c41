import type { Insertable, Selectable } from 'kysely';
import type { Json, Moment, MomentOrNull } from '../../platform/db/tables.ts';
import type { FileRailId } from './bank-file.ts';

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
  return_position: bigint | null;
  settles_at: MomentOrNull;
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
  content: string;
  reports: number;
  problem: string | null;
  received_at: Moment;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    bank_orders: BankOrdersTable;
    bank_files: BankFilesTable;
    bank_answers: BankAnswersTable;
    bank_return_positions: { rail: string; position: bigint };
  }
}

export type BankOrderRow = Selectable<BankOrdersTable>;
export type BankFileRow = Selectable<BankFilesTable>;
export type NewBankFile = Insertable<BankFilesTable>;
export type NewBankAnswer = Insertable<BankAnswersTable>;
