import { currencyDecimals, parseCurrency } from '../../../core/currency.ts';
import { parseUnits } from '../../../core/money.ts';
import { find, findAll, textAt, type XmlElement } from '../../../core/xml.ts';
import type { PaymentReport } from './bank-file.ts';

/** Whether the document is a debit and credit notification (camt.054). */
export function isCamt054(document: XmlElement): boolean {
  return find(document, 'BkToCstmrDbtCdtNtfctn') !== null;
}

/**
 * Reads the reports of our payments in a debit and credit notification (camt.054, any version). A credit with return
 * information reports the returned amount of a payment. A booked debit completes the payment or all payments of the
 * file that the debit names. Omits pending entries, and entries that name no payment. Throws Error for another
 * document, or a return without an amount.
 */
export function readCamt054(document: XmlElement): readonly PaymentReport[] {
  if (!isCamt054(document)) throw new Error('the document is not a debit and credit notification');
  return findAll(document, 'BkToCstmrDbtCdtNtfctn/Ntfctn/Ntry').flatMap(entry => {
    // Version 08 and later versions have the status in a child element `Cd`; earlier versions have it as text.
    const status = textAt(entry, 'Sts/Cd') ?? textAt(entry, 'Sts');
    if (status !== 'BOOK') return [];
    return [
      ...findAll(entry, 'NtryDtls/TxDtls').flatMap(details => reportOf(entry, details)),
      ...findAll(entry, 'NtryDtls').flatMap(details => batchReport(entry, details)),
    ];
  });
}

/** The report of one debit for a whole file, whose payments the bank does not list. */
function batchReport(entry: XmlElement, details: XmlElement): PaymentReport[] {
  const file = textAt(details, 'Btch/PmtInfId') ?? textAt(details, 'Btch/MsgId');
  const isDebit = textAt(entry, 'CdtDbtInd') === 'DBIT' && textAt(entry, 'RvslInd') !== 'true';
  if (file === null || !isDebit || find(details, 'TxDtls') !== null) return [];
  return [{ file, reference: null, state: 'completed', amount: null, code: null, text: null }];
}

function reportOf(entry: XmlElement, details: XmlElement): PaymentReport[] {
  const reference = textAt(details, 'Refs/EndToEndId');
  if (reference === null || reference === 'NOTPROVIDED') return [];
  const isCredit = (textAt(details, 'CdtDbtInd') ?? textAt(entry, 'CdtDbtInd')) === 'CRDT';
  // The message number in a return is that of the returning bank, so only the payment's own reference identifies it.
  const base = { file: null, reference, amount: null, code: null, text: null };
  if (!isCredit) return find(details, 'RtrInf') === null ? [{ ...base, state: 'completed' }] : [];
  const isReturn = find(details, 'RtrInf') !== null || textAt(entry, 'RvslInd') === 'true';
  if (!isReturn) return [];
  const code = textAt(details, 'RtrInf/Rsn/Cd') ?? textAt(details, 'RtrInf/Rsn/Prtry');
  const text = textAt(details, 'RtrInf/AddtlInf');
  return [{ ...base, state: 'returned', amount: amountOf(entry, details), code, text }];
}

/** The amount of the payment. Without its own amount, the only payment of an entry has the entry's amount. */
function amountOf(entry: XmlElement, details: XmlElement): bigint {
  const isOnlyPayment = findAll(entry, 'NtryDtls/TxDtls').length === 1;
  const amount =
    find(details, 'Amt') ?? find(details, 'AmtDtls/TxAmt/Amt') ?? (isOnlyPayment ? find(entry, 'Amt') : null);
  const currency = parseCurrency(amount?.attributes['Ccy'] ?? '');
  const units = currency === null ? null : parseDecimal(amount?.text ?? '', currencyDecimals(currency));
  if (units === null) throw new Error('a return states no amount');
  return units;
}

/** Reads a decimal amount. Banks may write more zeros than the currency has decimals. */
function parseDecimal(text: string, decimals: number): bigint | null {
  const trimmed = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return parseUnits(trimmed, decimals);
}
