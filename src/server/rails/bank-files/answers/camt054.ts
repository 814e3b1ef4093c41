import { find, findAll, textAt, type XmlElement } from '../../../../core/xml.ts';
import { type AnswerProblem, type PaymentReport, paymentReport, type ReadAnswer } from '../bank-file.ts';
import { type BankAmount, parseBoolean, readAmount } from './amount-text.ts';
import { fileNameOf, reasonAt, referenceAt } from './iso-message.ts';

/** Whether the document is a debit and credit notification (camt.054). */
export function isCamt054(document: XmlElement): boolean {
  return find(document, 'BkToCstmrDbtCdtNtfctn') !== null;
}

/** A booked entry of the account. */
interface Entry {
  readonly element: XmlElement;
  /** The bank's name of the entry, for its returns. Null: the notification has no name either. */
  readonly name: string | null;
  readonly isCredit: boolean;
  readonly isReversal: boolean;
  readonly details: readonly XmlElement[];
}

/**
 * Reads the reports of our payments in a debit and credit notification (camt.054, any version). A credit with return
 * information, or a reversed debit, reports the returned amount of a payment. A booked debit completes its payment, or
 * all payments of the file that it names. Omits entries that are not booked. Throws Error for another document.
 */
export function readCamt054(document: XmlElement): ReadAnswer {
  const [message] = findAll(document, 'BkToCstmrDbtCdtNtfctn');
  if (message === undefined) throw new Error('the document is not a debit and credit notification');
  const messageId = textAt(message, 'GrpHdr/MsgId');
  const reports: PaymentReport[] = [];
  const problems: AnswerProblem[] = [];
  for (const notification of findAll(message, 'Ntfctn')) {
    const from = [messageId, textAt(notification, 'Id')].filter(part => part !== null).join('/');
    findAll(notification, 'Ntry').forEach((element, index) => {
      // Version 08 and later versions have the status in a child element `Cd`; earlier versions have it as text.
      if ((textAt(element, 'Sts/Cd') ?? textAt(element, 'Sts')) !== 'BOOK') return;
      const found = readEntry(entryOf(element, from, index));
      reports.push(...found.reports);
      problems.push(...found.problems);
    });
  }
  return { reports, problems };
}

function entryOf(element: XmlElement, from: string, index: number): Entry {
  const own = textAt(element, 'AcctSvcrRef');
  const ownName = own === null ? null : `ref:${own}`;
  return {
    element,
    name: ownName ?? (from === '' ? null : `${from}/${index}`),
    isCredit: textAt(element, 'CdtDbtInd') === 'CRDT',
    isReversal: parseBoolean(textAt(element, 'RvslInd')),
    details: findAll(element, 'NtryDtls/TxDtls'),
  };
}

function readEntry(entry: Entry): ReadAnswer {
  const parts = entry.details.map((details, index) => readDetails(entry, details, index));
  const batches = findAll(entry.element, 'NtryDtls').map(details => readBatch(entry, details));
  const all = [...parts, ...batches];
  return { reports: all.flatMap(({ reports }) => reports), problems: all.flatMap(({ problems }) => problems) };
}

const nothing: ReadAnswer = { reports: [], problems: [] };
const only = (report: PaymentReport): ReadAnswer => ({ reports: [report], problems: [] });
const problem = (one: AnswerProblem): ReadAnswer => ({ reports: [], problems: [one] });

const idsOf = (details: XmlElement) => referenceAt(details, 'Refs/EndToEndId', 'Refs/InstrId');

/** One debit of a whole file, whose payments the bank does not name one by one. */
function readBatch({ isCredit, isReversal }: Entry, details: XmlElement): ReadAnswer {
  const listed = findAll(details, 'TxDtls');
  const unnamed = listed.filter(each => idsOf(each) === null);
  if (listed.length > 0 && unnamed.length === 0) return nothing;
  const file = fileNameOf(
    ...['Btch/PmtInfId', 'Btch/MsgId'].map(path => textAt(details, path)),
    ...unnamed.slice(0, 1).flatMap(each => ['Refs/PmtInfId', 'Refs/MsgId'].map(path => textAt(each, path))),
  );
  if (file === null || unnamed.some(isReturn)) return nothing;
  if (!isCredit && !isReversal) return only(paymentReport('completed', { file }));
  const message = 'The bank credits a whole file, and does not say which payments came back.';
  return problem({ reason: 'unclear', message, file, onlyIfOurs: true });
}

const isReturn = (details: XmlElement) => find(details, 'RtrInf') !== null;

function readDetails(entry: Entry, details: XmlElement, index: number): ReadAnswer {
  const reference = idsOf(details);
  const own = textAt(details, 'CdtDbtInd');
  const isCredit = own === null ? entry.isCredit : own === 'CRDT';
  const isBack = isCredit && (isReturn(details) || entry.isReversal || isReturnCode(entry.element, details));
  if (isBack) return readReturn(entry, details, { reference, index });
  if (reference === null) return nothing;
  // The message number of an entry may be that of another bank, so only the payment's own reference identifies it.
  if (!isCredit && !isReturn(details) && !entry.isReversal) return only(paymentReport('completed', { reference }));
  const message = 'The entry names a payment of ours, but is neither its debit nor its return.';
  return problem({ reason: 'unclear', message, reference, onlyIfOurs: true, ...written(amountAt(entry, details)) });
}

/** Whether the bank transaction code says that a credit transfer was returned (ISO 20022 sub-family RRTN). */
function isReturnCode(...elements: readonly XmlElement[]): boolean {
  return elements.some(element => textAt(element, 'BkTxCd/Domn/Fmly/SubFmlyCd') === 'RRTN');
}

interface Named {
  readonly reference: string | null;
  readonly index: number;
}

/** The message number of a return is that of the returning bank, so only the payment's own reference identifies it. */
function readReturn(entry: Entry, details: XmlElement, { reference, index }: Named): ReadAnswer {
  const found = amountAt(entry, details);
  const { code, text } = reasonAt(details, 'RtrInf');
  if (reference === null) {
    const message = 'Money came back, and the bank does not name its payment.';
    return problem({ reason: 'unknown_payment', message, ...written(found) });
  }
  if (found?.units == null || found.units === 0n) {
    const message = 'The amount of a return cannot be read.';
    return problem({ reason: 'unreadable', message, reference, ...written(found) });
  }
  const { units: amount, currency } = found;
  const own = textAt(details, 'Refs/AcctSvcrRef');
  const name = entry.name === null ? null : `${entry.name}/${index}`;
  return only(
    paymentReport('returned', {
      reference,
      amount,
      currency,
      code,
      text,
      entry: own === null ? name : `ref:${own}`,
    }),
  );
}

const written = (found: BankAmount | null) => ({ amount: found?.text ?? null, currency: found?.currency ?? null });

/** The amount of the payment. Without its own amount, the only payment of an entry has the entry's amount. */
function amountAt(entry: Entry, details: XmlElement): BankAmount | null {
  const amount =
    find(details, 'Amt') ??
    find(details, 'AmtDtls/TxAmt/Amt') ??
    (entry.details.length === 1 ? find(entry.element, 'Amt') : null);
  return amount === null ? null : readAmount(amount.text, amount.attributes['Ccy'] ?? '');
}
