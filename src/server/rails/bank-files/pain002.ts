import { find, findAll, textAt, type XmlElement } from '../../../core/xml.ts';
import type { PaymentReport } from './bank-file.ts';

/** Status codes (ISO 20022, external payment transaction and group status). Other codes are ignored. */
const states: Readonly<Record<string, PaymentReport['state']>> = {
  ...{ ACTC: 'accepted', ACCP: 'accepted', ACSP: 'accepted', ACWC: 'accepted', ACFC: 'accepted' },
  ...{ ACSC: 'completed', ACCC: 'completed' },
  ...{ RJCT: 'failed', CANC: 'failed' },
};

/** Reasons to refuse a file or payment as a repetition (ISO 20022). The bank may pay the first copy. */
const repetitions: ReadonlySet<string | null> = new Set(['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05']);

/** Whether the document is a payment status report (pain.002). */
export function isPain002(document: XmlElement): boolean {
  return find(document, 'CstmrPmtStsRpt') !== null;
}

/**
 * Reads a payment status report (pain.002, any version). A file's status applies to payments that the report does not
 * list. A group's status applies to its listed payments without a status.
 */
export function readPain002(document: XmlElement): readonly PaymentReport[] {
  const [report] = findAll(document, 'CstmrPmtStsRpt');
  if (report === undefined) throw new Error('the document is not a payment status report');
  const file = textAt(report, 'OrgnlGrpInfAndSts/OrgnlMsgId');
  const groups = findAll(report, 'OrgnlPmtInfAndSts');
  const fileStatus = find(report, 'OrgnlGrpInfAndSts');
  const reports = [
    ...(fileStatus === null ? [] : reportOf(fileStatus, textAt(fileStatus, 'GrpSts'), file, null)),
    ...groups.flatMap(group => groupReports(group, file)),
  ];
  const isRepeated = [...findAll(report, 'OrgnlGrpInfAndSts'), ...groups].some(level => repetitions.has(codeOf(level)));
  return reports.map(each =>
    each.state === 'failed' && (repetitions.has(each.code) || (isRepeated && each.code === null))
      ? { ...each, state: 'repeated' }
      : each,
  );
}

function groupReports(group: XmlElement, file: string | null): PaymentReport[] {
  const status = textAt(group, 'PmtInfSts');
  const payments = findAll(group, 'TxInfAndSts');
  // Our files have one group, so the group's status is the file's status.
  if (payments.length === 0) return reportOf(group, status, file, null);
  return payments.flatMap(payment => {
    const reference = textAt(payment, 'OrgnlEndToEndId') ?? textAt(payment, 'OrgnlInstrId');
    const ownStatus = textAt(payment, 'TxSts');
    const reason = find(payment, 'StsRsnInf') === null && ownStatus === null ? group : payment;
    return reference === null ? [] : reportOf(reason, ownStatus ?? status, file, reference);
  });
}

function reportOf(
  from: XmlElement,
  status: string | null,
  file: string | null,
  reference: string | null,
): PaymentReport[] {
  const state = status !== null && Object.hasOwn(states, status) ? states[status] : undefined;
  if (state === undefined) return [];
  return [{ file, reference, state, amount: null, code: codeOf(from), text: textAt(from, 'StsRsnInf/AddtlInf') }];
}

function codeOf(element: XmlElement): string | null {
  return textAt(element, 'StsRsnInf/Rsn/Cd') ?? textAt(element, 'StsRsnInf/Rsn/Prtry');
}
