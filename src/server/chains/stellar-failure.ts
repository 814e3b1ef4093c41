import { type ErrorCode, PayError } from '../../core/error.ts';
import { type ResultCodes, StellarUnavailable } from '../stellar/network.ts';

/** The reasons why a payer's transaction fails, with their API messages. */
const messages = {
  stellar_no_trustline: 'Your account does not hold this asset, or cannot send it.',
  stellar_underfunded: 'Your account does not hold enough for the payment, the network’s fee and the reserve.',
  stellar_price_moved: 'The price moved while you were paying, and nothing was taken. Try again.',
  stellar_no_path: 'No offers exchange this asset for the requested one right now. Choose another one.',
  stellar_account_missing: 'There is no such account on this network yet.',
  stellar_bad_signature: 'The signature of your account is missing or wrong. Sign it with the account you connected.',
  stellar_timeout: 'The network did not take the payment in time, and nothing was taken. Try again.',
  stellar_refused: 'The network refused the payment, and nothing was taken. Try again.',
} as const satisfies Partial<Record<ErrorCode, string>>;

type PayerFailureCode = keyof typeof messages;

interface PayerFailure {
  readonly code: PayerFailureCode;
  readonly message: string;
}

/** The error for a payer's failed transaction. `param`: the wrong field of the request. */
export function payerError(code: PayerFailureCode, param?: string): PayError {
  return new PayError(code, messages[code], param === undefined ? {} : { param });
}

/** Failures by Horizon's result codes. */
const meanings: Readonly<Record<string, PayerFailureCode>> = {
  op_src_no_trust: 'stellar_no_trustline',
  op_src_not_authorized: 'stellar_no_trustline',
  op_underfunded: 'stellar_underfunded',
  op_over_source_max: 'stellar_price_moved',
  op_over_sendmax: 'stellar_price_moved',
  op_too_few_offers: 'stellar_no_path',
  op_cross_self: 'stellar_no_path',
  op_offer_cross_self: 'stellar_no_path',
  op_bad_auth: 'stellar_bad_signature',
  op_no_source_account: 'stellar_account_missing',
  tx_no_source_account: 'stellar_account_missing',
  tx_no_account: 'stellar_account_missing',
  tx_insufficient_balance: 'stellar_underfunded',
  tx_bad_auth: 'stellar_bad_signature',
  tx_bad_auth_extra: 'stellar_bad_signature',
  tx_too_late: 'stellar_timeout',
};

/** The failure for the network's codes. Codes of operations are more specific than the transaction's code. */
export function failureOfCodes({ transaction, operations }: ResultCodes): PayerFailure {
  const known = [...operations, transaction].map(each => meanings[each]).find(each => each !== undefined);
  const code = known ?? 'stellar_refused';
  return { code, message: messages[code] };
}

/** The default message and retry time for an unreachable network. */
const inAMoment = {
  message: 'The Stellar network cannot be reached right now. Try again in a moment.',
  retrySeconds: 5,
};

/** Calls the network. Throws PayError `unavailable` if the network does not answer. */
export async function asked<T>(question: () => Promise<T>, { message, retrySeconds } = inAMoment): Promise<T> {
  try {
    return await question();
  } catch (cause) {
    if (!(cause instanceof StellarUnavailable)) throw cause;
    throw new PayError('unavailable', message, { retryAfterSeconds: cause.retryAfterSeconds ?? retrySeconds, cause });
  }
}
