import { RateAnswer } from '../../api/rate.ts';
import { PayError } from '../../core/error.ts';
import { runEach, type Sweep } from '../platform/jobs/sweeper.ts';
import { defineModule } from '../platform/module.ts';
import { registerRateRoutes } from './rates.routes.ts';
import { type Rates, UnknownPair } from './rates.ts';

/** Market rates between currencies and assets. */
export const rates = defineModule<{ readonly rates: Rates; readonly config: { readonly network: string } }>({
  name: 'rates',
  tables: ['rate_readings'],
  schemas: { RateAnswer },
  tags: { Rates: 'Market rates between currencies and assets.' },
  routes: registerRateRoutes,
  // The sandbox market has no readings.
  sweeps: deps => (deps.config.network === 'sandbox' ? [] : [readingSweep(deps)]),
});

/** Several readings fall into the shortest window that prices are compared with. */
const readingMs = 240_000;

/**
 * Reads the price of each listed asset, so that an idle server has recent readings to compare with. Without a rate there
 * is no reading: the next request that needs one says so.
 */
function readingSweep({ rates: { listed, find } }: { readonly rates: Rates }): Sweep {
  const read = async (asset: string) => {
    try {
      await find(asset, 'USD');
    } catch (error) {
      const isExpected =
        error instanceof UnknownPair || (error instanceof PayError && error.code === 'rate_unavailable');
      if (!isExpected) throw error;
    }
  };
  const run = async () => {
    await runEach(listed, read);
    return 0;
  };
  return { name: 'rates.read', everyMs: readingMs, run };
}
