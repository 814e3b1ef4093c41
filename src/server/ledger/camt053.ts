import { currencyDecimals } from '../../core/currency.ts';
import { formatUnits } from '../../core/money.ts';
import { element, leaf, type XmlPiece, xmlDocument, xmlText } from '../../core/xml.ts';
import { bookingText } from './booking-text.ts';
import type { StatementEntry } from './statement.store.ts';

/** The head of a statement. Days are in the merchant's time zone. */
export interface StatementHead {
  readonly holder: { readonly id: string; readonly name: string };
  readonly account: string;
  readonly currency: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly from: Date;
  readonly until: Date;
  readonly now: Date;
  readonly opening: bigint;
  readonly closing: bigint;
}

/** A placeholder for the entries. */
const entriesHere = '<Ntry/>';

/**
 * The texts before and after the entries of a bank-to-customer statement, ISO 20022 camt.053.001.08. The account is
 * identified by the merchant's id.
 */
export function camt053Frame(head: StatementHead): readonly [string, string] {
  const id = `${head.currency}-${head.firstDay}-${head.lastDay}`;
  const made = leaf('CreDtTm', timeText(head.now));
  const text = xmlDocument(
    'Document',
    'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08',
    element('BkToCstmrStmt', [
      element('GrpHdr', [leaf('MsgId', id), made]),
      element('Stmt', [
        ...[leaf('Id', id), made],
        element('FrToDt', [leaf('FrDtTm', timeText(head.from)), leaf('ToDtTm', timeText(head.until))]),
        accountOf(head),
        ...[balanceOf('OPBD', head.opening, head.firstDay, head), balanceOf('CLBD', head.closing, head.lastDay, head)],
        entriesHere,
      ]),
    ]),
  );
  const [before = '', after = ''] = text.split(entriesHere);
  return [before, after];
}

function accountOf({ holder, account, currency }: StatementHead): XmlPiece {
  return element('Acct', [
    element('Id', element('Othr', leaf('Id', holder.id))),
    ...[leaf('Ccy', currency), leaf('Nm', account)],
    element('Ownr', leaf('Nm', holder.name.slice(0, 140))),
  ]);
}

function balanceOf(code: 'OPBD' | 'CLBD', amount: bigint, day: string, { currency }: StatementHead): XmlPiece {
  return element('Bal', [
    element('Tp', element('CdOrPrtry', leaf('Cd', code))),
    ...amountOf(amount, currency),
    element('Dt', leaf('Dt', day)),
  ]);
}

/** One booked entry. The type of the transaction is the ledger's own name for it, and its text is for people. */
export function camt053Entry(entry: StatementEntry, currency: string): string {
  const reference = entry.refund_id ?? entry.payment_id ?? entry.resource_id;
  return xmlText(
    element('Ntry', [
      ...amountOf(entry.amount, currency),
      element('Sts', leaf('Cd', 'BOOK')),
      element('BookgDt', leaf('DtTm', timeText(entry.created_at))),
      leaf('AcctSvcrRef', entry.id),
      element('BkTxCd', element('Prtry', leaf('Cd', entry.kind))),
      element('NtryDtls', element('TxDtls', element('Refs', leaf('EndToEndId', reference)))),
      leaf('AddtlNtryInf', bookingText(entry.kind)),
    ]),
  );
}

function amountOf(amount: bigint, currency: string): XmlPiece[] {
  const text = formatUnits(amount < 0n ? -amount : amount, currencyDecimals(currency));
  return [leaf('Amt', text, { Ccy: currency }), leaf('CdtDbtInd', amount < 0n ? 'DBIT' : 'CRDT')];
}

function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
