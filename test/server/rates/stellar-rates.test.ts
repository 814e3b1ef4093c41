import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { convert } from '../../../src/core/rate.ts';
import { publicPassphrase } from '../../../src/core/stellar/stellar-network.ts';
import { createHttpExchange, type HttpExchange } from '../../../src/server/platform/http-exchange.ts';
import { createReadings } from '../../../src/server/rates/rate-readings.store.ts';
import { createRates, UnknownPair } from '../../../src/server/rates/rates.ts';
import { createSpotPrice } from '../../../src/server/rates/spot-price.ts';
import { createEcbRates, createStellarRates, parseEcbTable } from '../../../src/server/rates/stellar-rates.ts';
import { createHorizonNetwork } from '../../../src/server/stellar/horizon/horizon-network.ts';
import { knownAssets } from '../../../src/server/stellar/known-assets.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type FixtureServer, send, startFixtureServer } from '../stellar/fixture-server.ts';

const known = knownAssets.public;
const usdc = `USDC:${known['USDC']}`;
const eurc = `EURC:${known['EURC']}`;
const begin = new Date('2026-11-02T09:00:00Z');
let now: Date;
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000);
};

/** The bank’s document in its published form. */
const document = (day: string, rates: Record<string, string>) => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender>
		<gesmes:name>European Central Bank</gesmes:name>
	</gesmes:Sender>
	<Cube>
		<Cube time='${day}'>
${Object.entries(rates)
  .map(([currency, rate]) => `			<Cube currency='${currency}' rate='${rate}'/>`)
  .join('\n')}
		</Cube>
	</Cube>
