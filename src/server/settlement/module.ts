import { defineModule } from '../platform/module.ts';

/** Settlements of paid payments to their merchants. Their sweeps come with the money that leaves the treasury. */
export const settlement = defineModule<unknown>({
  name: 'settlement',
  tables: ['settlements', 'treasury_clawbacks', 'treasury_cursors'],
});
