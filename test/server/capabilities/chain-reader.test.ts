import { expect, it } from 'vitest';
import { PayError } from '../../../src/core/error.ts';
import { createChainReader } from '../../../src/server/capabilities/chain-reader.ts';

const away = () => Promise.reject(new PayError('unavailable', 'No answer.'));
const silent = () => new Promise<never>(() => undefined);

/** A reader of a chain whose answers the test sets, on a clock that moves by a minute with each read. */
function readerOf({ holdMs = 0 } = {}) {
  const chain = { asked: 0, answer: async (): Promise<readonly string[] | null> => ['XLM'] };
  let minute = 0;
  const ask = () => {
    chain.asked += 1;
    return chain.answer();
  };
  const read = createChainReader(ask, { now: () => new Date(Date.UTC(2026, 10, 2, 9, minute)) }, { holdMs, waitMs: 0 });
  const next = async () => {
    const { assets, awaySince } = await read();
    minute += 1;
    return [assets, awaySince?.toISOString().slice(11, 16) ?? null];
  };
  return { chain, read, next };
}

it.each([
  ['refuses connections', away],
  ['never answers', silent],
])('a network that %s leaves what is known, and since when', async (_, gone) => {
  const { chain, next } = readerOf();
  expect(await next()).toEqual([['XLM'], null]);
  chain.answer = gone;
  expect(await next()).toEqual([['XLM'], '09:01']);
  expect(await next()).toEqual([['XLM'], '09:01']);
  chain.answer = async () => null;
  expect(await next()).toEqual([null, null]);
});

it('nothing is known of a network that has never answered', async () => {
  const { chain, next } = readerOf();
  chain.answer = silent;
  expect(await next()).toEqual([undefined, '09:00']);
});

it('an answer that comes late counts', async () => {
  const { chain, read } = readerOf({ holdMs: 60_000 });
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  chain.answer = () => promise;
  expect((await read()).awaySince).not.toBeNull();
  resolve(['USDC']);
  expect(await read()).toEqual({ assets: ['USDC'], awaySince: null });
});

it('an old question that fails late does not count against a newer answer', async () => {
  const { chain, next } = readerOf();
  const { promise, reject } = Promise.withResolvers<readonly string[]>();
  chain.answer = () => promise;
  await next();
  chain.answer = async () => ['XLM'];
  await next();
  reject(new PayError('unavailable', 'No answer.'));
  chain.answer = silent;
  expect(await next()).toEqual([['XLM'], '09:02']);
});

it('all reads share one question for a while, whatever its answer', async () => {
  for (const answer of [async () => ['XLM'], away]) {
    const { chain, read } = readerOf({ holdMs: 60_000 });
    chain.answer = answer;
    await Promise.all(Array.from({ length: 5 }, read));
    await read();
    expect(chain.asked).toBe(1);
  }
});

it('other errors are thrown, and asked again', async () => {
  const { chain, read } = readerOf({ holdMs: 60_000 });
  chain.answer = () => Promise.reject(new TypeError('a defect'));
  await expect(read()).rejects.toThrow('a defect');
  chain.answer = async () => ['XLM'];
  expect((await read()).assets).toEqual(['XLM']);
});
