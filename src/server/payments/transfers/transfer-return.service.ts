import type { EventType } from '../../../api/event.ts';
import type { ReturnTransfer } from '../../../api/transfer.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { post } from '../../ledger/ledger.store.ts';
import { move, type Posting } from '../../ledger/posting.ts';
import type { Tx } from '../../platform/db/database.ts';
import { recordNextEvent } from '../../platform/events/outbox.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { runEach } from '../../platform/jobs/run-each.ts';
import type { RefundOutcome } from '../../rails/rail.ts';
import { changePayment, lockPayment } from '../payment.store.ts';
import { transferToWire } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { assertDestination } from '../refunds/refund-destination.ts';
import { sendBack } from '../refunds/refund-rail.service.ts';
import type { TransferRow } from './transfer.store.ts';
import {
  claimDueReturns,
  type DueReturn,
  endReturn,
  hasProblem,
  insertReturn,
  lockTransfer,
  updateTransfer,
} from './transfer-return.store.ts';

/** The sweep that sends money back which belongs to no payment. */
export const returnSweep = 'transfers.return';

/** The transfer of the caller's merchant, locked. Throws `resource_missing`. */
export async function requireTransfer(tx: Tx, caller: Caller, transferId: string): Promise<TransferRow> {
  const { merchant, livemode } = caller;
  const transfer = await lockTransfer(tx, { merchantId: merchant.id, livemode, transferId });
  if (transfer !== null) return transfer;
  throw new PayError('resource_missing', `No transfer ${transferId.slice(0, 64)} exists.`, { param: 'id' });
}

/**
 * Sends money back that belongs to no payment, or that names one but does not count towards it. Asked again it answers
 * where that stands. Throws `illegal_state` for money that counts, `parameter_missing` when nobody knows its sender and
 * no destination is given, or what is wrong with the destination.
 */
export async function returnTransfer(
  deps: Pick<PaymentDeps, 'crypto'>,
  tx: Tx,
  caller: Caller,
  transferId: string,
  { destination }: ReturnTransfer,
): Promise<TransferRow> {
  const transfer = await requireTransfer(tx, caller, transferId);
  if (transfer.status === 'returning' || transfer.status === 'returned') return transfer;
  assertReturnable(transfer);
  assertKnownWhere(deps, transfer, destination);
  await insertReturn(tx, {
    merchant_id: transfer.merchant_id,
    id: newId('transferReturn'),
    transfer_id: transfer.id,
    livemode: transfer.livemode,
    rail: transfer.rail,
    amount: transfer.amount,
    currency: transfer.currency,
    destination: destination === undefined ? null : JSON.stringify(destination),
    state: 'pending',
    due_at: caller.now,
    created_at: caller.now,
  });
  await postReturn(
    tx,
    transfer,
    'return',
    move('merchant.suspense', 'merchant.reserved', transfer.currency, transfer.amount),
    caller.now,
  );
  return await updateTransfer(tx, transfer, { status: 'returning', failure_code: null, failure_message: null });
}

function assertReturnable(transfer: TransferRow): void {
  if (!transfer.custodial) {
    throw new PayError('illegal_state', 'This money is in your own account. Send it back from there.');
  }
  if (transfer.status === 'matched' && transfer.problem === null) {
    throw new PayError('illegal_state', 'This money counts towards a payment. Refund the payment instead.');
  }
}

function assertKnownWhere(
  { crypto }: Pick<PaymentDeps, 'crypto'>,
  transfer: TransferRow,
  destination: ReturnTransfer['destination'],
): void {
  const rail = crypto.find(each => each.chain.id === transfer.chain && each.livemode === transfer.livemode);
  if (rail !== undefined && destination !== undefined) assertDestination(rail.chain, destination, 'destination');
  if (transfer.chain === null || transfer.sender !== null || destination !== undefined) return;
  throw new PayError('parameter_missing', 'Nobody knows who sent this. Say where it is to go.', {
    param: 'destination',
  });
}

