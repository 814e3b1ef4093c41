import { type BalanceQuote, Conversion, type ConversionEvents } from '../../api/balance/conversion.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { defineMachine } from '../../core/machine.ts';
import { moneyToWire } from '../ledger/balance-money.ts';
import type { Resource } from '../platform/events/change.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import type { BalanceQuoteRow, ConversionRow } from './tables.ts';

function termsOf(row: BalanceQuoteRow | ConversionRow) {
  return {
    from: moneyToWire({ currency: row.from_currency, amount: row.from_amount }),
    to: moneyToWire({ currency: row.to_currency, amount: row.to_amount }),
    rate: row.rate,
  };
}

/** States, steps and events of a conversion. */
export const conversionResource: Resource<ConversionRow, ConversionRow['status'], null, Conversion> = {
  table: 'conversions',
  machine: defineMachine<ConversionRow['status']>({
    awaiting_approval: ['completed', 'failed'],
    completed: [],
    failed: [],
  }),
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) =>
    new PayError('illegal_state', `The conversion is ${status} and cannot become ${to}.`),
  eventOf: (_from, to) => (to === 'completed' ? 'conversion.completed' : 'conversion.failed'),
  toWire: (_context, row) => conversionToWire(row),
  keepsTransitions: false,
};

export function quoteToWire(row: BalanceQuoteRow): BalanceQuote {
  return {
    id: row.id,
    object: 'balance_quote',
    ...termsOf(row),
    conversion: row.conversion_id,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

export function conversionToWire(row: ConversionRow): Conversion {
  return {
    id: row.id,
    object: 'conversion',
    status: row.status,
    ...termsOf(row),
    quote: row.quote_id,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}

function sampleConversion({ caller }: SampleContext): Conversion {
  return {
    id: newId('conversion'),
    object: 'conversion',
    status: 'awaiting_approval',
    from: { currency: 'EUR', amount: 10_000 },
    to: { currency: 'USD', amount: 10_900 },
    rate: '1.09',
    quote: newId('quote'),
    livemode: caller.livemode,
    created_at: caller.now.toISOString(),
  };
}

export const conversionEvents: EventDefinitions<ConversionEvents> = sampleEvents(Conversion, sampleConversion, {
  'conversion.created': () => ({}),
  'conversion.completed': () => ({ status: 'completed' }),
  'conversion.failed': () => ({ status: 'failed' }),
});
