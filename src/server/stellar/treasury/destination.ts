import { createAnswerCache } from '../answer-cache.ts';
import type { StellarAccount, StellarMarket } from '../network.ts';
import { accountOf } from './batch.ts';
import type { FailureCode } from './send-failure.ts';

/** Money that is to reach an account. */
export interface Delivering {
  readonly destination: string;
  readonly asset: string;
  /** Stroops. */
  readonly amount: bigint;
  readonly hasMemo: boolean;
}

/**
 * Why the account could not take the money, or null. A muxed address says by itself who is meant, so SEP-29 asks for no
 * memo with it.
 */
export function destinationProblem(account: StellarAccount | null, money: Delivering): FailureCode | null {
  if (account === null) return 'destination_missing';
  if (account.memoRequired && !money.hasMemo && !money.destination.startsWith('M')) return 'memo_required';
  if (money.asset === 'XLM' || money.asset.endsWith(`:${account.address}`)) return null;
  const line = account.balances.find(balance => balance.asset === money.asset);
  if (line === undefined) return 'no_trustline';
  if (!line.authorized) return 'not_authorized';
  return line.room !== null && line.room < money.amount ? 'account_limit_reached' : null;
}

/** Checks destinations before money is sent. */
export interface Destinations {
  /** Why the money could not arrive, or null. Throws `StellarUnavailable` when the network cannot be asked. */
  problem(money: Delivering): Promise<FailureCode | null>;
}

/**
 * Checks destinations of the treasury's payments with accounts that are at most a minute old, so that thousands of payments to a few accounts cost
 * one request each. The ledger checks a payment again. Before a payment is refused the account is read anew.
 */
export function createDestinations(market: Pick<StellarMarket, 'account'>, treasury: string): Destinations {
  const accounts = createAnswerCache({ holdMs: 60_000, most: 10_000 }, address => market.account(address));
  return {
    problem: async money => {
      const address = accountOf(money.destination);
      if (address === treasury) return 'own_account';
      const askedAt = performance.now();
      const problem = destinationProblem(await accounts.read(address), money);
      if (problem === null) return null;
      return destinationProblem(await accounts.readSince(address, askedAt), money);
    },
  };
}
