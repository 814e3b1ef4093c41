import { PayError } from '../../../core/error.ts';
import { defineMachine } from '../../../core/machine.ts';
import { least } from '../../../core/money.ts';
import { settlementShare } from '../../payments/payment-funds.ts';
import type { Convertible, ReceivedOnChain } from '../../payments/settling/fiat-conversion.service.ts';
import type { Resource } from '../../platform/events/change.ts';
import type { ConversionRow } from './tables.ts';

/** The stablecoin into which crypto of payments in a currency is converted, by its well-known code. */
const stablecoins: Readonly<Record<string, string>> = { EUR: 'EURC', USD: 'USDC' };

/** The well-known code of the currency's stablecoin, or null. */
export function stablecoinOf(currency: string): string | null {
  return stablecoins[currency] ?? null;
}

type ConversionStatus = ConversionRow['status'];

/** The states of a conversion. `sending`: it is in the queue of outbound transfers. */
const conversionMachine = defineMachine<ConversionStatus>({
  waiting: ['sending', 'failed'],
  sending: ['completed', 'waiting', 'failed'],
  completed: [],
  failed: [],
});

/** States and steps of a conversion. Its payment has the events. */
export const conversionResource: Resource<ConversionRow, ConversionStatus, null, object> = {
  table: 'settlement_conversions',
  machine: conversionMachine,
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) =>
    new PayError('illegal_state', `The conversion is ${status} and cannot become ${to}.`),
  eventOf: () => undefined,
  toWire: () => ({}),
  keepsTransitions: false,
};

/** What earlier conversions of a payment took, in minor units of its currency. */
export type Converted = Pick<ConversionRow, 'source_asset' | 'value'>;

/** A part of a payment to convert: `value` in minor units of its currency, `amount` in those of the settlement. */
export interface Leg {
  readonly asset: string;
  readonly number: number;
  readonly value: bigint;
  readonly amount: bigint;
}

/**
 * The parts of a payment's crypto that were not converted yet, one for each asset other than `stablecoin`. They never
 * exceed the part that is settled now: refunded money and money in suspense is not converted.
 */
export function legsOf(
  payment: Pick<Convertible, 'amount' | 'quote_amount' | 'room' | 'suspense'>,
  received: readonly Pick<ReceivedOnChain, 'asset' | 'value' | 'excess'>[],
  converted: readonly Converted[],
  stablecoin: string,
): readonly Leg[] {
  let { room, suspense } = payment;
  let before = converted.reduce((sum, { value }) => sum + value, 0n);
  const legs: Leg[] = [];
  for (const { asset, excess, ...money } of received) {
    const undecided = least(excess, suspense);
    suspense -= undecided;
    const earlier = converted.filter(each => each.source_asset === asset);
    const done = earlier.reduce((sum, { value }) => sum + value, 0n);
    const value = least(money.value - undecided - done, room);
    if (asset === stablecoin || value <= 0n) continue;
    const amount = settlementShare(payment, before, value);
    if (amount <= 0n) continue;
    room -= value;
    before += value;
    legs.push({ asset, number: earlier.length + 1, value, amount });
  }
  return legs;
}
