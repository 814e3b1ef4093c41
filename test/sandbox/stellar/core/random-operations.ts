import { Asset, Claimant, getLiquidityPoolId, LiquidityPoolAsset, Operation } from '@stellar/stellar-sdk/base';
import type { Operation as OperationXdr } from '@stellar/stellar-sdk/xdr';
import fc from 'fast-check';
import { addressOf, assetOf, codes, people } from './world.ts';

export interface RandomOperation {
  readonly source: string;
  readonly operation: OperationXdr;
}

const person = fc.constantFrom(...people);
const code = fc.constantFrom(...codes);
const credit = fc.constantFrom(...codes.slice(1));
const pair = fc
  .uniqueArray(code, { minLength: 2, maxLength: 2 })
  .map(([a = 'XLM', b = 'USD']) => [assetOf(a), assetOf(b)] as const);
/** Text of an amount, from one stroop to 300 units. */
const amount = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 3_000_000_000 })).map(stroops => {
  const text = String(stroops).padStart(8, '0');
  return `${text.slice(0, -7)}.${text.slice(-7)}`;
});
const price = fc.record({ n: fc.integer({ min: 1, max: 1000 }), d: fc.integer({ min: 1, max: 1000 }) });

const ordered = ([a, b]: readonly [Asset, Asset]): [Asset, Asset] => (Asset.compare(a, b) < 0 ? [a, b] : [b, a]);
const poolOf = (assets: readonly [Asset, Asset]) => new LiquidityPoolAsset(...ordered(assets), 30);
const poolIdOf = (assets: readonly [Asset, Asset]) =>
  Buffer.from(getLiquidityPoolId('constant_product', poolOf(assets).getLiquidityPoolParameters())).toString('hex');

const by = <T>(
  arbitrary: fc.Arbitrary<T>,
  make: (value: T, source: string) => OperationXdr,
): fc.Arbitrary<RandomOperation> =>
  fc.tuple(person, arbitrary).map(([source, value]) => ({ source, operation: make(value, addressOf(source)) }));

/** The terms of a path payment. */
export interface PathTerms {
  readonly source: string;
  readonly to: string;
  /** Asset codes, from the sent to the received one. */
  readonly path: readonly string[];
  /** The exact amount, and the limit on the other side, as decimal text. */
  readonly amount: string;
  readonly bound: string;
  readonly strict: 'send' | 'receive';
}

export const pathTerms: fc.Arbitrary<PathTerms> = fc.record({
  source: person,
  to: person,
  path: fc.array(code, { minLength: 2, maxLength: 5 }),
  amount,
  bound: fc.constant('0.0000001'),
  strict: fc.constantFrom('send', 'receive'),
});

export function pathPaymentOf({ source, to, path, amount: exact, bound, strict }: PathTerms): RandomOperation {
  const assets = path.map(assetOf);
  const [sendAsset = Asset.native(), destAsset = Asset.native()] = [assets[0], assets.at(-1)];
  const common = {
    source: addressOf(source),
    destination: addressOf(to),
    sendAsset,
    destAsset,
    path: assets.slice(1, -1),
  };
  const operation =
    strict === 'send'
      ? Operation.pathPaymentStrictSend({ ...common, sendAmount: exact, destMin: bound })
      : Operation.pathPaymentStrictReceive({ ...common, destAmount: exact, sendMax: bound });
  return { source, operation };
}

/** Path payments between accounts, which neither create nor destroy credit. */
export const pathPayment: fc.Arbitrary<RandomOperation> = pathTerms.map(terms =>
  pathPaymentOf({ ...terms, bound: terms.strict === 'send' ? '0.0000001' : '1000' }),
);

