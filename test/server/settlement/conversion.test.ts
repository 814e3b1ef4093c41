import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { least } from '../../../src/core/money.ts';
import { settlementShare } from '../../../src/server/payments/payment-funds.ts';
import { retryAfter } from '../../../src/server/payments/settling/payment-settlement.service.ts';
import { type Converted, legsOf } from '../../../src/server/settlement/conversions/conversion.ts';
import type { StellarAccount } from '../../../src/server/stellar/network.ts';
import {
  bestWay,
  planDelivery,
  sendMaxOf,
  type Way,
} from '../../../src/server/stellar/treasury/delivery-plan.service.ts';
import { createDestinations } from '../../../src/server/stellar/treasury/destination.ts';

const way = (sourceAsset: string, sendMax: bigint, spendable: bigint): Way => ({
  path: { sourceAsset, sourceAmount: sendMax, destinationAsset: 'USDC', destinationAmount: 1n, path: [] },
  sendMax,
  spendable,
});

describe('the maximum cost of a conversion', () => {
  const amount = fc.bigInt({ min: 1n, max: 2n ** 62n });
  it('is the fair price plus a small margin, and always suffices for the path that was found', () => {
    fc.assert(
      fc.property(amount, amount, (cost, fair) => {
        const most = sendMaxOf(cost, fair);
        if (most === null) expect(cost * 100n).toBeGreaterThan(fair * 102n);
        else {
          expect(most).toBeGreaterThanOrEqual(cost);
          expect(most * 100n).toBeLessThanOrEqual(fair * 103n + 100n);
        }
      }),
    );
  });

  it.each([
    ['a price as it should be', 1_000n, 1_000n, 1_010n],
    ['a price a little above', 1_025n, 1_000n, 1_030n],
    ['a price far above', 1_031n, 1_000n, null],
    ['a bargain', 500n, 1_000n, 505n],
  ])('is set for %s', (_, cost, fair, most) => {
    expect(sendMaxOf(cost, fair)).toBe(most);
  });
});

describe('the fair price of a delivery', () => {
  const given = { currency: 'USD', amount: 100n };
  it.each([
    ['a quiet market', { cost: 1_010n, market: 1_000n, value: 1_000n }, 1_020n],
    ['a market that its issuer raised since the quote', { cost: 1_400n, market: 1_400n, value: 1_000n }, null],
    ['a market that fell since the quote', { cost: 700n, market: 700n, value: 1_000n }, 707n],
    ['a dear path in a market that fell', { cost: 900n, market: 700n, value: 1_000n }, null],
    ['no rate of what was given', { cost: 1_000n, market: 1_000n, value: null }, null],
    ['no rate of the asset', { cost: 1_000n, market: null, value: 1_000n }, null],
  ])('is bounded by the asset’s market and by what was given, in %s', async (_, { cost, market, value }, most) => {
    const path = { ...way('XLM', cost, 0n).path, sourceAmount: cost };
    const deps = {
      network: { strictReceivePaths: async () => [path] },
      destinations: { problem: async () => null },
      spendable: async () => new Map([['XLM', 10_000n]]),
      worth: async (asset: string) => (asset === 'USDC' ? market : value),
    };
    const sum = { asset: 'USDC', amount: 1_000n, destination: { address: 'G' }, paidIn: 'XLM', given };
    const plan = await planDelivery(deps, { ...sum, claimable: false });
    expect(plan.state === 'ready' ? plan.source?.max : plan.code).toBe(most ?? 'price_moved');
  });
});

