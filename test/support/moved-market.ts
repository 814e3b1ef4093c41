import { createSandboxRates } from '../../src/sandbox/rates.ts';
import type { RateSource } from '../../src/server/rates/rates.ts';

/** The sandbox's market, with prices of XLM and currencies that the test changes. */
export function movedMarket(clock: { now(): Date }) {
  const percents = new Map<string, bigint>();
  const percentOf = (unit: string) => percents.get(unit) ?? 100n;
  let isOpen = true;
  const market = createSandboxRates(clock);
  const scaled = (price: string, by: bigint, over: bigint) => {
    const [whole = '', part = ''] = price.split('.');
    const value = (BigInt(whole + part.padEnd(18, '0')) * by) / over;
    const digits = value.toString().padStart(19, '0');
    return `${digits.slice(0, -18)}.${digits.slice(-18)}`;
  };
  const source: RateSource = {
    ...market,
    price: async (from, to) => {
      const reported = isOpen ? await market.price(from, to) : null;
      if (reported === null || percentOf(from) === percentOf(to)) return reported;
      return { ...reported, price: scaled(reported.price, percentOf(from), percentOf(to)) };
    },
  };
  return {
    source,
    move: (to: bigint, unit = 'XLM') => {
      percents.set(unit, to);
    },
    open: (open: boolean) => {
      isOpen = open;
    },
  };
}
