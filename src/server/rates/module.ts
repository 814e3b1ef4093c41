import { RateAnswer } from '../../api/balance/rate.ts';
import { PayError } from '../../core/error.ts';
import { createFailingWork } from '../platform/jobs/failing-work.ts';
import { runEach, type Sweep } from '../platform/jobs/sweeper.ts';
import { defineModule } from '../platform/module.ts';
import { registerRateRoutes } from './rates.routes.ts';
import { type Rates, UnknownPair } from './rates.ts';

/** Market rates between currencies and assets. */
export const rates = defineModule<
  { readonly rates: Rates; readonly config: { readonly network: string } },
  { services: { assertAsset: (text: string, param: string) => void } }
>({
  name: 'rates',
  provides: { assertAsset: deps => (text, param) => void deps.rates.listedAsset(text, param) },
  tables: ['rate_readings'],
  schemas: { RateAnswer },
  fieldNotes: {
    'get /v1/rates.from': ['Currency or asset that is sold.', 'EUR'],
    'get /v1/rates.to': ['Currency or asset that is bought.', 'USDC'],
  },
  tags: { Rates: 'Market rates between currencies and assets.' },
  routes: registerRateRoutes,
  // The sandbox market has no readings.
  sweeps: deps => (deps.config.network === 'sandbox' ? [] : [readingSweep(deps)]),
});

/** Several readings fall into the shortest window that prices are compared with. */
const readingMs = 240_000;

/**
 * Reads the price of each listed asset, so that an idle server has recent readings to compare with. Names the assets
 * that have no rate.
 */
function readingSweep({ rates: { listed, find } }: { readonly rates: Rates }): Sweep {
  const failing = createFailingWork();
  const read = async (asset: string) => {
    const name = `rate of ${asset}`;
    try {
      await find(asset, 'USD');
      failing.succeeded(name);
    } catch (error) {
      if (!(error instanceof PayError)) throw error;
      // A listed asset that never had a market is no failure.
      if (!(error instanceof UnknownPair)) failing.failed(name);
    }
  };
  const run = async () => {
    await runEach(listed, read);
    return 0;
  };
  return { name: 'rates.read', everyMs: readingMs, failing: failing.seconds, run };
}
