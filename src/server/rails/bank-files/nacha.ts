import { toLatinText } from '../../../core/bank/latin-text.ts';
import { sumOf } from '../../../core/money.ts';
import { type FilePayment, mostPerPayment } from './bank-file.ts';

/** The company that pays, and its bank (ODFI). */
export interface Originator {
  /** The bank's routing number, nine digits, and its name. */
  readonly routing: string;
  readonly bankName: string;
  /** The company's account at the bank, which the offset entry debits. At most 17 characters. */
  readonly account: string;
  readonly companyName: string;
  /** Ten characters assigned by the bank, often `1` and the tax number. */
  readonly companyId: string;
}

/** The contents of a file of ACH credits. */
export interface AchFile {
  /** Eight characters for the company's own use. */
  readonly reference: string;
  readonly createdAt: Date;
  /** Different for each file of a day: A to Z, then 0 to 9. */
  readonly modifier: string;
  /** `YYYY-MM-DD`, the day on which the money should arrive. */
  readonly effectiveDay: string;
  /** `PPD`: people are paid. `CCD`: companies are paid. */
  readonly entryClass: 'PPD' | 'CCD';
  readonly originator: Originator;
  /** At least one payment, in US cents. References have at most 15 characters. */
  readonly payments: readonly FilePayment[];
}

/** The largest total of a file: twelve digits of cents. */
export const mostPerAchFile = 999_999_999_999n;

const lineLength = 94;
const linesPerBlock = 10;
/** Transaction codes: credit to and debit of a checking account. */
const credit = '22';
const debit = '27';
/** Debits and credits in one batch. */
const mixed = '200';

/**
 * A NACHA file of credits (Nacha Operating Rules, appendix three). Each batch is balanced: an offset entry debits the
 * company's own account by the sum of the credits. A batch ends before this sum exceeds the ten digits of an entry.
 */
export function composeNacha(file: AchFile): string {
  if (sumOf(file.payments.map(({ amount }) => amount)) > mostPerAchFile) throw new RangeError('too much for one file');
  const batches: Batch[] = [];
  let sequence = 1;
  for (const payments of batchesOf(file.payments)) {
    batches.push(batchOf(file, payments, batches.length + 1, sequence));
    sequence += payments.length + 1;
  }
  const lines = [fileHeader(file), ...batches.flatMap(({ lines }) => lines)];
  const blocks = Math.floor((lines.length + linesPerBlock) / linesPerBlock);
  lines.push(fileControl(batches, blocks));
  const padding = Array<string>(blocks * linesPerBlock - lines.length).fill('9'.repeat(lineLength));
  return `${[...lines, ...padding].join('\n')}\n`;
}

interface Batch {
  readonly lines: readonly string[];
  /** Entries and addenda. */
  readonly count: number;
  readonly hash: bigint;
  /** Total of the credits in cents. The offset debit has the same amount. */
  readonly total: bigint;
}

function batchesOf(payments: readonly FilePayment[]): FilePayment[][] {
  const batches: FilePayment[][] = [];
  let sum = 0n;
  for (const payment of payments) {
    sum += payment.amount;
    const last = batches.at(-1);
    if (last !== undefined && sum <= mostPerPayment.ach) last.push(payment);
    else {
      batches.push([payment]);
      sum = payment.amount;
    }
  }
  return batches;
}

function batchOf(file: AchFile, payments: readonly FilePayment[], number: number, sequence: number): Batch {
  const { originator } = file;
  const total = sumOf(payments.map(({ amount }) => amount));
  const offset: Entry = {
    code: debit,
    routing: originator.routing,
    account: originator.account,
    amount: total,
    text: null,
    reference: 'OFFSET',
    name: originator.companyName,
  };
  const entries = [...payments.map(creditEntry), offset];
  const details = entries.flatMap((entry, index) => entryLines(entry, originator.routing, sequence + index));
  const hash = sumOf(entries.map(({ routing }) => BigInt(routing.slice(0, 8))));
  const batch = { count: details.length, hash, total };
  const end = `${left(originator.routing.slice(0, 8), 8)}${right(number, 7)}`;
  return { ...batch, lines: [batchHeader(file, end), ...details, batchControl(batch, originator, end)] };
}

