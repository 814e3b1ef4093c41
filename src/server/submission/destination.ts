import type { StellarAccount, StellarMarket } from '../stellar/network.ts';
import { accountOf } from './batch.ts';
import type { FailureCode } from './outgoing.ts';

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

/** Knows accounts to which money goes, for a while. */
export interface Destinations {
  /** Why the money could not arrive, or null. Throws `StellarUnavailable` when the network cannot be asked. */
  problem(money: Delivering): Promise<FailureCode | null>;
}

const holdMs = 60_000;
const mostHeld = 10_000;

interface Held {
  readonly account: Promise<StellarAccount | null>;
  readonly readAt: number;
}

/**
 * Remembers accounts, so that thousands of sums for the same few cost one question each. What is remembered may only
 * let money pass, since the ledger checks it again; before it stops money the network is asked anew.
 */
export function createDestinations(market: Pick<StellarMarket, 'account'>): Destinations {
  const held = new Map<string, Held>();

  function read(address: string): Promise<StellarAccount | null> {
    const account = market.account(address);
    held.delete(address);
    held.set(address, { account, readAt: performance.now() });
    account.catch(() => held.delete(address));
    const [oldest] = held.keys();
    if (held.size > mostHeld && oldest !== undefined) held.delete(oldest);
    return account;
  }

  return {
    problem: async money => {
      const address = accountOf(money.destination);
      const known = held.get(address);
      const askedAt = performance.now();
      if (known !== undefined && askedAt - known.readAt < holdMs) {
        const problem = destinationProblem(await known.account, money);
        if (problem === null) return null;
      }
      // Read by another sum of this moment meanwhile: as good as new.
      const fresh = held.get(address);
      const account = fresh !== undefined && fresh.readAt >= askedAt ? fresh.account : read(address);
      return destinationProblem(await account, money);
    },
  };
}
