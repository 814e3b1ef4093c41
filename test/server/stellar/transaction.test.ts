import { Account, Asset, Claimant, Keypair, Memo, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUnits } from '../../../src/core/money.ts';
import { testPassphrase } from '../../../src/core/stellar/stellar-network.ts';
import { muxedAddress, parsePaymentAddress } from '../../../src/server/stellar/transaction/muxed-address.ts';
import type { StellarOperation } from '../../../src/server/stellar/transaction/operation.ts';
import {
  attachSignatures,
  buildEnvelope,
  hashEnvelope,
  inspectEnvelope,
  isSignedBy,
  type TransactionData,
  verifySignature,
  wrapFeeBump,
} from '../../../src/server/stellar/transaction/transaction.ts';
import { EnvelopeError } from '../../../src/server/stellar/transaction/xdr-values.ts';
import { recordedTransactions } from './recorded-transactions.ts';

const keypair = (n: number) => Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(n));
const [alice, bob, issuer] = [1, 2, 3].map(n => keypair(n).publicKey()) as [string, string, string];

const account = fc.integer({ min: 1, max: 250 }).map(n => keypair(n).publicKey());
const address = fc.oneof(
  account,
  fc.tuple(account, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })).map(([base, id]) => muxedAddress(base, id)),
);
const issued = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9]{1,12}$/), account)
  .filter(([code]) => code !== 'XLM')
  .map(([code, by]) => `${code}:${by}`);
const asset = fc.oneof(fc.constant('XLM'), issued);
const amount = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
const path = fc.array(asset, { maxLength: 5 });
const hex32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => Buffer.from(bytes).toString('hex'));
const predicate = fc.letrec(tie => ({
  any: fc.oneof(
    { maxDepth: 2 },
    fc.constant({ type: 'unconditional' }),
    fc.record({ type: fc.constant('beforeRelativeTime'), seconds: amount }),
    fc.record({ type: fc.constant('not'), predicate: tie('any') }),
  ),
})).any;
const operation = fc
  .tuple(
    fc.oneof(
      fc.record({ type: fc.constant('payment'), destination: address, asset, amount }),
      fc.record({
        type: fc.constant('pathPaymentStrictReceive'),
        sendAsset: asset,
        sendMax: amount,
        destination: address,
        destinationAsset: asset,
        destinationAmount: amount,
        path,
      }),
      fc.record({ type: fc.constant('createAccount'), destination: account, startingBalance: amount }),
      fc.record({ type: fc.constant('changeTrust'), asset: issued, limit: amount }),
      fc.record({
        type: fc.constant('createClaimableBalance'),
        asset,
        amount,
        claimants: fc.array(fc.record({ destination: account, predicate }), { minLength: 1, maxLength: 10 }),
      }),
      fc.record({ type: fc.constant('claimClaimableBalance'), balanceId: hex32.map(hash => `00000000${hash}`) }),
      fc.record({
        type: fc.constant('manageData'),
        name: fc.string({ maxLength: 16 }),
        value: fc.option(fc.uint8Array({ minLength: 1, maxLength: 64 })),
      }),
    ),
    fc.option(address, { nil: undefined }),
  )
  .map(([body, source]) => (source === undefined ? body : { ...body, source }) as StellarOperation);
const seconds = fc.integer({ min: 0, max: 2 ** 40 });
const ledgers = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const memo = fc
  .option(
    fc.oneof(
      fc.record({ type: fc.constant('text' as const), value: fc.string({ unit: 'grapheme', maxLength: 7 }) }),
      fc.record({ type: fc.constant('id' as const), value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String) }),
      fc.record({ type: fc.constantFrom('hash' as const, 'return' as const), value: hex32 }),
    ),
  )
  .filter(it => Buffer.byteLength(it?.value ?? '') <= 28 || it?.type !== 'text');
const transaction = fc.record({
  source: address,
  sequence: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  fee: fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
  timeBounds: fc.option(fc.record({ min: seconds, max: seconds })),
  ledgerBounds: fc.option(fc.record({ min: ledgers, max: ledgers })),
  memo,
  operations: fc.array(operation, { minLength: 1, maxLength: 5 }),
});

