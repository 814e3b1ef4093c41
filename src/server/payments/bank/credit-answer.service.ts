import type { Transfer } from '../../../api/transfer.ts';
import { keepAnswers } from '../../platform/http/idempotency/idempotency.store.ts';
import type { Execution, RenderedAnswer } from '../../platform/http/idempotency/idempotent-execution.ts';
import type { BankRail } from '../../rails/rail.ts';
import { transferToWire } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { TransferRow } from '../tables.ts';
import { findTransfers, storedTransfer } from '../transfer.store.ts';
import { receiveCredits } from './bank-credit.service.ts';

/** A call that has credited a merchant's bank account. Its answer is the credit's transfer. */
export interface CreditCall {
  readonly merchantId: string;
  readonly railReference: string;
  /** Renders the answer. */
  render(transfer: Transfer): ReturnType<Execution['render']>;
}

/**
 * Books the rail's new credits, and stores the answers of the calls: those of usual credits in the same commit. Returns
 * null for a call without a stored answer. Its credit is not booked yet, or another call has claimed its key.
 */
export async function answerCredits(
  deps: PaymentDeps,
  rail: BankRail,
  calls: readonly CreditCall[],
): Promise<(RenderedAnswer | null)[]> {
  let rendered: readonly CreditAnswer[] = [];
  const { transfers } = await receiveCredits(deps, rail, booked => {
    rendered = renderAnswers(calls, booked.map(storedTransfer));
    return rendered.flatMap(({ kept }) => kept ?? []);
  });
  // Answers of a transaction that was rolled back name transfers that do not exist.
  const booked = new Set(transfers.map(({ id }) => id));
  const stored = rendered.filter(({ transferId }) => booked.has(transferId));
  const answered = new Set(stored.map(({ call }) => call));
  const rest = calls.filter(call => !answered.has(call));
  const others = rest.length === 0 ? [] : renderAnswers(rest, await findTransfers(deps.db, rail.id, rest));
  const answers = new Map([...stored, ...(await storeAnswers(deps, others))].map(({ call, sent }) => [call, sent]));
  return calls.map(call => answers.get(call) ?? null);
}

/** The rendered answer of a call. `kept`: as it is stored. Null without an idempotency key. */
interface CreditAnswer extends ReturnType<CreditCall['render']> {
  readonly call: CreditCall;
  readonly transferId: string;
}

function renderAnswers(calls: readonly CreditCall[], transfers: readonly TransferRow[]): CreditAnswer[] {
  return calls.flatMap(call => {
    const { merchantId, railReference } = call;
    const transfer = transfers.find(
      ({ merchant_id, rail_reference }) => merchant_id === merchantId && rail_reference === railReference,
    );
    return transfer === undefined ? [] : [{ call, transferId: transfer.id, ...call.render(transferToWire(transfer)) }];
  });
}

/** Stores the answers. Returns those whose key no other call has claimed meanwhile. */
async function storeAnswers({ db }: PaymentDeps, answers: readonly CreditAnswer[]): Promise<CreditAnswer[]> {
  const keyed = answers.filter(({ kept }) => kept !== null);
  const isStored = await keepAnswers(
    db,
    keyed.flatMap(({ kept }) => kept ?? []),
  );
  return answers.filter(answer => answer.kept === null || isStored[keyed.indexOf(answer)] === true);
}
