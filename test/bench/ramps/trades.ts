import { setTimeout as sleep } from 'node:timers/promises';
import type { PayClient } from '../../../src/api/client.ts';
import type { Ramp, RampStatus } from '../../../src/api/ramps/ramp.ts';
import { parseUnits } from '../../../src/core/money.ts';
import { stellarDecimals } from '../../../src/core/stellar/stellar-amount.ts';
import { testPassphrase } from '../../../src/core/stellar/stellar-network.ts';
import { createHttpExchange } from '../../../src/server/platform/http-exchange.ts';
import { createHorizonNetwork } from '../../../src/server/stellar/horizon/horizon-network.ts';
import type { StellarNetwork } from '../../../src/server/stellar/network.ts';
import { openPayer, pay } from '../incoming-payments.ts';
import { openDollarAccount } from '../settlement.ts';
import { type Measure, percentile } from '../table.ts';

const trades = 120;
/** Pause between two trades, in milliseconds. With this pause, each ledger of the network has some of them. */
const paceMs = 100;
/** Sellers, who take turns. An account has at most one transaction in a ledger. */
const sellers = 24;
const longestWaitMs = 120_000;

const destination = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' } as const;

/** A ledger, and the time at which it was the newest one, in milliseconds. */
interface Moment {
  readonly ledger: number;
  readonly at: number;
}

/** A trade from its money or coins until the service has done its part. */
interface Trade {
  readonly id: string;
  readonly begun: Moment;
}

/** What trades need: the server, its network, and the events of ramps. */
interface Market {
  readonly url: string;
  readonly client: PayClient;
  readonly network: StellarNetwork;
  readonly feed: RampFeed;
}

/**
 * Trades on a network that closes a ledger each second. They are counted in ledger closes, because no service is faster
 * than the ledger. A purchase ends with the ledger that brings its coins, a sale with its payout.
 */
export async function benchTrades(url: string, client: PayClient): Promise<Measure[]> {
  const http = createHttpExchange();
  const network = createHorizonNetwork({ http, passphrase: testPassphrase, url: () => `${url}/sandbox/horizon` });
  const feed = await followRamps(client, network);
  try {
    const market = { url, client, network, feed };
    return [await measurePurchases(market), await measureSales(market)];
  } finally {
    feed.stop();
    http.close();
  }
}

async function measurePurchases(market: Market): Promise<Measure> {
  const wallet = await openDollarAccount(market.url, market.network);
  const delivered = async ({ id, begun }: Trade) => {
    const { ramp, at } = await market.feed.reached(id, 'completed');
    return took(begun, { ledger: ramp.ledger ?? Number.POSITIVE_INFINITY, at });
  };
  // The first purchase waits for the setup of the treasury's channels.
  await delivered(await buy(market, wallet, 'first'));
  const bought = await paced(index => buy(market, wallet, index));
  return measureOf('purchase, card paid to coins in the wallet', await Promise.all(bought.map(delivered)));
}

async function measureSales(market: Market): Promise<Measure> {
  const horizon = `${market.url}/sandbox/horizon`;
  const payers = await Promise.all(Array.from({ length: sellers }, () => openPayer(horizon)));
  const turns = payers.map(({ key, sequence: first }) => {
    let sequence = first;
    let last: Promise<unknown> = Promise.resolve();
    return (ramp: Ramp): Promise<number> => {
      const sent = last.then(() => pay(horizon, key, sequence++, depositOf(ramp)));
      last = sent;
      return sent;
    };
  });
  const accepted = async ({ id, begun }: Trade) => took(begun, await market.feed.reached(id, 'pending_external'));
  const send = (index: number) => turns[index % sellers] ?? (() => Promise.reject(new Error('there is no seller')));
  await accepted(await sell(market, send(0), 'first'));
  const sold = await paced(index => sell(market, send(index), index));
  return measureOf('sale, converted coins on the ledger to the payout', await Promise.all(sold.map(accepted)));
}

