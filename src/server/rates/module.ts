import { RateAnswer } from '../../api/rate.ts';
import { defineModule } from '../platform/module.ts';
import { registerRateRoutes } from './rates.routes.ts';
import type { Rates } from './rates.ts';

/** Market rates between currencies and assets. */
export const rates = defineModule<{ readonly rates: Rates }>({
  name: 'rates',
  tables: ['rate_readings'],
  schemas: { RateAnswer },
  tags: { Rates: 'Market rates between currencies and assets.' },
  routes: registerRateRoutes,
});
