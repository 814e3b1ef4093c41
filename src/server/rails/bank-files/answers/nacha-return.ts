import { type AnswerProblem, type PaymentReport, paymentReport, type ReadAnswer } from '../bank-file.ts';

/** Characters of a record. Banks trim trailing blanks, and may write records without line ends. */
const width = 94;

/**
 * Reads the returned and rejected payments in NACHA files of our bank, the ODFI (Nacha Operating Rules, appendices three
 * and four). A returned entry has an addenda record of type 99 with the reason. A rejected entry is our own record, with
 * `REJ` and the reason in place of the trace number. The entry's individual identification is our reference. A text may
 * have several files. An incomplete file is a problem and hides no other file. Throws Error for another text.
 */
export function readNachaReturns(text: string): ReadAnswer {
  const records = recordsOf(text);
  if (!/^1\d\d/.test(records[0] ?? '')) throw new Error('a NACHA file begins with a file header');
  const found = filesOf(records).map(readFile);
  return { reports: found.flatMap(({ reports }) => reports), problems: found.flatMap(({ problems }) => problems) };
}

/** The records by their position. A record whose trailing blanks were trimmed is filled up again. */
function recordsOf(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .flatMap(line => line.trimEnd().match(/.{1,94}/g) ?? [])
    .map(record => record.padEnd(width))
    .filter(record => record.trim() !== '' && !/^9+$/.test(record));
}

/** A file header begins the next file. */
function filesOf(records: readonly string[]): string[][] {
  const files: string[][] = [];
  for (const record of records) {
    if (record.startsWith('1')) files.push([]);
    files.at(-1)?.push(record);
  }
  return files;
}

/** An entry with its addenda records, and the header of its batch. */
interface Entry {
  readonly record: string;
  readonly batch: string;
  readonly header: string;
  readonly addenda: string[];
}

function readFile(records: readonly string[]): ReadAnswer {
  const [header = ''] = records;
  const control = records.find(record => record.startsWith('9'));
  const count = records.filter(record => /^[67]/.test(record)).length;
  if (!/^\d{8}$/.test(control?.slice(13, 21) ?? '') || Number(control?.slice(13, 21)) !== count) {
    const message =
      'The NACHA file is incomplete: its file control must state the number of its entries and addenda records.';
    return { reports: [], problems: [{ reason: 'unreadable', message }] };
  }
  const entries: Entry[] = [];
  let batch = '';
  for (const record of records) {
    if (record.startsWith('5')) batch = record;
    if (record.startsWith('6')) entries.push({ record, batch, header, addenda: [] });
    if (record.startsWith('7')) entries.at(-1)?.addenda.push(record);
  }
  const found = entries.map(readEntry);
  return { reports: found.flatMap(({ reports }) => reports), problems: found.flatMap(({ problems }) => problems) };
}

const only = (report: PaymentReport): ReadAnswer => ({ reports: [report], problems: [] });
const problem = (one: AnswerProblem): ReadAnswer => ({ reports: [], problems: [one] });

function readEntry(entry: Entry): ReadAnswer {
  const { record, batch, addenda } = entry;
  const reference = record.slice(39, 54).trim() || null;
  const rejection = rejectionOf(record) ?? rejectionOf(batch);
  const returned = addenda.find(each => each.startsWith('799'));
  const correction = addenda.find(each => each.startsWith('798'));
  if (returned !== undefined) return readReturn(entry, returned, reference);
  if (rejection !== null) return only(paymentReport('failed', { reference, ...rejection }));
  if (correction !== undefined) {
    const words = `${correction.slice(3, 6)} ${correction.slice(35, 64)}`.trim();
    const message = `The recipient’s bank asks to correct the account of a payment (${words}).`;
    return problem({ reason: 'unclear', message, reference });
  }
  return { reports: [], problems: [] };
}

/** The reason after `REJ` at the end of a record, in place of the trace number or the batch number. */
function rejectionOf(record: string): { readonly code: string | null; readonly text: string | null } | null {
  const match = /^ *REJ(.*)$/.exec(record.slice(79));
  if (match === null) return null;
  const reason = (match[1] ?? '').trim();
  const code = /^[A-Z]\d{2}/.exec(reason)?.[0] ?? null;
  return { code, text: reason === code || reason === '' ? null : reason };
}

function readReturn({ record, header }: Entry, addenda: string, reference: string | null): ReadAnswer {
  const digits = record.slice(29, 39);
  const trace = record.slice(79);
  const code = addenda.slice(3, 6);
  if (!/^\d{10}$/.test(digits) || !/^\d{15}$/.test(trace) || reference === null) {
    const message = `A return with the code ${code} cannot be read: its amount, trace or identification is wrong.`;
    return problem({ reason: 'unreadable', message, reference });
  }
  const text = addenda.slice(35, 79).trim() || null;
  // The trace number is unique among the files of a day, whose header states the moment.
  const entry = `ach:${header.slice(23, 34)}/${trace}`;
  return only(paymentReport('returned', { reference, amount: BigInt(digits), entry, code, text }));
}
