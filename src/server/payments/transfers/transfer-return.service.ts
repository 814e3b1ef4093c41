import type { EventType } from '../../../api/event.ts';
import type { ReturnTransfer } from '../../../api/transfer.ts';
import { PayError } from '../../../core/error.ts';
import { approve, takeWayOut, type WayOut } from '../../approvals/approval.service.ts';
import { type ApprovalPurpose, canceledFailure, notWaiting, type Valuer } from '../../approvals/approval.ts';
import { moneyText } from '../../ledger/balance-money.ts';
import { post } from '../../ledger/ledger.store.ts';
import { move, type Posting } from '../../ledger/posting.ts';
import { findMerchant } from '../../merchants/merchant.store.ts';
import type { ClockedOutbound, OutboundPurpose } from '../../outbound/outbound.ts';
import type { Tx } from '../../platform/db/database.ts';
import { recordNextEvent } from '../../platform/events/outbox.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { toleranceOf } from '../../platform/merchant.ts';
import { lockPayment } from '../payment.store.ts';
import { isPart } from '../payment.ts';
import { transferToWire } from '../payment.view.ts';
import { changePayment } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { readDestination } from '../refunds/refund.ts';
import { wayBack } from '../refunds/way-back.ts';
import type { PaymentRow, TransferRow } from '../tables.ts';
import { findProblems, lockTransfer, updateTransfer } from '../transfer.store.ts';

/** The purpose of outbound transfers that return uncounted money. Their resource is a transfer. */
export const returnPurpose = 'return';

/** Locks a transfer of the caller's merchant. Throws `resource_missing`. */
export async function requireTransfer(tx: Tx, caller: Caller, transferId: string): Promise<TransferRow> {
  const { merchant, livemode } = caller;
  const transfer = await lockTransfer(tx, { merchantId: merchant.id, livemode }, transferId);
  if (transfer !== null) return transfer;
  throw new PayError('resource_missing', `No transfer ${transferId.slice(0, 64)} exists.`, { param: 'id' });
}

/**
 * Returns a transfer that counts for no payment. To a named destination, another person may have to approve it first
 * (`valuer`: rates to the account's limit). A repeated call changes nothing. Throws `illegal_state` for a counted
 * transfer, `parameter_missing` if neither sender nor destination is known, and the errors of `readDestination`.
 */
export async function returnTransfer(
  deps: Pick<PaymentDeps, 'crypto' | 'rails' | 'outbound'>,
  tx: Tx,
  caller: Caller,
  transferId: string,
  { destination: given }: ReturnTransfer,
  valuer: Valuer | null = null,
): Promise<TransferRow> {
  const transfer = await requireTransfer(tx, caller, transferId);
  if (['awaiting_approval', 'returning', 'returned'].includes(transfer.status)) return transfer;
  assertReturnable(transfer);
  const destination = whereTo(deps, transfer, given);
  const { amount, currency: asset } = transfer;
  const attempt = transfer.return_count + 1;
  const waits = destination !== undefined && (await takeWayOut(tx, caller, wayOutOf(transfer, destination, valuer)));
  if (!waits) await queueReturn(deps, tx, { ...transfer, return_count: attempt }, destination, caller.now);
  await postReturn(tx, transfer, 'return', move('merchant.suspense', 'merchant.reserved', asset, amount), caller.now);
  const failure = { failure_code: null, failure_message: null };
  const status = waits ? 'awaiting_approval' : 'returning';
  return await updateTransfer(tx, transfer, { ...failure, status, return_count: attempt });
}

type Destination = ReturnTransfer['destination'];

function wayOutOf(transfer: TransferRow, destination: NonNullable<Destination>, valuer: Valuer | null): WayOut {
  const { id: objectId, amount, currency } = transfer;
  const summary = `Return of ${moneyText({ amount, currency })} to ${Object.values(destination).join(' ')}`;
  return {
    kind: 'return',
    objectId,
    summary,
    details: { destination },
    worth: valuer?.([{ amount, currency }]) ?? null,
  };
}

async function queueReturn(
  deps: Pick<PaymentDeps, 'rails' | 'outbound'>,
  tx: Tx,
  transfer: TransferRow,
  destination: Destination,
  now: Date,
): Promise<void> {
  const { merchant_id: merchantId, livemode, rail_reference: reference, amount, currency: asset } = transfer;
  const queued = {
    merchantId,
    livemode,
    amount,
    asset,
    purpose: returnPurpose,
    resourceId: transfer.id,
    attempt: transfer.return_count,
    ...wayBack(deps, { ...transfer, reference, isOnChain: transfer.chain !== null }, destination ?? null),
    source: null,
    value: amount,
    valueCurrency: asset,
    now,
  };
  await deps.outbound.queue(tx, [queued]);
}

/** Approvals of returns to a named destination. */
export function returnApprovals(deps: PaymentDeps): ApprovalPurpose {
  const lockWaiting = async (tx: Tx, caller: Caller, transferId: string) => {
    const transfer = await requireTransfer(tx, caller, transferId);
    if (transfer.status !== 'awaiting_approval') throw notWaiting();
    return transfer;
  };
  return {
    kind: 'return',
    prepare:
      async (_, { id, object_id: transferId }) =>
      async (tx, caller) => {
        const transfer = await lockWaiting(tx, caller, transferId);
        const { details } = await approve(tx, caller, id);
        const destination = details !== null && 'destination' in details ? details.destination : undefined;
        await queueReturn(deps, tx, transfer, destination, caller.now);
        await updateTransfer(tx, transfer, { status: 'returning' });
      },
    cancel: async (tx, caller, { object_id: transferId }) => {
      const { merchant_id, livemode, rail, currency: asset, amount } = await lockWaiting(tx, caller, transferId);
      const ended = { merchant_id, livemode, rail, asset, amount, state: 'failed', clock: caller.now } as const;
      await bookReturn(deps, tx, { ...ended, ...canceledFailure, resource_id: transferId });
    },
    wake: () => deps.outbound.wake(),
  };
}

