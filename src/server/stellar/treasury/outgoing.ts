import { defineMachine } from '../../../core/machine.ts';
import type { TransactionMemo } from '../network.ts';

/** What money is sent for. `settlement`: to the merchant; `refund`: back to the payer, or to whoever sent it. */
export type Purpose = 'settlement' | 'refund';

/**
 * How money is delivered: into the account, or put aside on the ledger (CAP-23) for an account that cannot take it yet.
 */
export type Delivery = 'payment' | 'claimable_balance';

/** Where a transfer stands. */
export type OutgoingState = 'queued' | 'assigned' | 'submitted' | 'applied' | 'failed' | 'held';

/**
 * The life of a transfer: it waits, is put into a transaction that is signed and kept, is handed in, and is applied or
 * not. The way back to `queued` from a transaction is open only once it is proven that the transaction did not and will
 * not apply it; the database refuses it before. `held` waits for the treasury to have enough.
 */
export const outgoingMachine = defineMachine<OutgoingState>({
  queued: ['assigned', 'held', 'failed'],
  held: ['queued', 'failed'],
  assigned: ['submitted', 'queued', 'failed', 'applied'],
  submitted: ['queued', 'failed', 'applied'],
  applied: [],
  failed: [],
});

/** Money to be sent, once. Amounts in stroops, assets as wire texts, addresses `G…` or `M…`. */
export interface NewTransfer {
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly purpose: Purpose;
  /** What it is for: asked for twice, it is sent once. */
  readonly resourceId: string;
  /** From 1 on. A further attempt is for a resource whose attempt before failed for good. */
  readonly attempt: number;
  readonly delivery: Delivery;
  readonly destination: string;
  readonly memo: TransactionMemo | null;
  readonly asset: string;
  readonly amount: bigint;
  /** What the treasury gives for it, and at most how much; the same asset and amount where nothing is converted. */
  readonly sourceAsset: string;
  readonly sendMax: bigint;
  readonly path: readonly string[];
  readonly now: Date;
}

/** Why money could not be sent, in the words of the API. */
export interface SendFailure {
  readonly code: FailureCode;
  readonly message: string;
}

/** The reasons for which a transfer fails for good. */
export type FailureCode =
  | 'destination_missing'
  | 'no_trustline'
  | 'not_authorized'
  | 'account_limit_reached'
  | 'memo_required'
  | 'own_account'
  | 'treasury_underfunded'
  | 'price_moved'
  | 'asset_unavailable'
  | 'over_cap'
  | 'day_cap'
  | 'refused';

const failureMessages: Readonly<Record<FailureCode, string>> = {
  destination_missing: 'There is no such account on the network.',
  no_trustline: 'The account has no trustline for the asset.',
  not_authorized: "The asset's issuer has not authorized the account to hold it.",
  account_limit_reached: 'The account cannot hold that much of the asset.',
  memo_required: 'The account takes money only with a memo.',
  own_account: "The address is the service's own.",
  treasury_underfunded: 'The service does not hold enough to send it.',
  price_moved: 'The market asks for more than the quote allows.',
  asset_unavailable: 'The asset cannot be sent: its issuer is gone or froze it.',
  over_cap: 'It is more than the service may send at once.',
  day_cap: 'The service has sent as much of the asset today as it may.',
  refused: 'The network refused to send it.',
};

/** The failure with its sentence. */
export function failure(code: FailureCode): SendFailure {
  return { code, message: failureMessages[code] };
}

/** What an operation that failed in a ledger means for whom it was to pay (Horizon’s result codes). */
const operationFailures: Readonly<Record<string, FailureCode>> = {
  op_no_trust: 'no_trustline',
  op_no_destination: 'destination_missing',
  op_not_authorized: 'not_authorized',
  op_line_full: 'account_limit_reached',
  op_underfunded: 'treasury_underfunded',
  op_low_reserve: 'treasury_underfunded',
  op_src_no_trust: 'asset_unavailable',
  op_src_not_authorized: 'asset_unavailable',
  op_no_issuer: 'asset_unavailable',
  op_over_source_max: 'price_moved',
  op_over_sendmax: 'price_moved',
  op_too_few_offers: 'price_moved',
  op_cross_self: 'price_moved',
  op_offer_cross_self: 'price_moved',
};

const treasuryFailures: Readonly<Record<string, FailureCode>> = {
  ...operationFailures,
  op_no_trust: 'asset_unavailable',
  op_not_authorized: 'asset_unavailable',
  op_line_full: 'asset_unavailable',
};

/** Why an operation failed. Money that is put aside concerns the treasury alone: whatever is wrong then is wrong there. */
export function failureOfOperation(code: string, delivery: Delivery): SendFailure {
  const known = delivery === 'payment' ? operationFailures[code] : treasuryFailures[code];
  return known === undefined ? { code: 'refused', message: `The network refused it (${code}).` } : failure(known);
}