async function postReturn(
  tx: Tx,
  transfer: TransferRow,
  kind: string,
  postings: readonly Posting[],
  now: Date,
): Promise<void> {
  const { merchant_id: merchantId, livemode, payment_id: paymentId } = transfer;
  await post(tx, { merchantId, livemode, kind, ...(paymentId === null ? {} : { paymentId }), postings, now });
}

/** Sends what waits, and asks after what is on its way. Returns how many it looked at. */
export async function sendReturns(deps: PaymentDeps): Promise<number> {
  const due = await claimDueReturns(deps.db, deps.clock.now(), 20);
  return await runEach(due, each => sendReturn(deps, each));
}

async function sendReturn(deps: PaymentDeps, due: DueReturn): Promise<void> {
  const outcome = await sendBack(deps, {
    refundId: due.id,
    merchantId: due.merchant_id,
    livemode: due.livemode,
    rail: due.rail,
    railReference: due.transfer_reference,
    amount: due.amount,
    currency: due.currency,
    destination: due.destination,
    sender: due.sender,
    attempts: due.attempts,
    directions: 0,
    now: due.clock,
  });
  if (outcome.state === 'pending' || outcome.state === 'unknown') return;
  await deps.db.transaction().execute(tx => bookReturn(deps, tx, due, outcome));
}

type EndedOutcome = Extract<RefundOutcome, { state: 'completed' | 'failed' }>;

async function bookReturn(deps: PaymentDeps, tx: Tx, due: DueReturn, outcome: EndedOutcome): Promise<void> {
  const now = due.clock;
  const key = { merchantId: due.merchant_id, livemode: due.livemode, transferId: due.transfer_id };
  const transfer = await lockTransfer(tx, key);
  if (transfer === null) throw new Error(`the transfer ${due.transfer_id} is gone`);
  const isSent = outcome.state === 'completed';
  const failure = isSent
    ? { failure_code: null, failure_message: null }
    : { failure_code: outcome.code, failure_message: outcome.message };
  const reference = isSent ? outcome.railReference : null;
  if (!(await endReturn(tx, due, { state: outcome.state, rail_reference: reference, ...failure }))) return;
  const to = isSent ? (`clearing.${due.rail}` as const) : 'merchant.suspense';
  await postReturn(
    tx,
    transfer,
    isSent ? 'return_sent' : 'return_failed',
    move('merchant.reserved', to, due.currency, due.amount),
    now,
  );
  const before = transfer.payment_id === null ? 'unmatched' : 'matched';
  const after = await updateTransfer(tx, transfer, { status: isSent ? 'returned' : before, ...failure });
  await tellTransfer(tx, after, isSent ? 'transfer.returned' : 'transfer.return_failed', { status: 'returning' }, now);
  if (isSent) await clearException(deps, tx, after, now);
}

/** A payment whose money in a wrong asset has all gone back has nothing unusual about it any more. */
async function clearException(deps: PaymentDeps, tx: Tx, transfer: TransferRow, now: Date): Promise<void> {
  if (transfer.payment_id === null) return;
  const payment = await lockPayment(tx, { merchantId: transfer.merchant_id, paymentId: transfer.payment_id });
  if (payment.exception !== 'wrong_asset' || (await hasProblem(tx, transfer.merchant_id, payment.id))) return;
  await changePayment(tx, deps, payment, { set: { exception: null }, now });
}

/** Tells of a transfer. */
export async function tellTransfer(
  tx: Tx,
  transfer: TransferRow,
  type: EventType,
  previous: object,
  now: Date,
): Promise<void> {
  await recordNextEvent(tx, {
    merchantId: transfer.merchant_id,
    livemode: transfer.livemode,
    type,
    resourceId: transfer.id,
    object: transferToWire(transfer),
    previous,
    now,
  });
}
