import { setTimeout as sleep } from 'node:timers/promises';
import { createPayClient, PayApiError, type PayClient } from '../../../src/api/client.ts';
import type { CreateRampQuote } from '../../../src/api/ramps/ramp.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { loadCreate } from '../create-payment.ts';
import { type Exchange, type LoadResult, postText, runLoad } from '../http-load.ts';
import { type Measure, median } from '../table.ts';
import { benchTrades } from './trades.ts';

const key = `sk_test_${'r'.repeat(32)}`;
const connections = 32;
const rounds = 3;
const seconds = 3;

/** The rules of an account that sells and buys coins. */
const terms = {
  enabled: true,
  assets: ['USDC', 'XLM'],
  methods: ['card' as const, 'bank_transfer' as const],
  fees: [{ currency: 'EUR', percent: 1.5, fixed: 30 }],
};

/** Small enough that the treasury covers the open quotes of the whole run. Each reserves its coins. */
const purchase: CreateRampQuote = {
  direction: 'on',
  sell: { currency: 'EUR', amount: 10_00 },
  buy: { asset: 'USDC' },
  method: 'card',
};
/** Quotes of sales reserve nothing. */
const sale: CreateRampQuote = {
  direction: 'off',
  sell: { asset: 'USDC', amount: '10.0000000' },
  buy: { currency: 'EUR' },
  method: 'bank_transfer',
};

/** Purchases and sales of coins in ledger closes, and quotes against the creation of payments on the same server. */
export async function benchRamps(folder: string): Promise<Measure[]> {
  const server = await startServerProcess({
    PAY_DATA_DIR: folder,
    PAY_SECRET_KEY: key,
    PAY_RATE_LIMIT: '1000000',
    PAY_LOG_REQUESTS: 'errors',
    PAY_LOG_LEVEL: 'warn',
  });
  try {
    const client = createPayClient({ baseUrl: server.url, apiKey: key });
    await client.account.update({ ramps: terms });
    await untilCovered(client);
    return [...(await benchTrades(server.url, client)), ...(await benchQuotes(server.url))];
  } finally {
    await server.stop();
  }
}

/** Waits until the new treasury has coins to sell. */
async function untilCovered(client: PayClient): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await client.ramps.quote(purchase);
      return;
    } catch (error) {
      if (tries === 120 || !(error instanceof PayApiError) || error.code !== 'no_liquidity') throw error;
      await sleep(500);
    }
  }
}

/** Quotes and new payments in turns. Each open quote of a purchase makes the next one dearer: it is added up again. */
async function benchQuotes(url: string): Promise<Measure[]> {
  const warmUp = await loadQuotes(url, purchase, 2);
  await loadQuotes(url, sale, 2);
  await loadCreate(url, key, 2);
  const results = [];
  for (let round = 0; round < rounds; round++) {
    const bought = await loadQuotes(url, purchase, seconds);
    const sold = await loadQuotes(url, sale, seconds);
    const created = await loadCreate(url, key, seconds);
    results.push({ bought, sold, created });
    const [ofBought, ofSold, ofCreated] = [bought, sold, created].map(rateText);
    console.log(`  quotes ${round + 1}: purchases ${ofBought}, sales ${ofSold}; payments ${ofCreated}`);
  }
  const open = results.reduce((sum, { bought }) => sum + bought.requests, warmUp.requests);
  const errors = results.flatMap(result => Object.values(result)).reduce((sum, result) => sum + result.errors, 0);
  return [
    quoteMeasure(
      `purchases, whose coins are reserved (${open} open at the end)`,
      results.map(({ bought, created }) => [bought, created]),
    ),
    quoteMeasure(
      'sales',
      results.map(({ sold, created }) => [sold, created]),
    ),
    { name: 'quotes and payments, errors', value: String(errors), target: '0', met: errors === 0 },
  ];
}

function rateText({ perSecond, p99 }: LoadResult): string {
  return `${perSecond.toFixed(0)}/s p99 ${p99.toFixed(0)} ms`;
}

/** The rate of quotes, alone and against the creation of payments in the same rounds. */
function quoteMeasure(what: string, pairs: readonly (readonly [LoadResult, LoadResult])[]): Measure {
  const rate = median(pairs.map(([quotes]) => quotes.perSecond));
  const share = median(pairs.map(([quotes, created]) => quotes.perSecond / created.perSecond));
  return {
    name: `quotes of ${what}, and against payment creation`,
    value: `${rate.toFixed(0)}/s, ${share.toFixed(2)}×`,
    target: 'at least 1,000/s or 0.5×',
    met: rate >= 1_000 || share >= 0.5,
  };
}

async function loadQuotes(url: string, body: CreateRampQuote, during: number): Promise<LoadResult> {
  const { hostname: host, port } = new URL(url);
  const quote = postText(url, key, '/v1/ramps/quotes', body);
  const turn = async (exchange: Exchange) => (await exchange(quote())).status === 201;
  return await runLoad({ host, port: Number(port), connections, seconds: during, turn });
}
