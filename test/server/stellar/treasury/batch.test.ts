import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coverable } from '../../../../src/server/outbound/build.service.ts';
import type { StellarAccount, TransactionMemo } from '../../../../src/server/stellar/network.ts';
import {
  exceedsCap,
  mostOperations,
  needsOf,
  operationCount,
  operationsOf,
  outflowsOf,
  planBatches,
  type Sendable,
} from '../../../../src/server/stellar/treasury/batch.ts';
import { destinationProblem } from '../../../../src/server/stellar/treasury/destination.ts';

const treasury = 'GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP';
const payee = 'GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX';
const usdc = `USDC:${treasury}`;
const eurc = `EURC:${payee}`;
const frozen = `OLD:${treasury}`;

const sendable = (id: number, changes: Partial<Sendable> = {}): Sendable => ({
  id: `ot_${id}`,
  delivery: 'payment',
  destination: payee,
  memo: null,
  asset: usdc,
  amount: 10n,
  sourceAsset: usdc,
  sendMax: 10n,
  path: [],
  ...changes,
});

const memo = fc.option(
  fc.record({ type: fc.constantFrom('text', 'id'), value: fc.constantFrom('1', '2', '3') }),
) as fc.Arbitrary<TransactionMemo | null>;
const some = fc
  .array(
    fc.record({
      memo,
      delivery: fc.constantFrom('payment', 'claimable_balance'),
      sourceAsset: fc.constantFrom(usdc, eurc),
    }) as fc.Arbitrary<Partial<Sendable>>,
    { maxLength: 400 },
  )
  .map(all => all.map((changes, index) => sendable(index, changes)));

