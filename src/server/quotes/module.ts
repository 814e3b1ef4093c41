import { defineModule } from '../platform/module.ts';

/** Prices held for payments. */
export const quotes = defineModule<unknown>({ name: 'quotes', tables: ['quotes'] });