/** Buys USDC and pays by card. The ledger is read before the card is charged, so that it is never too new. */
async function buy({ client, network }: Market, address: string, name: unknown): Promise<Trade> {
  const { id, payment } = await client.ramps.create({
    direction: 'on',
    fiat_currency: 'EUR',
    fiat_amount: 100_00,
    asset: 'USDC',
    method: 'card',
    wallet: { address },
    customer: { email: `buyer-${name}@example.com` },
  });
  const { sequence: ledger } = await network.latestLedger();
  const { status } = await client.payments.confirm(payment ?? '', { method: 'card', token: 'tok_visa' });
  if (status !== 'completed') throw new Error(`the payment of ${id} is ${status}`);
  return { id, begun: { ledger, at: performance.now() } };
}

/** Sells XLM, which the service converts into the stablecoin of the currency before it pays. */
async function sell({ client }: Market, send: (ramp: Ramp) => Promise<number>, name: unknown): Promise<Trade> {
  const ramp = await client.ramps.create({
    direction: 'off',
    fiat_currency: 'EUR',
    asset_amount: '100.0000000',
    asset: 'XLM',
    method: 'bank_transfer',
    payout_destination: destination,
    customer: { email: `seller-${name}@example.com` },
  });
  const ledger = await send(ramp);
  return { id: ramp.id, begun: { ledger, at: performance.now() } };
}

function depositOf({ id, deposit }: Ramp) {
  if (deposit === null || !('address' in deposit)) throw new Error(`${id} waits for no coins`);
  return { address: deposit.address, amount: parseUnits(deposit.amount, stellarDecimals) ?? 0n };
}

async function paced<T>(work: (index: number) => Promise<T>): Promise<T[]> {
  const begun: Promise<T>[] = [];
  for (let index = 0; index < trades; index++) {
    begun.push(work(index));
    await sleep(paceMs);
  }
  return await Promise.all(begun);
}

interface Duration {
  readonly closes: number;
  readonly seconds: number;
}

function took(begun: Moment, ended: Moment): Duration {
  return { closes: ended.ledger - begun.ledger, seconds: (ended.at - begun.at) / 1000 };
}

/** The sandbox closes no empty ledgers, so the seconds show what the closes might hide. */
function measureOf(name: string, durations: readonly Duration[]): Measure {
  const closes = durations.map(duration => duration.closes);
  const seconds = durations.map(duration => duration.seconds);
  const most = percentile(closes, 0.95);
  const [half, mostSeconds] = [percentile(closes, 0.5), percentile(seconds, 0.95)];
  return {
    name: `${name}, p95 of ${durations.length} (p50: ${half}; p95 ${mostSeconds.toFixed(1)} s)`,
    value: `${most} ledger closes`,
    target: 'at most 2',
    met: most <= 2,
  };
}

/** The first moments of the states of ramps, as a merchant sees them in the stream of events. */
interface RampFeed {
  /** Waits until the ramp has been in the state. Throws after two minutes. */
  reached(id: string, status: RampStatus): Promise<Moment & { readonly ramp: Ramp }>;
  stop(): void;
}

async function followRamps(client: PayClient, network: StellarNetwork): Promise<RampFeed> {
  const stopping = new AbortController();
  const seen = new Map<string, Map<string, Moment & { readonly ramp: Ramp }>>();
  const opened = Promise.withResolvers<void>();
  const read = async () => {
    for await (const { data } of client.events.stream({ signal: stopping.signal, onOpen: opened.resolve })) {
      const ramp = data.object as Ramp;
      const at = performance.now();
      if (ramp.object !== 'ramp' || seen.get(ramp.id)?.has(ramp.status)) continue;
      const { sequence: ledger } = await network.latestLedger();
      seen.set(ramp.id, (seen.get(ramp.id) ?? new Map()).set(ramp.status, { ramp, at, ledger }));
    }
  };
  read().catch(opened.reject);
  await opened.promise;
  return {
    reached: async (id, status) => {
      for (const begun = performance.now(); performance.now() - begun < longestWaitMs; await sleep(50)) {
        const moment = seen.get(id)?.get(status);
        if (moment !== undefined) return moment;
      }
      throw new Error(`${id} was not ${status}, only ${[...(seen.get(id)?.keys() ?? [])].join(', ')}`);
    },
    stop: () => stopping.abort(),
  };
}
