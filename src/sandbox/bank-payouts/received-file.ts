import { isRoutingNumber } from '../../core/bank/aba.ts';
import { isIban } from '../../core/bank/iban.ts';
import { currencyDecimals, parseCurrency } from '../../core/currency.ts';
import { parseUnits, sumOf } from '../../core/money.ts';
import { find, findAll, readXml, textAt, type XmlElement } from '../../core/xml.ts';

/**
 * Reads files like a bank. It imports nothing from the service's file writers, so that it detects their mistakes. It
 * refuses wrong counts, sums, hashes and check digits, and repeated references.
 */

export interface ReceivedPayment {
  readonly reference: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  readonly holder: string;
  /** For ACH, the routing number of the payee's bank. Otherwise empty. */
  readonly routing: string;
  /** The account number or IBAN of the payee. */
  readonly account: string;
}

export interface ReceivedFile {
  readonly format: 'pain.001' | 'nacha';
  /** The file's own reference: `MsgId` of a pain.001, or date, time, modifier and reference code of a NACHA header. */
  readonly reference: string;
  readonly payments: readonly ReceivedPayment[];
}

/** Reads a file. Throws an Error that describes the file's mistake. */
export function readBankFile(content: string): ReceivedFile {
  const file = content.startsWith('<') ? readPain001(content) : readNacha(content);
  const references = new Set(file.payments.map(({ reference }) => reference));
  demand(references.size === file.payments.length, 'two payments have the same reference');
  demand(file.payments.length > 0 && file.payments.every(({ amount }) => amount > 0n), 'an amount is not positive');
  return file;
}

function demand(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new Error(`the bank refuses the file: ${problem}`);
}

function readPain001(content: string): ReceivedFile {
  const document = readXml(content);
  const message = find(document, 'CstmrCdtTrfInitn');
  const header = message && find(message, 'GrpHdr');
  if (message === null || header === null) throw new Error('the bank refuses the file: it is not a pain.001');
  const groups = findAll(message, 'PmtInf');
  const payments = groups.flatMap(group => {
    demand(isIban(textAt(group, 'DbtrAcct/Id/IBAN') ?? ''), 'the debtor’s IBAN is wrong');
    const inside = findAll(group, 'CdtTrfTxInf').map(receivedTransfer);
    checkTotals(group, inside);
    return inside;
  });
  checkTotals(header, payments);
  return { format: 'pain.001', reference: textAt(header, 'MsgId') ?? '', payments };
}

/**
 * Checks the stated number and sum of payments. Each file of the service has one currency, so all amounts have the same
 * minor unit.
 */
function checkTotals(stated: XmlElement, payments: readonly ReceivedPayment[]): void {
  const decimals = currencyDecimals(payments[0]?.currency ?? 'EUR');
  const sum = parseUnits(textAt(stated, 'CtrlSum') ?? '', decimals);
  demand(textAt(stated, 'NbOfTxs') === String(payments.length), 'the number of payments is wrong');
  demand(sum === sumOf(payments.map(({ amount }) => amount)), 'the control sum is wrong');
}

function receivedTransfer(transfer: XmlElement): ReceivedPayment {
  const amount = find(transfer, 'Amt/InstdAmt');
  const currency = parseCurrency(amount?.attributes['Ccy'] ?? '') ?? '';
  demand(currency !== '', 'a currency is unknown');
  const iban = textAt(transfer, 'CdtrAcct/Id/IBAN');
  demand(iban === null || isIban(iban), 'an IBAN is wrong');
  return {
    reference: textAt(transfer, 'PmtId/EndToEndId') ?? '',
    amount: parseUnits(amount?.text ?? '', currencyDecimals(currency)) ?? 0n,
    currency,
    holder: textAt(transfer, 'Cdtr/Nm') ?? '',
    routing: '',
    account: iban ?? textAt(transfer, 'CdtrAcct/Id/Othr/Id') ?? '',
  };
}

const numberAt = (line: string, from: number, to: number) => BigInt(line.slice(from, to).trim() || '-1');

function readNacha(content: string): ReceivedFile {
  const lines = content.split('\n').filter(line => line !== '');
  demand(
    lines.every(line => line.length === 94),
    'a record does not have 94 characters',
  );
  demand(lines.length % 10 === 0, 'the last block is not full');
  const header = lines[0] ?? '';
  const control = lines.find(line => line.startsWith('9') && !line.startsWith('99999')) ?? '';
  const entries = lines.filter(line => line.startsWith('6'));
  const addenda = lines.filter(line => line.startsWith('7'));
  checkNachaTotals(control.slice(13, 55), entries, addenda);
  const batches = lines.filter(line => line.startsWith('8'));
  demand(numberAt(control, 1, 7) === BigInt(batches.length), 'the number of batches is wrong');
  demand(
    batches.every(batch => batch.slice(20, 32) === batch.slice(32, 44)),
    'a batch is not balanced',
  );
  return {
    format: 'nacha',
    reference: header.slice(23, 34) + header.slice(86),
    payments: entries.filter(line => line.startsWith('622')).map(receivedEntry),
  };
}

/** Compares count, hash, debits and credits of the file control record with the entries. */
function checkNachaTotals(totals: string, entries: readonly string[], addenda: readonly string[]): void {
  const hash = sumOf(entries.map(line => numberAt(line, 3, 11))) % 10_000_000_000n;
  const amounts = (code: string) =>
    sumOf(entries.filter(line => line.startsWith(`6${code}`)).map(line => numberAt(line, 29, 39)));
  demand(numberAt(totals, 0, 8) === BigInt(entries.length + addenda.length), 'the number of entries is wrong');
  demand(numberAt(totals, 8, 18) === hash, 'the entry hash is wrong');
  demand(numberAt(totals, 18, 30) === amounts('27'), 'the sum of debits is wrong');
  demand(numberAt(totals, 30, 42) === amounts('22'), 'the sum of credits is wrong');
}

function receivedEntry(line: string): ReceivedPayment {
  const routing = line.slice(3, 12);
  demand(isRoutingNumber(routing), 'a routing number is wrong');
  return {
    reference: line.slice(39, 54).trim(),
    amount: numberAt(line, 29, 39),
    currency: 'USD',
    holder: line.slice(54, 76).trim(),
    routing,
    account: line.slice(12, 29).trim(),
  };
}