</gesmes:Envelope>`;
const usual = document('2026-10-30', { USD: '1.0900', JPY: '163.50', GBP: '0.85850' });

let server: FixtureServer;
let http: HttpExchange;
beforeAll(async () => {
  server = await startFixtureServer();
  http = createHttpExchange({ timeoutMs: 400 });
});
afterAll(async () => {
  http.close();
  await server.close();
});

/** The network’s market prices by pair `A>B`: units of B for one unit of A. */
let prices: Record<string, number>;
/** The part of the price that an amount gets. */
let depth: (amount: number) => number;
let bank: (response: Parameters<typeof send>[0]) => void;
/** What the market outside the network answers. */
let outside: readonly [number, object];
beforeEach(() => {
  now = begin;
  depth = () => 1;
  prices = { [`${usdc}>XLM`]: 8, [`XLM>${usdc}`]: 0.124, [`${usdc}>${eurc}`]: 0.917, [`${eurc}>${usdc}`]: 1.089 };
  bank = response => send(response, 200, usual);
  outside = [200, { data: { base: 'XLM', currency: 'USD', amount: '0.1245' } }];
  server.answer('/spot', (_, response) => send(response, ...outside));
  server.answer('/', { network_passphrase: publicPassphrase });
  server.answer('/ecb.xml', (_, response) => bank(response));
  server.answer('/paths/strict-send', ({ query }, response) => {
    const source = assetOf(query.get('source_asset_code'), query.get('source_asset_issuer'));
    const destination = query.get('destination_assets')?.replace('native', 'XLM') ?? '';
    const price = prices[`${source}>${destination}`];
    const amount = Number(query.get('source_amount'));
    const records = price === undefined ? [] : [path(amount, price * depth(amount))];
    send(response, 200, { _embedded: { records } });
  });
});

const assetOf = (code: string | null, issuer: string | null) => (code === null ? 'XLM' : `${code}:${issuer}`);
/** Only the amounts of a path are read for a price. */
const path = (amount: number, price: number) => ({
  source_asset_type: 'native',
  source_amount: amount.toFixed(7),
  destination_asset_type: 'native',
  destination_amount: (amount * price).toFixed(7),
  path: [],
});

/** The issuer of this asset owns its whole market. The operator lists it all the same. */
const moon = `MOON:${known['EURC']}`;
/** Warnings of the service. */
const warnings: string[] = [];
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await sql`truncate rate_readings`.execute(database.db);
});
afterAll(() => database.drop());

function market() {
  const clock = { now: () => now };
  const network = createHorizonNetwork({ url: () => server.url, passphrase: publicPassphrase, http });
  const ecb = createEcbRates({ url: `${server.url}/ecb.xml`, http, clock });
  const readings = createReadings(database.db, clock);
  const spot = createSpotPrice({
    url: `${server.url}/spot`,
    http,
    clock,
    log: { warn: (_, text) => warnings.push(text) },
  });
  const source = createStellarRates({ market: network, ecb, spot, clock, knownAssets: known, readings });
  const codes = Array.from({ length: 200 }, (_, count) => `A${count}:${known['EURC']}`);
  return createRates(source, clock, ['XLM', usdc, eurc, moon, `OTHER:${known['USDC']}`, ...codes]);
}
const refused = { code: 'rate_unavailable', status: 503 };
/** The value of a million smallest units of `from` in smallest units of `to`. */
const million = async (from: string, to: string, rates = market()) =>
  convert(1_000_000n, (await rates.find(from, to)).rate);

describe('a price in live mode', () => {
  it.each([
    ['EUR', 'USD', 1_090_000n],
    ['EUR', usdc, 109_000_000_000n],
    [usdc, 'USD', 10n],
    ['JPY', 'USD', 666_667n],
    ['GBP', 'EUR', 1_164_822n],
    // One dollar buys eight lumens; sold, a lumen brings 0.124.
    ['USD', 'XLM', 800_000_000_000n],
    ['EUR', 'XLM', 872_000_000_000n],
    ['XLM', usdc, 124_000n],
  ])('combines bank and network: %s in %s', async (from, to, worth) => {
    expect(await million(from, to)).toBe(worth);
  });

  it.each([
    ['a currency the bank does not quote', 'NGN', 'USD'],
    ['an asset that is not traded', `OTHER:${known['USDC']}`, usdc],
  ])('is unknown for %s', async (_, from, to) => {
    await expect(million(from, to)).rejects.toThrow(UnknownPair);
  });

  it.each<[string, () => void]>([
    ['the opposite price is missing', () => delete prices[`XLM>${usdc}`]],
    ['bid and ask are far apart', () => (prices[`XLM>${usdc}`] = 0.1)],
    ['one direction is inverted', () => (prices[`XLM>${usdc}`] = 8)],
    ['the euro asset is not worth a euro', () => (prices[`${eurc}>${usdc}`] = 0.98)],
    ['the network does not answer', () => server.answer('/paths/strict-send', (_, r) => send(r, 503, {}))],
  ])('is unknown at present when %s', async (_, happen) => {
    happen();
    const error = await million('USD', 'XLM').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(refused);
    expect(error).not.toBeInstanceOf(UnknownPair);
  });

  it('is unknown when it jumps tenfold, and is requested at most every twenty seconds', async () => {
    const rates = market();
    expect(await million('USD', 'XLM', rates)).toBe(800_000_000_000n);
    prices = { ...prices, [`${usdc}>XLM`]: 80, [`XLM>${usdc}`]: 0.0124 };
    const asked = server.seen.length;
    later(15);
    expect(await million('USD', 'XLM', rates)).toBe(800_000_000_000n);
    expect(server.seen.length).toBe(asked);
    later(15);
    await expect(million('USD', 'XLM', rates)).rejects.toMatchObject(refused);
  });

  it.each<[string, (steps: { rates: ReturnType<typeof market> }) => void, number]>([
    ['every 21 seconds', () => later(21), 4],
    ['every 21 seconds, a little each time', () => later(21), 1.2],
    ['every 11 minutes', () => later(660), 1.3],
    ['once a day', () => later(86_401), 4],
    [
      'after restarts of the server',
      step => {
        later(21);
        step.rates = market();
      },
      4,
    ],
  ])('does not follow an issuer that moves its own market %s', async (_, wait, factor) => {
    const step = { rates: market() };
    const setPrice = (price: number) => {
      prices = { ...prices, [`${usdc}>${moon}`]: 1 / price, [`${moon}>${usdc}`]: price };
    };
    let price = 1;
    let last = 0n;
    for (let count = 0; count < 12; count++) {
      setPrice(price);
      last = await million(moon, 'USD', step.rates).catch(() => last);
      price *= factor;
      wait(step);
    }
    // 50 % in a day at most. The honest price is 10 cents for a million stroops.
    expect(last).toBeGreaterThanOrEqual(10n);
    expect(last).toBeLessThanOrEqual(15n);
  });

  it('returns after a refused price, and follows a market that moves within its bounds', async () => {
    const rates = market();
    const ask = async (price: number) => {
      prices = { ...prices, [`${usdc}>${moon}`]: 1 / price, [`${moon}>${usdc}`]: price };
      later(660);
      return (await rates.find(moon, 'USD')).rate;
    };
    await ask(1);
    await expect(ask(4)).rejects.toMatchObject(refused);
    expect(convert(10_000_000n, await ask(1.05))).toBe(105n);
    expect(convert(10_000_000n, await ask(1.15))).toBe(115n);
  });

  it('of an amount is what the market gives for the whole amount, or none if it is too thin', async () => {
    const rates = market();
    const worth = async (sum: bigint) => convert(sum, (await rates.findFor(sum, 'XLM', usdc)).rate);
    await rates.find('XLM', usdc);
    later(660);
    depth = amount => (amount > 2_000_000 ? 0.5 : amount > 10_000 ? 0.97 : 1);
    expect(await worth(1_000n * 10n ** 7n)).toBe(1_240_000_000n);
    expect(await worth(20_000n * 10n ** 7n)).toBe(24_056_000_000n);
    await expect(worth(3_000_000n * 10n ** 7n)).rejects.toMatchObject(refused);
  });

  it('converts no issued asset before its first reading is ten minutes old', async () => {
    prices = { ...prices, [`${usdc}>${moon}`]: 1, [`${moon}>${usdc}`]: 1 };
    const rates = market();
    const sum = 10n ** 7n;
    await expect(rates.findFor(sum, moon, 'EUR')).rejects.toMatchObject(refused);
    expect((await rates.find(moon, 'EUR')).source).toBe('stellar+ecb');
    expect((await rates.findFor(100n, 'USD', 'EUR')).source).toBe('stellar+ecb');
    expect((await rates.findFor(100n, 'XLM', 'EUR')).source).toBe('stellar+ecb');
    later(540);
    await expect(rates.findFor(100n, 'EUR', moon)).rejects.toMatchObject(refused);
    later(120);
    expect((await rates.findFor(sum, moon, 'EUR')).source).toBe('stellar+ecb');
  });

  it.each<[string, string | null, number, object]>([
    ['agrees', '0.1190', 200, { data: { currency: 'USD', amount: '0.1190' } }],
    ['is far above', null, 200, { data: { currency: 'USD', amount: '0.1400' } }],
    ['is far below', null, 200, { data: { currency: 'USD', amount: '0.1100' } }],
    ['has another currency', 'own', 200, { data: { currency: 'EUR', amount: '0.9' } }],
    ['answers nonsense', 'own', 200, { data: { currency: 'USD', amount: 'a lot' } }],
    ['answers a zero', 'own', 200, { data: { currency: 'USD', amount: '0' } }],
    ['does not answer', 'own', 503, {}],
  ])('of XLM is compared with a market outside the network, which %s', async (_, agreed, status, body) => {
    outside = [status, body];
    const found = million('XLM', 'USD');
    warnings.length = 0;
    if (agreed === null) await expect(found).rejects.toMatchObject(refused);
    else expect(await found).toBe(1n);
    expect(warnings).toHaveLength(agreed === 'own' ? 1 : 0);
  });

  it('is refused for an asset that the operator does not list', async () => {
    const unlisted = `NOPE:${known['EURC']}`;
    await expect(market().find(unlisted, 'USD')).rejects.toMatchObject({ code: 'asset_not_listed', status: 400 });
  });

  it('is not kept for every asset that was ever asked for', async () => {
    const rates = market();
    await million('USD', 'XLM', rates);
    for (let count = 0; count < 200; count++)
      await rates.find(`A${count}:${known['EURC']}`, 'USD').catch((error: unknown) => error);
    later(2);
    const asked = server.seen.length;
    await million('USD', 'XLM', rates);
    expect(server.seen.length).toBeGreaterThan(asked);
  });

  it('of two crypto assets needs no bank rates, that of a currency does', async () => {
    bank = response => send(response, 500, 'down');
    expect(await million('XLM', usdc)).toBe(124_000n);
    await expect(million('EUR', usdc)).rejects.toMatchObject(refused);
  });
});

describe('the bank’s rates', () => {
  const ecb = () => createEcbRates({ url: `${server.url}/ecb.xml`, http, clock: { now: () => now } });

  it('are requested once an hour, and kept during an outage until they are too old', async () => {
    const rates = ecb();
    const questions = () => server.seen.filter(({ path: asked }) => asked === '/ecb.xml').length;
    const before = questions();
    expect(await rates.price('EUR', 'USD')).toBe('1.090000000000000000');
    later(3_599);
    await rates.price('EUR', 'JPY');
    expect(questions()).toBe(before + 1);
    bank = response => send(response, 503, 'maintenance');
    later(3_600);
    expect(await rates.price('EUR', 'GBP')).toBe('0.858500000000000000');
    expect(questions()).toBe(before + 2);
    // A table may be six days old, because of Easter. This table is of Friday, October 30.
    now = new Date('2026-11-05T00:00:00Z');
    expect(await rates.price('EUR', 'USD')).not.toBeNull();
    later(1);
    await expect(rates.price('EUR', 'USD')).rejects.toThrow('too old');
  });

  it('are not read from an outdated cache', async () => {
    const rates = ecb();
    await rates.price('EUR', 'USD');
    bank = response => send(response, 200, document('2026-10-29', { USD: '9' }));
    later(3_600);
    expect(await rates.price('EUR', 'USD')).toBe('1.090000000000000000');
    bank = response => send(response, 200, document('2026-11-02', { USD: '1.1' }));
    later(3_600);
    expect(await rates.price('EUR', 'USD')).toBe('1.100000000000000000');
  });

  it.each<[string, string]>([
    ['a page', '<html><body>Sorry</body></html>'],
    ['nothing', ''],
    ['a rate of zero', document('2026-10-30', { USD: '0' })],
    ['a negative rate', document('2026-10-30', { USD: '-1.09' })],
    ['an invalid rate', document('2026-10-30', { USD: 'N/A' })],
    ['no day', document('', { USD: '1.09' })],
    ['no such day', document('2026-13-45', { USD: '1.09' })],
    ['no dollar', document('2026-10-30', { JPY: '163' })],
    ['one currency twice', usual.replace('JPY', 'USD')],
  ])('are not read from %s', (_, xml) => {
    expect(parseEcbTable(xml)).toBeNull();
  });
});
