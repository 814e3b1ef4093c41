import { parseUnits } from '../../../core/money.ts';
import { failure, type MobileMoneyFailure } from './connector.ts';
import type { MpesaVerdict } from './mpesa.store.ts';
import { fieldsOf, type JsonFields, parseFields, textOf } from './provider-api.ts';
import type { MpesaOrderRow } from './tables.ts';

// Bodies that M-Pesa posts to us: {"Result": {"ResultCode", "ResultDesc", "ResultParameters": {"ResultParameter":
// […]}}}.

/**
 * ResultCodes of payments to customers, from published lists of the M-Pesa API. All other codes become
 * `provider_error`, because they concern the initiator, the account or M-Pesa itself.
 */
const resultCodes: Readonly<Record<string, MobileMoneyFailure>> = {
  '1': 'insufficient_funds',
  '3': 'account_limit_reached',
  '4': 'account_limit_reached',
  '5': 'insufficient_funds',
  '7': 'recipient_not_found',
  '8': 'account_limit_reached',
  '10': 'recipient_not_found',
  '12': 'recipient_not_found',
  '14': 'recipient_not_found',
  '1019': 'expired',
  '2040': 'recipient_not_found',
};

/** The failure that a ResultCode stands for. */
export function failureOfResult(code: string) {
  const known = Object.hasOwn(resultCodes, code) ? resultCodes[code] : undefined;
  return failure(known ?? 'provider_error', `result code ${code}`);
}

/** The ResultCode of a failure in a callback's body. Null for code 0, and for a body without a readable code. */
export function readReportedCode(body: string): string | null {
  const code = textOf(fieldsOf(parseFields(body)?.['Result']), 'ResultCode');
  return code !== null && /^[\w.]{1,20}$/.test(code) && code !== '0' ? code : null;
}

interface MpesaStatusAnswer {
  /** Null: M-Pesa has not decided yet. */
  readonly verdict: MpesaVerdict | null;
  /** What is wrong with the answer, for the operator. Null for a correct answer. */
  readonly problem: string | null;
}

const undecided: MpesaStatusAnswer = { verdict: null, problem: null };
const wrong = (problem: string): MpesaStatusAnswer => ({ verdict: null, problem });

/**
 * Reads the transaction status of an order. The status must name the order's id and amount. A ResultCode other than 0
 * means that the status request itself failed. It says nothing about the payment.
 */
export function readVerdict(body: string, row: MpesaOrderRow): MpesaStatusAnswer {
  const result = fieldsOf(parseFields(body)?.['Result']);
  if (result === null) return wrong('sent a status without a result');
  const code = textOf(result, 'ResultCode');
  if (code !== '0')
    return wrong(`did not return a transaction status (result code ${code?.slice(0, 20) ?? 'missing'})`);
  const parameters = parametersOf(result);
  const ids = [parameters.get('OriginatorConversationID'), parameters.get('ConversationID')];
  const isOwn = ids[0] === row.reference || (row.conversation_id !== null && ids[1] === row.conversation_id);
  if (!isOwn || parseUnits(parameters.get('Amount') ?? '', 2) !== row.amount) {
    return wrong('returned the status of a different transaction than the requested one');
  }
  switch (parameters.get('TransactionStatus')?.toLowerCase()) {
    case 'completed':
      return { verdict: { state: 'completed', receipt: parameters.get('ReceiptNo') ?? null }, problem: null };
    case 'failed':
    case 'declined':
    case 'cancelled':
      return { verdict: reasonedFailure(row), problem: null };
    case 'expired':
      return { verdict: failure('expired', 'M-Pesa let it expire'), problem: null };
    default:
      return undecided;
  }
}

/** The failure with its reason. The status has no reason, so the reason comes from the payment's own callback. */
function reasonedFailure({ reported_code: code }: MpesaOrderRow) {
  return code === null ? failure('provider_error', 'M-Pesa gives no reason') : failureOfResult(code);
}

function parametersOf(result: JsonFields): ReadonlyMap<string, string> {
  const list = [fieldsOf(result['ResultParameters'])?.['ResultParameter'] ?? []].flat();
  return new Map(
    list.flatMap(entry => {
      const fields = fieldsOf(entry);
      const [key, value] = [textOf(fields, 'Key'), textOf(fields, 'Value')];
      return key === null || value === null ? [] : [[key, value] as const];
    }),
  );
}
