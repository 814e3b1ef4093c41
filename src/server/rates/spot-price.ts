import type { Clock } from '../../core/clock.ts';
import { parseUnits } from '../../core/money.ts';
import type { HttpExchange } from '../platform/http-exchange.ts';
import type { Log } from '../platform/jobs/sweeper.ts';

/** A dollar price of XLM from outside the Stellar network. */
export interface SpotPrice {
  /** Dollars for one XLM in units of 10^-18, or null while the source gives no price. */
  read(): Promise<bigint | null>;
}

interface SpotPriceDeps {
  /** Null: there is no source. */
  readonly url: string | null;
  readonly http: HttpExchange;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

const priceDecimals = 18;
/** Milliseconds for which an answer is reused, also a missing one. */
const holdMs = 60_000;

/**
 * Reads `{"data": {"amount": "0.1240", "currency": "USD"}}`, the form of Coinbase's spot prices. A source that fails
 * gives no price: the network's own price then stands, within the bounds of its older readings.
 */
export function createSpotPrice({ url, http, clock, log }: SpotPriceDeps): SpotPrice {
  let isMissing = false;
  const askOnce = async (address: string) => {
    const price = await ask(http, address).catch(() => null);
    if (price === null && !isMissing) {
      log.warn({}, 'the price of XLM outside Stellar is missing; only older readings bound the price');
    }
    isMissing = price === null;
    return price;
  };
  let held: { readonly at: number; readonly price: Promise<bigint | null> } | null = null;
  return {
    read: async () => {
      if (url === null) return null;
      const now = clock.now().getTime();
      if (held === null || now < held.at || now - held.at >= holdMs) {
        held = { at: now, price: askOnce(url) };
      }
      return await held.price;
    },
  };
}

async function ask(http: HttpExchange, url: string): Promise<bigint | null> {
  const { status, text } = await http.send({ url: new URL(url), headers: { accept: 'application/json' } });
  const data = status === 200 ? (JSON.parse(text) as { data?: { amount?: unknown; currency?: unknown } }).data : null;
  if (data?.currency !== 'USD' || typeof data.amount !== 'string') return null;
  const price = parseUnits(data.amount, priceDecimals);
  return price === 0n ? null : price;
}
