import type { OutboundFailure } from '../../outbound/outbound.ts';
import { underfunded } from '../../outbound/sender.ts';
import { createAnswerCache } from '../../platform/answer-cache.ts';
import type { StellarAccount, StellarMarket } from '../network.ts';
import { accountOf, type Delivery, type Sendable } from './batch.ts';

/** A payment to an account. `amount` in stroops. */
export type Delivering = Pick<Sendable, 'destination' | 'asset' | 'amount'> & {
  readonly hasMemo: boolean;
  /** Whether the treasury pays itself, to exchange an asset. Default: false. */
  readonly isConversion?: boolean;
};

/**
 * Why the account cannot receive the payment, or null. A muxed address needs no memo (SEP-29): its id names the payee.
 * Nor does the treasury, which asks payers for a memo, when it pays itself.
 */
export function destinationProblem(account: StellarAccount | null, money: Delivering): FailureCode | null {
  if (account === null) return 'destination_missing';
  const needsMemo = account.memoRequired && money.isConversion !== true;
  if (needsMemo && !money.hasMemo && !money.destination.startsWith('M')) return 'memo_required';
  if (money.asset === 'XLM' || money.asset.endsWith(`:${account.address}`)) return null;
  const line = account.balances.find(balance => balance.asset === money.asset);
  if (line === undefined) return 'no_trustline';
  if (!line.authorized) return 'not_authorized';
  return line.room !== null && line.room < money.amount ? 'account_limit_reached' : null;
}

export type Destinations = ReturnType<typeof createDestinations>;

/**
 * Checks destinations with accounts that were read at most a minute ago, so thousands of payments to one account cost
 * one request. The ledger checks each payment again. Before a payment is refused, the account is read again. `problem`
 * returns why the payment cannot arrive, or null. It throws `StellarUnavailable`. Only a conversion pays the treasury.
 */
export function createDestinations(market: Pick<StellarMarket, 'account'>, treasury: string) {
  const accounts = createAnswerCache({ holdMs: 60_000, most: 10_000 }, address => market.account(address));
  return {
    problem: async (money: Delivering): Promise<FailureCode | null> => {
      const address = accountOf(money.destination);
      const isConversion = money.isConversion === true;
      if (isConversion !== (address === treasury)) return isConversion ? 'invalid_destination' : 'own_account';
      const askedAt = performance.now();
      const problem = destinationProblem(await accounts.read(address), money);
      if (problem === null) return null;
      return destinationProblem(await accounts.readSince(address, askedAt), money);
    },
  };
}

/** Failures of outbound transfers, with the messages of the API. */
const messages = {
  invalid_destination: 'The address or its memo is not valid on Stellar.',
  destination_missing: 'The account does not exist on the network.',
  no_trustline: 'The account has no trustline for the asset.',
  not_authorized: "The asset's issuer has not authorized the account to hold it.",
  account_limit_reached: 'The account cannot hold that much of the asset.',
  memo_required: 'The account takes money only with a memo.',
  own_account: "The address is the service's own.",
  treasury_underfunded: underfunded.message,
  asset_not_listed: 'The operator no longer lists the asset. Settlement waits until it is listed again.',
  price_moved: 'The market asks for more than the quote allows.',
  asset_unavailable: 'The asset cannot be sent: its issuer no longer exists or froze it.',
  over_cap: 'The amount exceeds the service’s limit for one transaction.',
  day_cap: 'The amount exceeds the service’s daily limit for the asset.',
  refused: 'The network refused the payment.',
} as const satisfies Record<string, string>;

export type FailureCode = keyof typeof messages;

/** A failure, as the API shows it. */
type SendFailure = OutboundFailure & { readonly code: FailureCode };

export function failure(code: FailureCode): SendFailure {
  return { code, message: messages[code] };
}

const addressFaults: ReadonlySet<string> = new Set<FailureCode>([
  'invalid_destination',
  'destination_missing',
  'no_trustline',
  'not_authorized',
  'account_limit_reached',
  'memo_required',
  'own_account',
]);

/** Whether the failure is the destination's fault. Its owner can then correct the account or name another account. */
export function isAddressFault(code: string): boolean {
  return addressFaults.has(code);
}

/** Whether the account's owner ends the failure, by opening the account or its line for the asset. */
export function isForOwner(code: string): boolean {
  return code === 'no_trustline' || code === 'destination_missing' || code === 'not_authorized';
}

/** Failures by Horizon's code of an operation that failed in a ledger. */
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

/** The failures of a claimable balance by code. Here, trustline codes concern the treasury's own trustline. */
const treasuryFailures: Readonly<Record<string, FailureCode>> = {
  ...operationFailures,
  op_no_trust: 'asset_unavailable',
  op_not_authorized: 'asset_unavailable',
  op_line_full: 'asset_unavailable',
};

export function failureOfOperation(code: string, delivery: Delivery): SendFailure {
  const known = delivery === 'payment' ? operationFailures[code] : treasuryFailures[code];
  return known === undefined
    ? { code: 'refused', message: `The network refused the payment (${code}).` }
    : failure(known);
}
