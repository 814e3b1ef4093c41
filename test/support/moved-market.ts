import { createSandboxRates } from '../../src/sandbox/rates.ts';
import type { RateSource } from '../../src/server/rates/rates.ts';

/** The sandbox's market, with a price of XLM that the test changes. */
export function movedMarket(clock: { now(): Date }) {
  let percent = 100n;
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
      if (reported === null || (from === 'XLM') === (to === 'XLM')) return reported;
      const price = from === 'XLM' ? scaled(reported.price, percent, 100n) : scaled(reported.price, 100n, percent);
      return { ...reported, price };
    },
  };
  return {
    source,
    move: (to: bigint) => {
      percent = to;
    },
    open: (open: boolean) => {
      isOpen = open;
    },
  };
}
