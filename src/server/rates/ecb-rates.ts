import type { Clock } from '../../core/clock.ts';
import { divideRounded, formatUnits, parseUnits } from '../../core/money.ts';
import type { HttpExchange } from '../stellar/http-exchange.ts';

/**
 * The price of one euro in each currency (units of 10^-6: the bank publishes up to six decimals), and the day of the
 * table.
 */
export interface EcbTable {
  readonly day: Date;
  readonly perEuro: ReadonlyMap<string, bigint>;
}

/** Euro reference rates. */
export interface EcbRates {
  /**
   * The price of one whole unit of `from` in `to`, as decimal text; null when the bank has no rate for one of them, or
   * its last table is too old. Throws when the bank cannot be asked and no usable table is known.
   */
  price(from: string, to: string): Promise<string | null>;
}

export interface EcbDeps {
  readonly url: string;
  readonly http: HttpExchange;
  readonly clock: Clock;
}

/**
 * Tables older than this are not used. The bank publishes at about 16:00 CET of each TARGET working day; the longest
 * gap is Easter, from Maundy Thursday to Tuesday.
 */
const longestGapMs = 6 * 86_400_000;
/** The table is read again after this long; sooner after a failure. */
const holdMs = 3_600_000;
const retryMs = 60_000;

const decimals = 6;
const priceDecimals = 18;

/** The daily euro reference rates of the European Central Bank (`eurofxref-daily.xml`). */
export function createEcbRates(deps: EcbDeps): EcbRates {
  let table: EcbTable | null = null;
  let askAgainAt = 0;
  let asking: Promise<void> | null = null;

  const refresh = async (now: number) => {
    try {
      const found = await readTable(deps);
      // A table older than the known one comes from a cache.
      if (table === null || found.day >= table.day) table = found;
      askAgainAt = now + holdMs;
    } catch (error) {
      askAgainAt = now + retryMs;
      if (table === null) throw error;
    }
  };
  return {
    price: async (from, to) => {
      const now = deps.clock.now().getTime();
      if (now >= askAgainAt) {
        asking ??= refresh(now).finally(() => {
          asking = null;
        });
        await asking;
      }
      const isFresh = table !== null && now - table.day.getTime() <= longestGapMs;
      const [a, b] = [from, to].map(currency => (isFresh ? perEuro(table, currency) : null));
      if (a == null || b == null) return null;
      return formatUnits(divideRounded(b * 10n ** BigInt(priceDecimals), a), priceDecimals);
    },
  };
}

function perEuro(table: EcbTable | null, currency: string): bigint | null {
  if (currency === 'EUR') return 10n ** BigInt(decimals);
  return table?.perEuro.get(currency) ?? null;
}

async function readTable({ url, http }: EcbDeps): Promise<EcbTable> {
  const answer = await http.send({ url: new URL(url), headers: { accept: 'application/xml, text/xml' } });
  const table = answer.status === 200 ? parseEcbTable(answer.text) : null;
  if (table === null) throw new Error(`the rates of the European Central Bank cannot be read (${answer.status})`);
  return table;
}

/** Parses the bank's document: one day, and a positive rate for each currency; null for anything else. */
export function parseEcbTable(xml: string): EcbTable | null {
  const day = /<Cube\s+time=["'](\d{4}-\d{2}-\d{2})["']\s*>/.exec(xml)?.[1];
  if (day === undefined) return null;
  const entries = [...xml.matchAll(/<Cube\s+currency=["']([A-Z]{3})["']\s+rate=["']([^"']*)["']\s*\/>/g)].map(
    ([, currency = '', rate = '']) => [currency, parseUnits(rate, decimals)] as const,
  );
  const sound = entries.flatMap(([currency, rate]) =>
    rate === null || rate === 0n ? [] : [[currency, rate] as const],
  );
  const perEuroOf = new Map(sound);
  const isWhole = sound.length === entries.length && perEuroOf.size === entries.length && perEuroOf.has('USD');
  const published = new Date(`${day}T00:00:00Z`);
  return isWhole && !Number.isNaN(published.getTime()) ? { day: published, perEuro: perEuroOf } : null;
}
