import { defineMachine } from '../../../core/machine.ts';
import type { SendOrder, SendOutcome } from '../../outbound/sender.ts';
import { type BankFailure, bankFailureOf } from './answers/reason-codes.ts';
import { type FileRailId, mostPerPayment, referenceOf } from './bank-file.ts';
import type { BankOrderRow, BankOrderState } from './tables.ts';

/**
 * An order waits for a file, is filed, and then completes or fails. The bank may return the money of a completed order,
 * in parts too. A filed order is `returned` when the bank sends back only a part of its amount.
 */
export const bankOrderMachine = defineMachine<BankOrderState>({
  accepted: ['filed'],
  filed: ['completed', 'failed', 'returned'],
  completed: ['returned'],
  failed: [],
  returned: ['returned'],
});

/** A row to insert. The order is accepted, or has failed at once with a reason. */
export type NewBankOrder = Omit<BankOrderRow, 'file_id' | 'returned_amount' | 'completed_by_date' | 'settles_at'>;

/** The row of an order received at `now` (server's clock). `isPayable`: the rail can pay the order's destination. */
export function newBankOrder(rail: FileRailId, order: SendOrder, isPayable: boolean, now: Date): NewBankOrder {
  const refusal = refusalOf(rail, order, isPayable);
  const { id, merchantId, amount, currency, destination, text } = order;
  return {
    rail,
    id,
    merchant_id: merchantId,
    amount,
    currency,
    destination: destination ?? {},
    text: text ?? null,
    reference: referenceOf(rail, id),
    state: refusal === null ? 'accepted' : 'failed',
    failure_code: refusal?.code ?? null,
    failure_message: refusal?.message ?? null,
    created_at: now,
  };
}

function refusalOf(rail: FileRailId, { amount, original }: SendOrder, isPayable: boolean) {
  const refuse = (code: BankFailure, message: string) => ({ code, message });
  if (!isPayable || original !== null) {
    return refuse('recipient_not_allowed', 'This bank rail cannot pay the account in this currency.');
  }
  if (amount <= 0n) return refuse('provider_error', 'The amount must be at least one unit.');
  if (amount > mostPerPayment[rail]) {
    return refuse('account_limit_reached', 'The amount exceeds the limit of one payment by this rail. Split it.');
  }
  return null;
}

/** The outcome that the row states. The reference is the file's id; before filing, the order's id. */
export function outcomeOf(row: BankOrderRow): SendOutcome {
  const railReference = row.file_id ?? row.id;
  if (row.state === 'failed') {
    const { code, message } = bankFailureOf(null, null);
    return { state: 'failed', code: row.failure_code ?? code, message: row.failure_message ?? message };
  }
  return { state: row.state === 'accepted' || row.state === 'filed' ? 'pending' : 'completed', railReference };
}