function assertReturnable(transfer: TransferRow): void {
  if (!transfer.custodial) {
    throw new PayError('illegal_state', 'This money is in your own account. Send it back from that account.');
  }
  if (transfer.top_up_id !== null) {
    throw new PayError('illegal_state', 'This money is in your balance. Make a withdrawal instead.');
  }
  if (transfer.status === 'matched' && transfer.problem === null) {
    throw new PayError('illegal_state', 'This money counts towards a payment. Refund the payment instead.');
  }
}

/** The given destination in canonical form. Undefined: the transfer's sender. */
function whereTo(
  { crypto }: Pick<PaymentDeps, 'crypto'>,
  transfer: TransferRow,
  destination: ReturnTransfer['destination'],
): ReturnTransfer['destination'] {
  const rail = crypto.find(each => each.chain.id === transfer.chain && each.livemode === transfer.livemode);
  if (rail !== undefined && destination !== undefined) return readDestination(rail.chain, destination, 'destination');
  if (transfer.chain === null || transfer.sender !== null || destination !== undefined) return destination;
  throw new PayError('parameter_missing', 'The sender of this transfer is unknown. Give a destination.', {
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
  await post(tx, [{ merchantId, livemode, kind, ...(paymentId === null ? {} : { paymentId }), postings, now }]);
}

/** Creates the purpose of outbound transfers that return money. */
export function createReturnPurpose(deps: PaymentDeps): OutboundPurpose {
  return {
    name: returnPurpose,
    book: async (tx, ended) => {
      for (const sent of ended) await bookReturn(deps, tx, sent);
    },
  };
}

type Ending = 'merchant_id' | 'livemode' | 'resource_id' | 'clock' | 'state' | 'rail' | 'asset' | 'amount';

/** The outcome of sending a return. */
type EndedReturn = Pick<ClockedOutbound, Ending | 'failure_code' | 'failure_message'>;

async function bookReturn(deps: PaymentDeps, tx: Tx, sent: EndedReturn): Promise<void> {
  const { merchant_id: merchantId, livemode, resource_id: transferId, clock: now } = sent;
  const transfer = await lockTransfer(tx, { merchantId, livemode }, transferId);
  if (transfer === null) throw new Error(`the transfer ${transferId} does not exist`);
  const isSent = sent.state === 'completed';
  const to = isSent ? (`clearing.${transfer.rail}` as const) : 'merchant.suspense';
  const postings = move('merchant.reserved', to, sent.asset, sent.amount);
  await postReturn(tx, transfer, isSent ? 'return_sent' : 'return_failed', postings, now);
  const before = transfer.payment_id === null ? 'unmatched' : 'matched';
  const { failure_code, failure_message } = sent;
  const status = isSent ? 'returned' : before;
  const after = await updateTransfer(tx, transfer, { status, failure_code, failure_message });
  const type = isSent ? 'transfer.returned' : 'transfer.return_failed';
  await reportTransfer(tx, after, type, { status: transfer.status }, now);
  await followException(deps, tx, after, now);
}

/** Ends the payment's exception once all its problem money is returned. A failed return restores the exception. */
async function followException(deps: PaymentDeps, tx: Tx, transfer: TransferRow, now: Date): Promise<void> {
  if (transfer.payment_id === null) return;
  const payment = await lockPayment(tx, { merchantId: transfer.merchant_id, paymentId: transfer.payment_id });
  const isWaiting = payment.exception === 'wrong_asset' || payment.exception === 'paid_late';
  if ((payment.exception !== null && !isWaiting) || (await hasCreditedLate(tx, payment))) return;
  const problems = await findProblems(tx, transfer.merchant_id, payment.id);
  const isLate = problems.some(({ problem }) => problem === 'late');
  const exception = problems.length === 0 ? null : isLate ? ('paid_late' as const) : ('wrong_asset' as const);
  // A finished return must not restore an exception that the merchant has decided, while other returns are running.
  const mayReturn = isWaiting || transfer.status !== 'returned';
  if (mayReturn && exception !== payment.exception) await changePayment(tx, deps, payment, { set: { exception }, now });
}

/** Whether credited money, more than dust, also waits as late. It keeps the exception until the merchant decides. */
async function hasCreditedLate(tx: Tx, payment: PaymentRow): Promise<boolean> {
  if (payment.exception !== 'paid_late' || payment.amount_suspense === 0n) return false;
  const merchant = await findMerchant(tx, payment.merchant_id);
  return merchant !== null && isPart(payment.amount_suspense, toleranceOf(merchant));
}

/** Records an event of a transfer, with the earlier values of the changed fields. */
export async function reportTransfer(
  tx: Tx,
  transfer: TransferRow,
  type: EventType,
  previous: object,
  now: Date,
): Promise<void> {
  const { merchant_id: merchantId, livemode, id: resourceId } = transfer;
  await recordNextEvent(tx, {
    merchantId,
    livemode,
    type,
    resourceId,
    object: transferToWire(transfer),
    previous,
    now,
  });
}