describe('batches', () => {
  it('contain every transfer once, in order, within the limits of a transaction', () => {
    fc.assert(
      fc.property(some, fc.option(fc.bigInt({ min: 10n, max: 300n })), (transfers, cap) => {
        const capOf = () => cap;
        const batches = planBatches(transfers, capOf);
        const carried = batches.flatMap(batch => batch.transfers);
        expect(new Set(carried).size).toBe(transfers.length);
        expect(carried.length).toBe(transfers.length);
        for (const batch of batches) {
          const operations = batch.transfers.flatMap(transfer => operationsOf(transfer, treasury));
          expect(operations.length).toBe(batch.transfers.reduce((sum, each) => sum + operationCount(each), 0));
          expect(operations.length).toBeGreaterThan(0);
          expect(operations.length).toBeLessThanOrEqual(mostOperations);
          expect(new Set(batch.transfers.map(each => JSON.stringify(each.memo))).size).toBe(1);
          if (cap !== null && !exceedsCap(batch.transfers[0] as Sendable, capOf)) {
            const out = batch.transfers.flatMap(each => [...outflowsOf(each)]);
            for (const asset of [usdc, eurc]) {
              const sum = out.reduce((total, [of, amount]) => total + (of === asset ? amount : 0n), 0n);
              expect(sum).toBeLessThanOrEqual(cap);
            }
          }
          const places = batch.transfers.map(each => transfers.indexOf(each));
          expect(places).toEqual([...places].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('are as few as possible for transfers without memo', () => {
    const many = (length: number) => Array.from({ length }, (_, index) => sendable(index));
    expect(planBatches(many(1_000), () => null)).toHaveLength(10);
    expect(planBatches(many(101), () => null)).toHaveLength(2);
    expect(planBatches(many(100), () => 500n)).toHaveLength(2);
    expect(planBatches([], () => null)).toEqual([]);
  });
});

describe('the operations of a transfer', () => {
  const types = (transfer: Sendable) => operationsOf(transfer, treasury).map(({ type }) => type);

  it('deliver the exact amount and spend at most the limit', () => {
    const [operation] = operationsOf(sendable(1, { sourceAsset: 'XLM', sendMax: 99n, path: [eurc] }), treasury);
    expect(operation).toEqual({
      type: 'pathPaymentStrictReceive',
      source: treasury,
      sendAsset: 'XLM',
      sendMax: 99n,
      destination: payee,
      destinationAsset: usdc,
      destinationAmount: 10n,
      path: [eurc],
    });
  });

  it('create a claimable balance for an account that cannot receive, after a conversion if needed', () => {
    expect(types(sendable(1, { delivery: 'claimable_balance' }))).toEqual(['createClaimableBalance']);
    expect(types(sendable(1, { delivery: 'claimable_balance', sourceAsset: eurc }))).toEqual([
      'pathPaymentStrictReceive',
      'createClaimableBalance',
    ]);
  });
});

const account = (changes: Partial<StellarAccount> = {}): StellarAccount => ({
  address: payee,
  sequence: 1n,
  balances: [
    { asset: 'XLM', balance: 100n, room: null, spendable: 50n, authorized: true },
    { asset: usdc, balance: 0n, room: 100n, spendable: 0n, authorized: true },
    { asset: frozen, balance: 0n, room: 100n, spendable: 0n, authorized: false },
  ],
  memoRequired: false,
  signers: [],
  mediumThreshold: 0,
  ...changes,
});
const money = { destination: payee, asset: usdc, amount: 100n, hasMemo: false };
const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';

describe('the state of a destination', () => {
  it.each<[string, StellarAccount | null, Partial<typeof money>, string | null]>([
    ['an account that can receive the asset', account(), {}, null],
    ['no account', null, {}, 'destination_missing'],
    ['an account without the trustline', account({ balances: [] }), {}, 'no_trustline'],
    ['an issuer, which can always receive its own asset', account({ address: treasury, balances: [] }), {}, null],
    ['a trustline that is not authorized', account(), { asset: frozen }, 'not_authorized'],
    ['another code of the same issuer', account(), { asset: `OTHER:${treasury}` }, 'no_trustline'],
    ['a line with too little room', account(), { amount: 101n }, 'account_limit_reached'],
    ['an account that requires a memo', account({ memoRequired: true }), {}, 'memo_required'],
    ['the same with a memo', account({ memoRequired: true }), { hasMemo: true }, null],
    ['the same by a muxed address', account({ memoRequired: true }), { destination: muxed }, null],
    ['XLM into any account', account({ balances: [] }), { asset: 'XLM' }, null],
  ])('is determined: %s', (_, found, changes, problem) => {
    expect(destinationProblem(found, { ...money, ...changes })).toBe(problem);
  });
});

describe('the treasury’s affordable transfers', () => {
  it('never exceed its balance, and exclude only transfers that do not fit', () => {
    const asset = fc.constantFrom('XLM', usdc, eurc);
    const amount = fc.bigInt({ min: 1n, max: 100n });
    const delivery = fc.constantFrom<Sendable['delivery']>('payment', 'claimable_balance');
    const sum = fc
      .record({ sourceAsset: asset, sendMax: amount, delivery })
      .map(each => ({ needs: needsOf(sendable(0, each)) }));
    const amounts = fc.dictionary(asset, fc.bigInt({ min: 0n, max: 500n })).map(all => new Map(Object.entries(all)));
    fc.assert(
      fc.property(fc.array(sum, { maxLength: 30 }), amounts, amounts, (sums, spendable, committed) => {
        const { covered, short } = coverable(sums, spendable, committed);
        expect(covered.length + short.length).toBe(sums.length);
        const left = (asset: string) =>
          covered.reduce(
            (rest, { needs }) => rest - (needs.get(asset) ?? 0n),
            (spendable.get(asset) ?? 0n) - (committed.get(asset) ?? 0n),
          );
        for (const asset of covered.flatMap(({ needs }) => [...needs.keys()])) {
          expect(left(asset)).toBeGreaterThanOrEqual(0n);
        }
        for (const { needs } of short) expect([...needs].every(([asset, amount]) => left(asset) >= amount)).toBe(false);
      }),
    );
  });
});
