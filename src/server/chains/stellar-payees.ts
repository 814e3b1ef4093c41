import { PayError } from '../../core/error.ts';
import { StellarUnavailable } from '../stellar/network.ts';
import { memoIn } from '../stellar/treasury/batch.ts';
import type { Destinations } from '../stellar/treasury/destination.ts';
import { failure, isAddressFault } from '../stellar/treasury/send-failure.ts';
import type { ChainPayees } from './chain.ts';

/** Checks who can take money out of the treasury. */
export function createStellarPayees(destinations: Destinations): ChainPayees {
  return {
    objection: async ({ destination, asset, amount }) => {
      const money = { destination: destination.address, asset, amount, hasMemo: memoIn(destination) !== null };
      const problem = await destinations.problem(money).catch(unavailable);
      return problem === null ? null : failure(problem);
    },
    isAddressFault,
  };
}

function unavailable(error: unknown): never {
  if (!(error instanceof StellarUnavailable)) throw error;
  throw new PayError('unavailable', 'The network cannot be asked right now. Try again in a minute.', {
    retryAfterSeconds: error.retryAfterSeconds ?? 60,
    cause: error,
  });
}
