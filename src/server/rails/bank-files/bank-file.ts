import { createHash } from 'node:crypto';
import type { BankRailId } from '../../../core/bank/rails.ts';
import { base32Of } from '../../../core/bank/transfer-reference.ts';

/** Parts of bank files and of bank reports, the same for all formats. */

/** The rails that exchange files with a bank. */
export const fileRails = ['sepa', 'swift', 'ach'] as const satisfies readonly BankRailId[];

export type FileRailId = (typeof fileRails)[number];

export interface FilePayment {
  /** Identifies the payment at the bank. Made by `referenceOf`, and unique in the file. */
  readonly reference: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /** The fields of a bank account (`BankAccountDestination`). */
  readonly destination: Readonly<Record<string, string>>;
  /** The text for the recipient, or null. */
  readonly text: string | null;
}

/**
 * A bank's report of one payment, or of all payments of a file without a report of their own.
 *
 * - `received`: the bank has the payment. `pending`: the bank has not decided. `accepted`: the bank will execute it.
 * - `repeated`: the bank refuses a second copy, and may execute the first.
 * - `partial`: some payments of the file are accepted, and the report does not say which.
 */
export interface PaymentReport {
  /** The file of the payment, by the bank's name for the file. Null: not stated. */
  readonly file: string | null;
  /** The payment's reference. Null: every payment of the file without a report of its own. */
  readonly reference: string | null;
  readonly state: 'failed' | 'repeated' | 'completed' | 'returned' | 'accepted' | 'pending' | 'received' | 'partial';
  /** Returned amount in minor units of `currency`. Null: the whole amount. */
  readonly amount: bigint | null;
  /** Currency of `amount`. Null: not stated. */
  readonly currency: string | null;
  /** The bank's name of a return, so that the same return counts once. Null: the bank gives it no name. */
  readonly entry: string | null;
  /** The bank's code: ISO 20022 (`AC04`) or NACHA (`R02`). */
  readonly code: string | null;
  /** The bank's explanation. */
  readonly text: string | null;
}

/** Why an answer, or a part of it, is put aside for the operator. */
export type AsideReason =
  | 'unreadable'
  | 'unsupported'
  | 'unclear'
  | 'unrelated'
  | 'unknown_payment'
  | 'unknown_file'
  | 'other_currency'
  | 'excess'
  | 'contradiction'
  | 'repeated';

/** A part of an answer that its reader does not understand. */
export interface AnswerProblem {
  readonly reason: AsideReason;
  readonly message: string;
  /** The file and the payment that the part names, by the bank's names. */
  readonly file?: string | null;
  readonly reference?: string | null;
  /** Amount as decimal text, and its currency, as the bank wrote them. */
  readonly amount?: string | null;
  readonly currency?: string | null;
  /** The part only matters if it names a payment or file of ours: accounts also have other money. */
  readonly onlyIfOurs?: boolean;
}

/** What a reader finds in an answer. One unreadable part never hides the others. */
export interface ReadAnswer {
  readonly reports: readonly PaymentReport[];
  readonly problems: readonly AnswerProblem[];
}

/** A report with only these fields. */
export function paymentReport(
  state: PaymentReport['state'],
  fields: Partial<Omit<PaymentReport, 'state'>>,
): PaymentReport {
  const empty = { file: null, reference: null, amount: null, currency: null, entry: null, code: null, text: null };
  return { ...empty, ...fields, state };
}

/** The largest amount of one payment, in minor units: ten digits of NACHA, eleven of SEPA (EPC115-06). */
export const mostPerPayment: Readonly<Record<FileRailId, bigint>> = {
  ach: 9_999_999_999n,
  sepa: 99_999_999_999n,
  swift: 99_999_999_999_999n,
};

/**
 * The payment's reference for the bank. ISO 20022 allows 35 characters, but SEPA does not forward underscores
 * (EPC217-08). NACHA allows 15 characters, so its reference is 75 bits of the id's hash.
 */
export function referenceOf(rail: FileRailId, orderId: string): string {
  if (rail !== 'ach' && /^[A-Za-z0-9_]{1,35}$/.test(orderId)) return orderId.replaceAll('_', '-');
  const digest = createHash('sha256').update(orderId).digest();
  return base32Of(digest.subarray(0, rail === 'ach' ? 15 : 30));
}

/** The id of a file for the bank: without the underscore. */
export function fileReferenceOf(fileId: string): string {
  return fileId.replaceAll('_', '-');
}

/** The id of the file to which a bank's reference belongs. */
export function fileIdOf(reference: string): string {
  return reference.replace('-', '_');
}