describe('a conversion of the treasury’s own money', () => {
  const spends = async (paidIn: string, changes: object = {}) => {
    const amounts = [
      ['XLM', 10_000n],
      ['USDC', 10_000n],
      ['EURC', 10_000n],
    ] as const;
    const deps = {
      network: {
        strictReceivePaths: async ({ sourceAssets }: { sourceAssets: readonly string[] }) =>
          sourceAssets.map(asset => ({ ...way(asset, 1_000n, 0n).path, sourceAmount: 1_000n })),
      },
      destinations: { problem: async () => null },
      spendable: async () => new Map(amounts.filter(([asset]) => asset !== 'XLM' || paidIn === 'XLM')),
      worth: async () => 1_000n,
    };
    const sum = { asset: 'EURC', amount: 1_000n, destination: { address: 'G' }, given: null, claimable: false };
    const plan = await planDelivery(deps, { ...sum, paidIn, conversion: true, ...changes });
    return plan.state === 'ready' ? [plan.source?.asset, plan.destination['conversion']] : plan.code;
  };

  it('spends only the received asset, although the treasury has the wanted one', async () => {
    expect(await spends('XLM')).toEqual(['XLM', 'own']);
    expect(await spends('OTHER')).toBe('treasury_underfunded');
    expect(await spends('OTHER', { conversion: false })).toEqual(['EURC', undefined]);
  });

  it('is the only payment that may reach the treasury', async () => {
    const account = { address: 'GOWN', balances: [], memoRequired: true } as unknown as StellarAccount;
    const { problem } = createDestinations({ account: async () => account }, 'GOWN');
    const money = { destination: 'GOWN', asset: 'XLM', amount: 1n, hasMemo: false };
    expect(await problem(money)).toBe('own_account');
    expect(await problem({ ...money, isConversion: true })).toBeNull();
    expect(await problem({ ...money, destination: 'GOTHER', isConversion: true })).toBe('invalid_destination');
  });
});

describe('the parts of a payment’s crypto that are converted', () => {
  const asset = fc.constantFrom('XLM', 'USDC', 'EURC');
  const value = fc.bigInt({ min: 0n, max: 50_000n });
  const round = fc.record({
    received: fc.dictionary(asset, fc.record({ value, excess: value })),
    room: value,
    suspense: value,
  });

  it('never exceed what was received and kept, and cost the merchant’s quote, however many come one after another', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 50_000n }), value, fc.array(round), (amount, quote_amount, rounds) => {
        const totals = new Map<string, bigint>();
        const made: (Converted & { amount: bigint; number: number })[] = [];
        for (const { received, room, suspense } of rounds) {
          for (const [name, more] of Object.entries(received)) totals.set(name, (totals.get(name) ?? 0n) + more.value);
          const parts = [...totals].map(([name, total]) => ({
            asset: name,
            value: total,
            excess: least(received[name]?.excess ?? 0n, total),
          }));
          const legs = legsOf({ amount, quote_amount, room, suspense }, parts, made, 'EURC');
          expect(sum(legs)).toBeLessThanOrEqual(room);
          made.push(...legs.map(leg => ({ ...leg, source_asset: leg.asset })));
        }
        for (const [name, total] of totals) {
          const ofAsset = made.filter(each => each.source_asset === name);
          expect(sum(ofAsset)).toBeLessThanOrEqual(name === 'EURC' ? 0n : total);
          expect(ofAsset.map(({ number }) => number)).toEqual(ofAsset.map((_, index) => index + 1));
        }
        const bought = made.reduce((all, leg) => all + leg.amount, 0n);
        expect(bought).toBe(settlementShare({ amount, quote_amount }, 0n, sum(made)));
      }),
    );
  });
});

const sum = (parts: readonly { readonly value: bigint }[]) => parts.reduce((all, { value }) => all + value, 0n);

describe('the conversion path', () => {
  it.each<[string, readonly Way[], string | null, string | null]>([
    ['no assets', [], null, null],
    ['an asset of which the treasury has too little', [way('XLM', 101n, 100n)], 'XLM', null],
    [
      'the received asset, although another has a lower share',
      [way('EURC', 1n, 100n), way('XLM', 90n, 100n)],
      'XLM',
      'XLM',
    ],
    ['the asset of which it uses the smallest share', [way('EURC', 30n, 100n), way('XLM', 200n, 1_000n)], null, 'XLM'],
    [
      'another asset, when the received one does not suffice',
      [way('EURC', 30n, 100n), way('XLM', 200n, 100n)],
      'XLM',
      'EURC',
    ],
  ])('is chosen from %s', (_, ways, preferred, chosen) => {
    expect(bestWay(ways, preferred)?.path.sourceAsset ?? null).toBe(chosen);
  });
});

describe('a settlement that cannot be delivered', () => {
  it('is tried for more than a month, with growing pauses, and then ends', () => {
    const pauses: number[] = [];
    for (let tries = 1; ; tries++) {
      const pause = retryAfter(tries, 'memo_required');
      if (pause === null) break;
      pauses.push(pause);
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(31 * 86_400);
    expect(pauses.length).toBeLessThan(60);
  });

  it('is tried again soon while the cause is the service itself', () => {
    expect([1, 100, 10_000].map(tries => retryAfter(tries, 'treasury_underfunded'))).toEqual([60, 60, 60]);
  });
});
