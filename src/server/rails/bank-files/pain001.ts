import { toLatinText } from '../../../core/bank/latin-text.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { formatUnits, sumOf } from '../../../core/money.ts';
import { element, leaf, type XmlPiece, xmlDocument } from '../../../core/xml.ts';
import type { FilePayment } from './bank-file.ts';

/** The account that pays. */
export interface Debtor {
  readonly name: string;
  readonly iban: string;
  readonly bic: string;
}

/** The contents of a file of credit transfers. */
export interface CreditTransferFile {
  /** The file's name at the bank: at most 35 characters of SEPA's character set. */
  readonly reference: string;
  readonly createdAt: Date;
  /** `YYYY-MM-DD`, a bank day. */
  readonly executionDay: string;
  /** `sepa`: service level SEPA, with charges by the rule of the scheme. `swift`: any bank, with shared charges. */
  readonly variant: 'sepa' | 'swift';
  readonly debtor: Debtor;
  /** At least one payment, all in one currency. The file has one group, whose reference is the file's reference. */
  readonly payments: readonly FilePayment[];
}

/** Maximum characters of names in SEPA (EPC132-08), of names in SWIFT, and of remittance texts. */
const longest = { sepa: 70, swift: 140, text: 140 } as const;

/**
 * A file of credit transfers: ISO 20022 pain.001.001.09 by the customer-to-bank guidelines of SEPA (EPC132-08) or by
 * CBPR+. Texts are transliterated, because banks refuse other characters. Throws RangeError for mixed currencies.
 */
export function composePain001(file: CreditTransferFile): string {
  const { reference, createdAt, debtor, variant, payments } = file;
  if (new Set(payments.map(({ currency }) => currency)).size !== 1) throw new RangeError('a file has one currency');
  return xmlDocument(
    'Document',
    'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09',
    element('CstmrCdtTrfInitn', [
      element('GrpHdr', [
        leaf('MsgId', reference),
        leaf('CreDtTm', `${createdAt.toISOString().slice(0, 19)}Z`),
        ...totals(payments),
        element('InitgPty', leaf('Nm', nameOf(debtor.name, variant))),
      ]),
      group(file),
    ]),
  );
}

/** The number of payments and their sum. */
function totals(payments: readonly FilePayment[]): XmlPiece[] {
  const sum = sumOf(payments.map(({ amount }) => amount));
  const decimals = currencyDecimals(payments[0]?.currency ?? '');
  return [leaf('NbOfTxs', String(payments.length)), leaf('CtrlSum', formatUnits(sum, decimals))];
}

function group({ reference, variant, executionDay, debtor, payments }: CreditTransferFile): XmlPiece {
  return element('PmtInf', [
    leaf('PmtInfId', reference),
    leaf('PmtMtd', 'TRF'),
    leaf('BtchBookg', 'true'),
    ...totals(payments),
    variant === 'sepa' ? element('PmtTpInf', element('SvcLvl', leaf('Cd', 'SEPA'))) : null,
    element('ReqdExctnDt', leaf('Dt', executionDay)),
    element('Dbtr', leaf('Nm', nameOf(debtor.name, variant))),
    element('DbtrAcct', element('Id', leaf('IBAN', plain(debtor.iban)))),
    agent('DbtrAgt', debtor.bic),
    leaf('ChrgBr', variant === 'sepa' ? 'SLEV' : 'SHAR'),
    payments.map(payment => transfer(payment, variant)),
  ]);
}

function transfer(payment: FilePayment, variant: CreditTransferFile['variant']): XmlPiece {
  const { reference, amount, currency, destination, text } = payment;
  const { country } = destination;
  return element('CdtTrfTxInf', [
    element('PmtId', [leaf('InstrId', reference), leaf('EndToEndId', reference)]),
    element('Amt', leaf('InstdAmt', formatUnits(amount, currencyDecimals(currency)), { Ccy: currency })),
    creditorBank(destination),
    element('Cdtr', [
      leaf('Nm', nameOf(destination['account_holder'] ?? '', variant)),
      country === undefined ? null : element('PstlAdr', leaf('Ctry', country.toUpperCase())),
    ]),
    element('CdtrAcct', element('Id', account(destination))),
    element('RmtInf', leaf('Ustrd', toLatinText(text ?? '', longest.text))),
  ]);
}

function account({ iban, account: number = '' }: Readonly<Record<string, string>>): XmlPiece {
  return iban === undefined ? element('Othr', leaf('Id', plain(number).slice(0, 34))) : leaf('IBAN', plain(iban));
}

/** Clearing systems that identify a bank without BIC (ISO 20022, external clearing system identification). */
const clearingSystems: Readonly<Record<string, string>> = { GB: 'GBDSC', US: 'USABA' };

function creditorBank({ bic, routing, country = 'US' }: Readonly<Record<string, string>>): XmlPiece {
  if (bic !== undefined) return agent('CdtrAgt', bic);
  const system = leaf('Cd', clearingSystems[country.toUpperCase()] ?? null);
  const member = [element('ClrSysId', system), leaf('MmbId', plain(routing ?? ''))];
  return routing === undefined ? null : element('CdtrAgt', element('FinInstnId', element('ClrSysMmbId', member)));
}

function agent(name: string, bic: string): XmlPiece {
  return element(name, element('FinInstnId', leaf('BICFI', plain(bic))));
}

/** ISO 20022 requires a name. By the EPC's rules, NOTPROVIDED stands for an unknown name. */
function nameOf(name: string, variant: CreditTransferFile['variant']): string {
  return toLatinText(name, longest[variant]) || 'NOTPROVIDED';
}

function plain(text: string): string {
  return text.replace(/[\s-]/g, '').toUpperCase();
}
