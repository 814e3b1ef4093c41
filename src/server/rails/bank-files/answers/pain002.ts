import { find, findAll, textAt, type XmlElement } from '../../../../core/xml.ts';
import { type AnswerProblem, type PaymentReport, paymentReport, type ReadAnswer } from '../bank-file.ts';
import { fileNameOf, reasonAt, referenceAt } from './iso-message.ts';

/** Status codes (ISO 20022, external payment transaction, payment information and group status). */
const states: Readonly<Record<string, PaymentReport['state']>> = {
  ACTC: 'accepted',
  ACCP: 'accepted',
  ACSP: 'accepted',
  ACWC: 'accepted',
  ACFC: 'accepted',
  ACWP: 'accepted',
  ACSC: 'completed',
  ACCC: 'completed',
  RJCT: 'failed',
  CANC: 'failed',
  PDNG: 'pending',
  PATC: 'pending',
  BLCK: 'pending',
  RCVD: 'received',
  PART: 'partial',
};

/** Reasons to refuse a file or payment as a repetition (ISO 20022). The bank may pay the first copy. */
const repetitions: ReadonlySet<string | null> = new Set(['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05']);

/** Whether the document is a payment status report (pain.002). */
export function isPain002(document: XmlElement): boolean {
  return find(document, 'CstmrPmtStsRpt') !== null;
}

/** A level of the report: the group (whole message), a batch, or a payment. */
interface Level {
  readonly status: string | null;
  readonly code: string | null;
  readonly text: string | null;
}

/**
 * Reads a payment status report (pain.002, any version). Each level decides all payments below it that have no status
 * of their own: the group its batches, and a batch its payments, also those that the report does not list.
 */
export function readPain002(document: XmlElement): ReadAnswer {
  const [report] = findAll(document, 'CstmrPmtStsRpt');
  if (report === undefined) throw new Error('the document is not a payment status report');
  const message = textAt(report, 'OrgnlGrpInfAndSts/OrgnlMsgId');
  const header = find(report, 'OrgnlGrpInfAndSts');
  const group = header === null ? noLevel : levelOf(header, 'GrpSts');
  const batches = findAll(report, 'OrgnlPmtInfAndSts');
  if (batches.length === 0) return readLevel(group, { file: message, reference: null });
  const found = batches.map(batch => readBatch(batch, group, message));
  return { reports: found.flatMap(({ reports }) => reports), problems: found.flatMap(({ problems }) => problems) };
}

const noLevel: Level = { status: null, code: null, text: null };

function levelOf(element: XmlElement, statusName: string): Level {
  return { status: textAt(element, statusName), ...reasonAt(element, 'StsRsnInf') };
}

interface Place {
  readonly file: string | null;
  readonly reference: string | null;
}

function readBatch(element: XmlElement, group: Level, message: string | null): ReadAnswer {
  const file = fileNameOf(textAt(element, 'OrgnlPmtInfId'), message);
  const own = levelOf(element, 'PmtInfSts');
  const batch = inherit(own, group);
  const listed = findAll(element, 'TxInfAndSts').map(payment => ({
    reference: referenceAt(payment, 'OrgnlEndToEndId', 'OrgnlInstrId'),
    level: levelOf(payment, 'TxSts'),
  }));
  const parts = [
    readLevel(batch, { file, reference: null }),
    ...listed.map(({ reference, level }) =>
      reference === null ? unnamed(level, batch, file) : readLevel(inherit(level, batch), { file, reference }),
    ),
  ];
  const reports = parts.flatMap(part => part.reports);
  const problems = parts.flatMap(part => part.problems);
  return { reports: withRepetitions(reports, own.code === null ? group : own), problems };
}

/** The level with the status of the level above if it has none. Equal statuses share the reason of the level above. */
function inherit(level: Level, above: Level): Level {
  const isSame = level.status === null || stateOf(level.status) === stateOf(above.status);
  const reason = isSame && level.code === null && level.text === null ? above : level;
  return { status: level.status ?? above.status, code: reason.code, text: reason.text };
}

/** A listed payment without ids. The status of its batch covers it; a different status of its own names no payment. */
function unnamed({ status }: Level, batch: Level, file: string | null): ReadAnswer {
  if (status === null || stateOf(status) === stateOf(batch.status)) return { reports: [], problems: [] };
  const message = `The bank reports the status ${status.slice(0, 10)} of a payment without its ids.`;
  return { reports: [], problems: [{ reason: 'unclear', message, file }] };
}

function stateOf(status: string | null): PaymentReport['state'] | undefined {
  return status !== null && Object.hasOwn(states, status) ? states[status] : undefined;
}

function readLevel({ status, code, text }: Level, { file, reference }: Place): ReadAnswer {
  const state = stateOf(status);
  if (state !== undefined) return { reports: [paymentReport(state, { file, reference, code, text })], problems: [] };
  // A level without a status says nothing. That matters only for a payment, which has no level below it.
  const words = status === null ? 'no status' : `the unknown status ${status.slice(0, 10)}`;
  const problem: AnswerProblem = { reason: 'unclear', message: `The bank reports ${words}.`, file, reference };
  return { reports: [], problems: status === null && reference === null ? [] : [problem] };
}

/**
 * Marks refusals of a second copy. A batch that the bank refuses as a repetition is none if the bank refuses one of its
 * payments for a reason of its own, because it has then checked the payments.
 */
function withRepetitions(reports: readonly PaymentReport[], batch: Level): PaymentReport[] {
  const refused = reports.filter(({ state, reference }) => state === 'failed' && reference !== null);
  const isChecked = refused.some(({ code }) => code !== null && !repetitions.has(code));
  const isRepeated = repetitions.has(batch.code) && !isChecked;
  return reports.map(report => {
    const { state, code, reference } = report;
    if (state !== 'failed') return report;
    const isOwn = repetitions.has(code) && (reference !== null || !isChecked);
    return isOwn || (isRepeated && code === null) ? { ...report, state: 'repeated' } : report;
  });
}
