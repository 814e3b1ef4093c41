import type { Clock } from '../../core/clock.ts';
import { divideRounded, formatUnits, parseUnits } from '../../core/money.ts';
import type { HttpExchange } from '../stellar/http-exchange.ts';

/** What one euro costs in each currency (units of 10^-6, as the bank publishes them with up to six decimals), and of which day that is. */
export interface EcbTable {
  readonly day: Date;
  readonly perEuro: ReadonlyMap<string, bigint>;
}

/** Euro reference rates. */
export interface EcbRates {
  /**
   * What one whole unit of `from` costs in `to`, as decimal text; null when the bank has no rate for one of them, or
   * when what it published last is too old. Throws when the bank cannot be asked and nothing usable is remembered.
   */
  price(from: string, to: string): Promise<string | null>;
}

/** What reading the rates needs. */
export interface EcbDeps {
  readonly url: string;
  readonly http: HttpExchange;
  readonly clock: Clock;
}

/**
 * The bank publishes at about 16:00 CET of each TARGET working day; the longest gap is Easter’s, from Maundy Thursday to
 * Tuesday. What is older than that was not kept up.
 */
const longestGapMs = 6 * 86_400_000;
/** The bank is asked again after this long, and after a failure sooner. */
const holdMs = 3_600_000;
const retryMs = 60_000;

const decimals = 6;
const priceDecimals = 18;

/** The European Central Bank’s daily euro foreign exchange reference rates (`eurofxref-daily.xml`). */
export function createEcbRates(deps: EcbDeps): EcbRates {
  let table: EcbTable | null = null;
  let askAgainAt = 0;
  let asking: Promise<void> | null = null;

  const refresh = async (now: number) => {
    try {
      const found = await readTable(deps);
      // An older table than before comes from a cache on the way.
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

/** Reads the bank’s document: one day, and a rate above zero for each currency, or null when it is anything else. */
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
