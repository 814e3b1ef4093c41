import type { Delivery } from './batch.ts';

/** Reasons for which money cannot be sent on Stellar, in the words of the API. */
const messages = {
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
} as const satisfies Record<string, string>;

/** Why money cannot be sent. */
export type FailureCode = keyof typeof messages;

/** A failure as the API states it. */
export interface SendFailure {
  readonly code: FailureCode;
  readonly message: string;
}

/** The failure with its sentence. */
export function failure(code: FailureCode): SendFailure {
  return { code, message: messages[code] };
}

const addressFaults: ReadonlySet<string> = new Set<FailureCode>([
  'destination_missing',
  'no_trustline',
  'not_authorized',
  'account_limit_reached',
  'memo_required',
  'own_account',
]);

/** Whether the destination is at fault: another address will do, or the same one once its owner has mended it. */
export function isAddressFault(code: string): boolean {
  return addressFaults.has(code);
}

/** Horizon's codes of operations that failed in a ledger. */
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

/** The same where a claimable balance is made: only the treasury takes part in that. */
const treasuryFailures: Readonly<Record<string, FailureCode>> = {
  ...operationFailures,
  op_no_trust: 'asset_unavailable',
  op_not_authorized: 'asset_unavailable',
  op_line_full: 'asset_unavailable',
};

/** Why an operation of a transfer failed. */
export function failureOfOperation(code: string, delivery: Delivery): SendFailure {
  const known = delivery === 'payment' ? operationFailures[code] : treasuryFailures[code];
  return known === undefined ? { code: 'refused', message: `The network refused it (${code}).` } : failure(known);
}
