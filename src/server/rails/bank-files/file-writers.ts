import { arrivalDayOf, executionDayOf } from '../../../core/bank/bank-days.ts';
import { idBody } from '../../../core/id.ts';
import { type FilePayment, type FileRailId, fileReferenceOf } from './bank-file.ts';
import { composeNacha, type Originator } from './nacha.ts';
import { composePain001, type Debtor } from './pain001.ts';

/** A file to write: its id, its payments in one currency, and the number of earlier files of the day. */
export interface FileDraft {
  readonly id: string;
  readonly createdAt: Date;
  readonly payments: readonly FilePayment[];
  readonly earlierToday: number;
}

export interface FileWriter {
  readonly rail: FileRailId;
  /** The end of the file's name. */
  readonly extension: string;
  write(draft: FileDraft): string;
}

/** The paying accounts. A null account means that its rails do not exist. */
export interface PayingAccounts {
  readonly debtor: Debtor | null;
  readonly originator: (Originator & { readonly entryClass: 'PPD' | 'CCD' }) | null;
}

/** The writers for the configured accounts. SEPA and SWIFT share one account, and ACH has its own. */
export function createFileWriters({ debtor, originator }: PayingAccounts): readonly FileWriter[] {
  const variants = debtor === null ? [] : (['sepa', 'swift'] as const).map(variant => transferWriter(variant, debtor));
  return originator === null ? variants : [...variants, achWriter(originator)];
}

function transferWriter(variant: 'sepa' | 'swift', debtor: Debtor): FileWriter {
  return {
    rail: variant,
    extension: 'xml',
    write: ({ id, createdAt, payments }) =>
      composePain001({
        variant,
        debtor,
        createdAt,
        payments,
        reference: fileReferenceOf(id),
        executionDay: executionDayOf(variant, createdAt),
      }),
  };
}

/** One character for each file of a day. After 36 files, the characters repeat. */
const modifiers = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

function achWriter({ entryClass, ...originator }: NonNullable<PayingAccounts['originator']>): FileWriter {
  return {
    rail: 'ach',
    extension: 'ach',
    write: ({ id, createdAt, payments, earlierToday }) =>
      composeNacha({
        createdAt,
        entryClass,
        originator,
        payments,
        reference: idBody(id).slice(0, 8),
        modifier: modifiers[earlierToday % modifiers.length] ?? 'A',
        effectiveDay: arrivalDayOf('ach', createdAt),
      }),
  };
}
