import { ShownError } from '../controls/states.ts';

/** Maximum bytes of a file. The service has the same limit. */
const mostBytes = 16 * 1_048_576;

/** A file of payouts, read by the browser. */
export interface BatchFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads a file as text. Throws ShownError if the file is too large or not UTF-8. Without this check, the browser would
 * replace wrong bytes, and names would change unnoticed.
 */
export async function readBatchFile(file: File): Promise<BatchFile> {
  if (file.size > mostBytes) throw new ShownError('The file has more than 16 MiB. Split it into several batches.');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return { name: file.name, text };
  } catch {
    throw new ShownError(`“${file.name}” is not UTF-8. Save it as “CSV UTF-8” in your spreadsheet, and drop it again.`);
  }
}

/** An example of a file's columns and rows. */
export const exampleFile = [
  'amount,currency,reference,type,account_holder,iban,provider,number',
  '12500,EUR,wages-2026-11-001,bank_account,Ada Lovelace,DE89370400440532013000,,',
  '4200,EUR,wages-2026-11-002,mobile_money,,,mtn,+256772123456',
].join('\n');