/** Offers and pool deposits, with which paths can trade. */
export const trading: fc.Arbitrary<RandomOperation> = fc.oneof(
  by(fc.record({ pair, amount, price }), ({ pair: [selling, buying], ...terms }, source) =>
    Operation.manageSellOffer({ source, selling, buying, ...terms }),
  ),
  by(fc.record({ pair, buyAmount: amount, price }), ({ pair: [selling, buying], ...terms }, source) =>
    Operation.manageBuyOffer({ source, selling, buying, ...terms }),
  ),
  by(fc.record({ pair, amount, price }), ({ pair: [selling, buying], ...terms }, source) =>
    Operation.createPassiveSellOffer({ source, selling, buying, ...terms }),
  ),
  by(
    fc.record({ pair, amount, price, id: fc.integer({ min: 1, max: 12 }) }),
    ({ pair: [selling, buying], id, ...terms }, source) =>
      Operation.manageSellOffer({ source, selling, buying, ...terms, offerId: String(id) }),
  ),
  by(pair, (assets, source) => Operation.changeTrust({ source, asset: poolOf(assets) })),
  by(fc.record({ pair, maxAmountA: amount, maxAmountB: amount }), ({ pair: assets, ...most }, source) =>
    Operation.liquidityPoolDeposit({
      source,
      liquidityPoolId: poolIdOf(assets),
      ...most,
      minPrice: { n: 1, d: 1_000_000 },
      maxPrice: { n: 1_000_000, d: 1 },
    }),
  ),
  by(fc.record({ pair, amount }), ({ pair: assets, amount: shares }, source) =>
    Operation.liquidityPoolWithdraw({
      source,
      liquidityPoolId: poolIdOf(assets),
      amount: shares,
      minAmountA: '0',
      minAmountB: '0',
    }),
  ),
);

const issuing: fc.Arbitrary<RandomOperation> = fc
  .record({
    trustor: person,
    asset: credit,
    amount,
    authorize: fc.constantFrom(0, 1, 2),
    kind: fc.constantFrom('pay', 'authorize', 'clawback'),
  })
  .map(({ trustor, asset, amount: text, authorize, kind }) => {
    const source = addressOf('issuer');
    const party = { source, asset: assetOf(asset) };
    const flags = { authorized: authorize === 1, authorizedToMaintainLiabilities: authorize === 2 };
    if (kind === 'pay')
      return {
        source: 'issuer',
        operation: Operation.payment({ ...party, destination: addressOf(trustor), amount: text }),
      };
    if (kind === 'clawback')
      return { source: 'issuer', operation: Operation.clawback({ ...party, from: addressOf(trustor), amount: text }) };
    return {
      source: 'issuer',
      operation: Operation.setTrustLineFlags({ ...party, trustor: addressOf(trustor), flags }),
    };
  });

const holding: fc.Arbitrary<RandomOperation> = fc.oneof(
  by(
    fc.record({ to: fc.constantFrom(...people, 'issuer'), asset: code, amount }),
    ({ to, asset, amount: text }, source) =>
      Operation.payment({ source, destination: addressOf(to), asset: assetOf(asset), amount: text }),
  ),
  by(fc.record({ asset: credit, limit: fc.constantFrom('0', '100', '5000') }), ({ asset, limit }, source) =>
    Operation.changeTrust({ source, asset: assetOf(asset), limit }),
  ),
  by(fc.record({ to: person, asset: code, amount }), ({ to, asset, amount: text }, source) =>
    Operation.createClaimableBalance({
      source,
      asset: assetOf(asset),
      amount: text,
      claimants: [new Claimant(addressOf(to))],
    }),
  ),
  by(fc.record({ name: fc.constantFrom('a', 'b'), value: fc.constantFrom('x', null) }), ({ name, value }, source) =>
    Operation.manageData({ source, name, value }),
  ),
  by(fc.record({ signer: person, weight: fc.constantFrom(0, 1) }), ({ signer, weight }, source) =>
    Operation.setOptions({ source, signer: { ed25519PublicKey: addressOf(signer), weight } }),
  ),
  by(person, (to, source) => Operation.accountMerge({ source, destination: addressOf(to) })),
  by(fc.record({ account: person, asset: credit }), ({ account, asset }, source) =>
    Operation.revokeTrustlineSponsorship({ source, account: addressOf(account), asset: assetOf(asset) }),
  ),
);

/** A sponsorship: one account pays the reserves of another account’s new entries. */
const sponsored: fc.Arbitrary<RandomOperation[]> = fc.tuple(person, holding).map(([sponsor, inner]) => [
  {
    source: sponsor,
    operation: Operation.beginSponsoringFutureReserves({
      source: addressOf(sponsor),
      sponsoredId: addressOf(inner.source),
    }),
  },
  inner,
  { source: inner.source, operation: Operation.endSponsoringFutureReserves({ source: addressOf(inner.source) }) },
]);

const one = (arbitrary: fc.Arbitrary<RandomOperation>) => arbitrary.map(operation => [operation]);

/** The operations of one transaction. Many of them are meant to fail. */
export const anyOperations: fc.Arbitrary<RandomOperation[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(trading, { minLength: 1, maxLength: 3 }) },
  { weight: 2, arbitrary: one(pathPayment) },
  { weight: 2, arbitrary: fc.array(holding, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: one(issuing) },
  { weight: 1, arbitrary: sponsored },
);