interface Entry {
  readonly code: string;
  readonly routing: string;
  readonly account: string;
  readonly amount: bigint;
  readonly reference: string;
  readonly name: string;
  readonly text: string | null;
}

function creditEntry({ amount, destination, reference, text }: FilePayment): Entry {
  return {
    code: credit,
    amount,
    reference,
    text,
    routing: destination['routing'] ?? '',
    account: (destination['account'] ?? '').replace(/\s/g, ''),
    name: destination['account_holder'] ?? 'NOTPROVIDED',
  };
}

function fileHeader({ originator, createdAt, modifier, reference }: AchFile): string {
  const time = createdAt.toISOString();
  return line([
    `101 ${originator.routing}${left(originator.companyId, 10)}`,
    `${shortDay(time)}${time.slice(11, 13)}${time.slice(14, 16)}${modifier}094101`,
    `${ascii(originator.bankName, 23)}${ascii(originator.companyName, 23)}${left(reference, 8)}`,
  ]);
}

function batchHeader({ originator, entryClass, effectiveDay }: AchFile, end: string): string {
  return line([
    `5${mixed}${ascii(originator.companyName, 16)}${left('', 20)}${left(originator.companyId, 10)}${entryClass}`,
    `${left('PAYOUT', 10)}${left('', 6)}${shortDay(effectiveDay)}${left('', 3)}1${end}`,
  ]);
}

function entryLines(entry: Entry, odfi: string, sequence: number): string[] {
  const info = toLatinText(entry.text ?? '', 80);
  const { code, routing, account, amount, reference, name } = entry;
  const detail = line([
    `6${code}${routing}${left(account, 17)}${right(amount, 10)}${left(reference, 15)}${ascii(name, 22)}`,
    `${left('', 2)}${info === '' ? 0 : 1}${odfi.slice(0, 8)}${right(sequence, 7)}`,
  ]);
  return info === '' ? [detail] : [detail, line([`705${ascii(info, 80)}0001${right(sequence, 7)}`])];
}

function batchControl({ count, hash, total }: Omit<Batch, 'lines'>, { companyId }: Originator, end: string): string {
  return line([
    `8${mixed}${right(count, 6)}${hashText(hash)}${right(total, 12)}${right(total, 12)}${left(companyId, 10)}`,
    `${left('', 19)}${left('', 6)}${end}`,
  ]);
}

function fileControl(batches: readonly Batch[], blocks: number): string {
  const count = batches.reduce((sum, batch) => sum + batch.count, 0);
  const total = right(sumOf(batches.map(batch => batch.total)), 12);
  return line([
    `9${right(batches.length, 6)}${right(blocks, 6)}${right(count, 8)}`,
    `${hashText(sumOf(batches.map(({ hash }) => hash)))}${total}${total}${left('', 39)}`,
  ]);
}

/** The lowest ten digits of the sum of the routing numbers without their check digits. */
function hashText(hash: bigint): string {
  return right(hash % 10_000_000_000n, 10);
}

function line(parts: readonly string[]): string {
  const text = parts.join('');
  if (text.length !== lineLength) throw new RangeError(`a NACHA record has ${lineLength} characters: ${text}`);
  return text;
}

function left(text: string, width: number): string {
  return text.padEnd(width);
}

function right(value: bigint | number, width: number): string {
  return String(value).padStart(width, '0');
}

function ascii(text: string, width: number): string {
  return left(toLatinText(text, width).toUpperCase(), width);
}

/** `YYMMDD` of a day or moment. */
function shortDay(iso: string): string {
  return iso.slice(2, 10).replaceAll('-', '');
}
