import { computeCheckDigits } from '../../core/bank/iban.ts';
import { currencyDecimals } from '../../core/currency.ts';
import { formatUnits, sumOf } from '../../core/money.ts';
import { element, leaf, type XmlPiece, xmlDocument } from '../../core/xml.ts';
import type { ReceivedFile, ReceivedPayment } from './received-file.ts';

/** The answers of the sandbox bank: pain.002 reports, camt.054 notifications and NACHA return files. */

/** A payment with its ISO 20022 status: ACSC (settled), ACSP (in process), or RJCT (rejected) with a reason code. */
export interface PaymentStatus {
  readonly payment: ReceivedPayment;
  readonly status: 'ACSC' | 'ACSP' | 'RJCT';
  readonly reason: string | null;
}

const namespace = 'urn:iso:std:iso:20022:tech:xsd:';

/** A payment status report (pain.002.001.10) about payments of a file. */
export function statusReport(file: ReceivedFile, id: string, now: Date, statuses: readonly PaymentStatus[]): string {
  return xmlDocument(
    'Document',
    `${namespace}pain.002.001.10`,
    element('CstmrPmtStsRpt', [
      header(id, now),
      element('OrgnlGrpInfAndSts', [leaf('OrgnlMsgId', file.reference), leaf('OrgnlMsgNmId', 'pain.001.001.09')]),
      element('OrgnlPmtInfAndSts', [
        leaf('OrgnlPmtInfId', file.reference),
        statuses.map(({ payment, status, reason }) =>
          element('TxInfAndSts', [
            leaf('OrgnlEndToEndId', payment.reference),
            leaf('TxSts', status),
            reason === null ? null : element('StsRsnInf', element('Rsn', leaf('Cd', reason))),
          ]),
        ),
      ]),
    ]),
  );
}

const bban = '9990000000000001';

/**
 * The account that pays in test mode. Lithuania has not assigned its bank code, so no file of test mode can move money.
 */
export const sandboxPayingIban = `LT${computeCheckDigits('LT', bban)}${bban}`;

/**
 * A notification (camt.054.001.08) of booked entries. Without `returnCode`, the entries are debits of paid orders. With
 * `returnCode`, they are credits of payments that were returned for this reason.
 */
export function notification(
  id: string,
  now: Date,
  payments: readonly ReceivedPayment[],
  returnCode: string | null,
): string {
  const entries = payments.map(payment => bookedEntry(payment, returnCode));
  const own = [leaf('Id', id), element('Acct', element('Id', leaf('IBAN', sandboxPayingIban))), entries];
  return xmlDocument(
    'Document',
    `${namespace}camt.054.001.08`,
    element('BkToCstmrDbtCdtNtfctn', [header(id, now), element('Ntfctn', own)]),
  );
}

function bookedEntry({ amount, currency, reference }: ReceivedPayment, returnCode: string | null): XmlPiece {
  const text = formatUnits(amount, currencyDecimals(currency));
  const reason = returnCode === null ? null : element('RtrInf', element('Rsn', leaf('Cd', returnCode)));
  const details = [element('Refs', leaf('EndToEndId', reference)), leaf('Amt', text, { Ccy: currency }), reason];
  return element('Ntry', [
    leaf('Amt', text, { Ccy: currency }),
    leaf('CdtDbtInd', returnCode === null ? 'DBIT' : 'CRDT'),
    element('Sts', leaf('Cd', 'BOOK')),
    element('BkTxCd', element('Prtry', leaf('Cd', returnCode === null ? 'PAYOUT' : 'RETURN'))),
    element('NtryDtls', element('TxDtls', details)),
  ]);
}

function header(id: string, now: Date): XmlPiece {
  return element('GrpHdr', [leaf('MsgId', id), leaf('CreDtTm', `${now.toISOString().slice(0, 19)}Z`)]);
}

/** A returned payment, with the NACHA reason code of its return. */
export interface AchReturn {
  readonly payment: ReceivedPayment;
  readonly code: string;
}

const odfi = '11000000';
const padded = (value: number | bigint | string, width: number) => String(value).padStart(width, '0');

/** A NACHA file of returns: each entry with an addenda record of type 99. */
export function achReturns(now: Date, returns: readonly AchReturn[]): string {
  const day = now.toISOString().slice(2, 10).replaceAll('-', '');
  const hash = sumOf(returns.map(({ payment }) => BigInt(payment.routing.slice(0, 8)))) % 10_000_000_000n;
  const total = padded(sumOf(returns.map(({ payment }) => payment.amount)), 12);
  const count = returns.length * 2;
  const sums = `${padded(hash, 10)}${padded('', 12)}${total}`;
  const lines = [
    `101 ${odfi}0${'SANDBOX'.padEnd(10)}${day}${now.toISOString().slice(11, 16).replace(':', '')}A094101`.padEnd(94),
    `5200${'SANDBOX BANK'.padEnd(36)}${'SANDBOX'.padEnd(10)}PPD${'RETURN'.padEnd(16)}${day}   1${odfi}0000001`,
    ...returns.flatMap(returnLines),
    `8200${padded(count, 6)}${sums}${'SANDBOX'.padEnd(10)}${' '.repeat(25)}${odfi}0000001`,
  ];
  const blocks = Math.floor((lines.length + 10) / 10);
  lines.push(`9000001${padded(blocks, 6)}${padded(count, 8)}${sums}`.padEnd(94));
  while (lines.length % 10 !== 0) lines.push('9'.repeat(94));
  return `${lines.join('\n')}\n`;
}

function returnLines({ payment, code }: AchReturn, index: number): string[] {
  const { routing, account: number, amount, reference, holder } = payment;
  const trace = `${routing.slice(0, 8)}${padded(index + 1, 7)}`;
  return [
    `621${odfi}0${number.padEnd(17)}${padded(amount, 10)}${reference.padEnd(15)}${holder.padEnd(22)}  1${trace}`,
    `799${code}${odfi}${padded(index + 1, 7)}${' '.repeat(6)}${routing.slice(0, 8)}${' '.repeat(44)}${trace}`,
  ];
}