describe('an envelope', () => {
  it('is decoded to the transaction that it was built from', () => {
    fc.assert(
      fc.property(transaction, data => {
        const xdr = buildEnvelope(data);
        const { hash, ...read } = inspectEnvelope(xdr, testPassphrase);
        expect(read).toEqual({ ...data, kind: 'transaction', signatures: [] });
        expect(TransactionBuilder.fromXDR(xdr, testPassphrase).hash()).toEqual(
          new Uint8Array(Buffer.from(hash, 'hex')),
        );
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it('equals the SDK’s envelope, byte for byte', () => {
    const usd = { wire: `USD:${issuer}`, sdk: new Asset('USD', issuer) };
    const long = { wire: `LONGASSET:${issuer}`, sdk: new Asset('LONGASSET', issuer) };
    const xlm = { wire: 'XLM', sdk: Asset.native() };
    const units = (stroops: bigint) => formatUnits(stroops, 7);
    const operations: StellarOperation[] = [
      { type: 'payment', destination: muxedAddress(bob, 7n), asset: usd.wire, amount: 1n, source: bob },
      {
        type: 'pathPaymentStrictReceive',
        destination: bob,
        sendAsset: xlm.wire,
        sendMax: 20n,
        destinationAsset: usd.wire,
        destinationAmount: 10n,
        path: [long.wire],
      },
      { type: 'createAccount', destination: bob, startingBalance: 10_000_000n },
      { type: 'changeTrust', asset: long.wire, limit: 2n ** 63n - 1n },
      {
        type: 'createClaimableBalance',
        asset: usd.wire,
        amount: 5n,
        claimants: [
          { destination: bob, predicate: { type: 'unconditional' } },
          {
            destination: alice,
            predicate: { type: 'not', predicate: { type: 'beforeRelativeTime', seconds: 86_400n } },
          },
        ],
      },
      { type: 'claimClaimableBalance', balanceId: `00000000${'ab'.repeat(32)}` },
      { type: 'manageData', name: 'config.memo_required', value: Buffer.from('1') },
      { type: 'manageData', name: 'old', value: null },
    ];
    const bySdk = new TransactionBuilder(new Account(alice, '41'), {
      fee: '100',
      networkPassphrase: testPassphrase,
      timebounds: { minTime: 10, maxTime: 20 },
      memo: Memo.text('Grüße'),
    });
    for (const each of [
      Operation.payment({ destination: muxedAddress(bob, 7n), asset: usd.sdk, amount: units(1n), source: bob }),
      Operation.pathPaymentStrictReceive({
        sendAsset: xlm.sdk,
        sendMax: units(20n),
        destination: bob,
        destAsset: usd.sdk,
        destAmount: units(10n),
        path: [long.sdk],
      }),
      Operation.createAccount({ destination: bob, startingBalance: '1' }),
      Operation.changeTrust({ asset: long.sdk }),
      Operation.createClaimableBalance({
        asset: usd.sdk,
        amount: units(5n),
        claimants: [
          new Claimant(bob, Claimant.predicateUnconditional()),
          new Claimant(alice, Claimant.predicateNot(Claimant.predicateBeforeRelativeTime('86400'))),
        ],
      }),
      Operation.claimClaimableBalance({ balanceId: `00000000${'ab'.repeat(32)}` }),
      Operation.manageData({ name: 'config.memo_required', value: '1' }),
      Operation.manageData({ name: 'old', value: null }),
    ]) {
      bySdk.addOperation(each);
    }
    const ours = buildEnvelope({
      source: alice,
      sequence: 42n,
      fee: 800n,
      timeBounds: { min: 10, max: 20 },
      memo: { type: 'text', value: 'Grüße' },
      operations,
    });
    expect(ours).toBe(bySdk.build().toXdr());
  });

  it('of stellar-core’s recordings has the recorded hash', () => {
    const kinds = { hashed: 0, read: 0, unknown: 0 };
    for (const { envelope_xdr: xdr, hash } of recordedTransactions()) {
      try {
        expect(hashEnvelope(xdr, testPassphrase)).toBe(hash);
        kinds.hashed++;
        expect(inspectEnvelope(xdr, testPassphrase).hash).toBe(hash);
        kinds.read++;
      } catch (error) {
        expect(error).toBeInstanceOf(EnvelopeError);
        kinds.unknown++;
      }
    }
    expect(kinds.hashed).toBeGreaterThan(2_000);
    expect(kinds.read).toBeGreaterThan(500);
    expect(kinds.unknown).toBeGreaterThan(100);
  });
});

describe('unsupported content', () => {
  const build = (change: Partial<TransactionData>) =>
    buildEnvelope({
      source: alice,
      sequence: 1n,
      fee: 100n,
      timeBounds: null,
      operations: [{ type: 'payment', destination: bob, asset: 'XLM', amount: 1n }],
      ...change,
    });
  const paying = (change: object) =>
    build({ operations: [{ type: 'payment', destination: bob, asset: 'XLM', amount: 1n, ...change }] });

  it.each<[string, () => unknown]>([
    ['no operation', () => build({ operations: [] })],
    ['101 operations', () => build({ operations: Array(101).fill({ type: 'manageData', name: 'a', value: null }) })],
    ['an amount of 0', () => paying({ amount: 0n })],
    ['a negative amount', () => paying({ amount: -1n })],
    ['an amount of 2^63', () => paying({ amount: 2n ** 63n })],
    ['a code without issuer', () => paying({ asset: 'USD' })],
    ['an address with a wrong check digit', () => paying({ destination: `${bob.slice(0, -1)}A` })],
    ['a seed as address', () => paying({ destination: keypair(1).secret() })],
    ['a fee beyond 32 bits', () => build({ fee: 2n ** 32n })],
    ['a long memo', () => build({ memo: { type: 'text', value: 'ü'.repeat(15) } })],
    ['a memo id that is no number', () => build({ memo: { type: 'id', value: '01' } })],
    ['a memo id beyond 64 bits', () => build({ memo: { type: 'id', value: String(2n ** 64n) } })],
  ])('is not built: %s', (_, work) => {
    expect(work).toThrow(EnvelopeError);
  });

  const bySdk = (...operations: Parameters<TransactionBuilder['addOperation']>[0][]) => {
    const builder = new TransactionBuilder(new Account(alice, '0'), { fee: '100', networkPassphrase: testPassphrase });
    for (const each of operations) builder.addOperation(each);
    return builder.setTimeout(0);
  };
  it.each<[string, () => string]>([
    [
      'a merge',
      () =>
        bySdk(Operation.accountMerge({ destination: bob }))
          .build()
          .toXdr(),
    ],
    [
      'a new signer',
      () =>
        bySdk(Operation.setOptions({ masterWeight: 0 }))
          .build()
          .toXdr(),
    ],
    [
      'a threshold',
      () =>
        bySdk(Operation.setOptions({ highThreshold: 255 }))
          .build()
          .toXdr(),
    ],
    [
      'a sequence gap',
      () =>
        bySdk(Operation.bumpSequence({ bumpTo: '1' }))
          .setMinAccountSequence('0')
          .build()
          .toXdr(),
    ],
    [
      'an offer',
      () =>
        bySdk(Operation.manageData({ name: 'a', value: null }), offer())
          .build()
          .toXdr(),
    ],
    [
      'bytes after the end',
      () => Buffer.concat([Buffer.from(build({}), 'base64'), Buffer.alloc(4)]).toString('base64'),
    ],
    ['half of an envelope', () => build({}).slice(0, 80)],
    ['other text', () => 'not an envelope'],
    ['an empty text', () => ''],
    ['a megabyte', () => 'A'.repeat(1_000_000)],
  ])('is not decoded: %s', (_, make) => {
    const xdr = make();
    expect(() => inspectEnvelope(xdr, testPassphrase)).toThrow(EnvelopeError);
  });

  const offer = () =>
    Operation.manageSellOffer({ selling: Asset.native(), buying: new Asset('A', issuer), amount: '1', price: '1' });
});

describe('a signature', () => {
  const xdr = buildEnvelope({
    source: alice,
    sequence: 1n,
    fee: 100n,
    timeBounds: { min: 0, max: 99 },
    operations: [{ type: 'payment', destination: bob, asset: 'XLM', amount: 1n }],
  });
  const hash = hashEnvelope(xdr, testPassphrase);
  const sign = (n: number, hex = hash) => Buffer.from(keypair(n).sign(Buffer.from(hex, 'hex'))).toString('base64');

  it('equals the SDK’s, and is verified', () => {
    const signed = attachSignatures(xdr, testPassphrase, { address: alice, signature: sign(1) });
    const bySdk = TransactionBuilder.fromXDR(xdr, testPassphrase);
    bySdk.sign(keypair(1));
    expect(signed).toBe(bySdk.toXdr());
    bySdk.sign(keypair(2));
    const [first, second] = [alice, bob].map((address, index) => ({ address, signature: sign(index + 1) }));
    expect(attachSignatures(xdr, testPassphrase, ...[first, second].flatMap(one => one ?? []))).toBe(bySdk.toXdr());
    const inspected = inspectEnvelope(signed, testPassphrase);
    expect(inspected.hash).toBe(hash);
    expect([isSignedBy(inspected, alice), isSignedBy(inspected, bob)]).toEqual([true, false]);
    expect(isSignedBy(inspected, muxedAddress(alice, 3n))).toBe(true);
  });

  it.each([
    ['of another key', { address: alice, signature: sign(2) }],
    ['of another transaction', { address: alice, signature: sign(1, '00'.repeat(32)) }],
    ['when it is truncated', { address: alice, signature: sign(1).slice(0, 40) }],
    ['of an invalid address', { address: 'GALICE', signature: sign(1) }],
  ])('is not verified %s', (_, signature) => {
    expect(verifySignature(signature.address, hash, signature.signature)).toBe(false);
    expect(() => attachSignatures(xdr, testPassphrase, signature)).toThrow(EnvelopeError);
  });

  it('remains valid inside a fee bump, which has its own hash and signatures', () => {
    const signed = attachSignatures(xdr, testPassphrase, { address: alice, signature: sign(1) });
    const wrapped = wrapFeeBump(signed, { feeSource: bob, fee: 2_000n });
    const outer = hashEnvelope(wrapped, testPassphrase);
    const twice = attachSignatures(wrapped, testPassphrase, { address: bob, signature: sign(2, outer) });
    const bySdk = TransactionBuilder.buildFeeBumpTransaction(
      keypair(2),
      '1000',
      TransactionBuilder.fromXDR(signed, testPassphrase) as never,
      testPassphrase,
    );
    bySdk.sign(keypair(2));
    expect(twice).toBe(bySdk.toXdr());
    const read = inspectEnvelope(twice, testPassphrase);
    expect(read).toMatchObject({ kind: 'fee_bump', hash: outer, feeSource: bob, fee: 2_000n, inner: { hash } });
    expect(read.kind === 'fee_bump' && isSignedBy(read.inner, alice)).toBe(true);
    expect(() => wrapFeeBump(twice, { feeSource: bob, fee: 1n })).toThrow(EnvelopeError);
  });
});

describe('a muxed address', () => {
  it('consists of an account and an id, and is parsed to both', () => {
    fc.assert(
      fc.property(account, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (base, muxedId) => {
        expect(parsePaymentAddress(muxedAddress(base, muxedId))).toEqual({ account: base, muxedId });
      }),
    );
  });

  // The vectors of SEP-23.
  it.each([
    ['GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ', null],
    ['MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ', 0n],
    ['MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK', 9_223_372_036_854_775_808n],
  ])('%s consists of the account and %s', (text, muxedId) => {
    const base = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
    expect(parsePaymentAddress(text)).toEqual({ account: base, muxedId });
    if (muxedId !== null) expect(muxedAddress(base, muxedId)).toBe(text);
  });

  it.each([
    'GAAAAAAAACGC6',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR',
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSG',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ===',
    'M4AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAITIU2K',
  ])('%s is invalid', text => {
    expect(parsePaymentAddress(text)).toBeNull();
  });
});
