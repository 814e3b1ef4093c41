import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { Account, AuthImmutableFlag, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testPassphrase } from '../../../src/core/stellar/stellar-network.ts';
import { createHttpExchange } from '../../../src/server/platform/http-exchange.ts';
import { createSecrets } from '../../../src/server/platform/secrets.ts';
import { StellarUnavailable } from '../../../src/server/stellar/network.ts';
import { createSigner } from '../../../src/server/stellar/signing/signer.ts';
import type { SignerDeps } from '../../../src/server/stellar/signing/signing.ts';
import { parseCaps } from '../../../src/server/stellar/signing/signing-rules.ts';
import { createSpendBook } from '../../../src/server/stellar/signing/spend.store.ts';
import type { StellarOperation } from '../../../src/server/stellar/transaction/operation.ts';
import { localKey, remoteKey, seedOf } from '../../../src/server/stellar/transaction/signing-key.ts';
import {
  buildEnvelope,
  inspectEnvelope,
  isSignedBy,
  type TransactionData,
  wrapFeeBump,
} from '../../../src/server/stellar/transaction/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type FixtureServer, send, startFixtureServer } from './fixture-server.ts';

const stranger = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(9)).publicKey();
const usd = `USD:${stranger}`;

let database: TestDatabase;
let now: Date;
let treasuryNumber = 0;
let deps: SignerDeps;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  now = new Date('2026-11-02T09:00:00Z');
  const treasury = localKey(createHash('sha256').update(`treasury ${treasuryNumber++}`).digest());
  deps = {
    passphrase: testPassphrase,
    treasury,
    transactionCaps: null,
    dayCaps: null,
    feeCap: 10_000n,
    secrets: createSecrets(Buffer.alloc(32, 7)),
    spendBook: createSpendBook(database.db, { now: () => now }),
    heldAssets: ['XLM', usd],
  };
});

const pay = (change: object = {}): StellarOperation =>
  ({
    type: 'payment',
    source: deps.treasury.address,
    destination: stranger,
    asset: 'XLM',
    amount: 100n,
    ...change,
  }) as StellarOperation;
let sequence = 0n;
const unsigned = (change: Partial<TransactionData> = {}) =>
  buildEnvelope({
    source: createSigner(deps).channelAddress(1),
    sequence: ++sequence,
    fee: 100n,
    timeBounds: { min: 0, max: 99 },
    operations: [pay()],
    ...change,
  });
const ownTransaction = (...operations: StellarOperation[]) => unsigned({ source: deps.treasury.address, operations });
const bySdk = (operation: ReturnType<typeof Operation.accountMerge>) =>
  new TransactionBuilder(new Account(deps.treasury.address, '1'), { fee: '100', networkPassphrase: testPassphrase })
    .addOperation(operation)
    .setTimeout(60)
    .build()
    .toXdr();
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'signed',
    ({ reason }) => reason,
  );

describe('the signer', () => {
  it('signs for the treasury and for the used channel, and for no other account', async () => {
    const signer = createSigner(deps);
    const signed = inspectEnvelope(await signer.sign(unsigned(), 1), testPassphrase);
    expect(signed.signatures).toHaveLength(2);
    expect([signer.treasury, signer.channelAddress(1)].map(address => isSignedBy(signed, address))).toEqual([
      true,
      true,
    ]);
    expect(signer.channelAddress(1)).not.toBe(signer.channelAddress(2));
    expect(createSigner(deps).channelAddress(2)).toBe(signer.channelAddress(2));
  });

  it('raises the fee of a transaction that it signed, and of no other', async () => {
    const signer = createSigner(deps);
    const bump = (xdr: string, fee = 20_000n, feeSource = signer.treasury) => wrapFeeBump(xdr, { feeSource, fee });
    const signed = await signer.sign(unsigned(), 1);
    const wrapped = inspectEnvelope(await signer.sign(bump(signed), null), testPassphrase);
    expect(isSignedBy(wrapped, signer.treasury)).toBe(true);
    expect(await reasonOf(signer.sign(bump(unsigned()), null))).toBe('unknown');
    expect(await reasonOf(signer.sign(bump(signed, 20_001n), null))).toBe('cap');
    expect(await reasonOf(signer.sign(bump(signed, 20_000n, stranger), null))).toBe('unknown');
  });

  it('sets up the treasury', async () => {
    const signer = createSigner(deps);
    const setUp = ownTransaction(
      { type: 'createAccount', destination: signer.channelAddress(2), startingBalance: 12_500_000n },
      { type: 'changeTrust', asset: usd, limit: 2n ** 63n - 1n },
      { type: 'manageData', name: 'config.memo_required', value: Buffer.from('1') },
    );
    expect(inspectEnvelope(await signer.sign(setUp, null), testPassphrase).signatures).toHaveLength(1);
  });

  it('claims balances, with or without a channel', async () => {
    const claim = { type: 'claimClaimableBalance', balanceId: `00000000${'ab'.repeat(32)}` } as const;
    const byChannel = unsigned({ operations: [{ ...claim, source: deps.treasury.address }] });
    expect(await reasonOf(createSigner(deps).sign(ownTransaction(claim), null))).toBe('signed');
    expect(await reasonOf(createSigner(deps).sign(byChannel, 1))).toBe('signed');
  });

  it.each<[string, () => [string, number | null]]>([
    ['a payment without a channel', () => [ownTransaction(pay()), null]],
    [
      'a set-up through a channel',
      () => [
        unsigned({ operations: [{ type: 'changeTrust', source: deps.treasury.address, asset: usd, limit: 1n }] }),
        1,
      ],
    ],
    [
      'a payment and a claim in one transaction',
      () => [
        unsigned({
          operations: [
            pay(),
            { type: 'claimClaimableBalance', source: deps.treasury.address, balanceId: `00000000${'ab'.repeat(32)}` },
          ],
        }),
        1,
      ],
    ],
    ['another channel than the stated one', () => [unsigned(), 2]],
    ['another account’s transaction', () => [unsigned({ source: stranger }), 1]],
    ['another account’s operation', () => [unsigned({ operations: [pay({ source: stranger })] }), 1]],
    [
      'the channel’s own operation',
      () => [unsigned({ operations: [{ type: 'payment', destination: stranger, asset: 'XLM', amount: 1n }] }), 1],
    ],
    [
      'the creation of an account that is no channel',
      () => [ownTransaction({ type: 'createAccount', destination: stranger, startingBalance: 1n }), null],
    ],
    [
      'a channel with a starting balance above the limit',
      () => [
        ownTransaction({
          type: 'createAccount',
          destination: createSigner(deps).channelAddress(1),
          startingBalance: 50_000_001n,
        }),
        null,
      ],
    ],
    [
      'a trustline for an unknown asset',
      () => [ownTransaction({ type: 'changeTrust', asset: `EVIL:${stranger}`, limit: 1n }), null],
    ],
    ['the removal of a trustline', () => [ownTransaction({ type: 'changeTrust', asset: usd, limit: 0n }), null]],
    ['another data entry', () => [ownTransaction({ type: 'manageData', name: 'x', value: null }), null]],
    ['new flags of the account', () => [bySdk(Operation.setOptions({ setFlags: AuthImmutableFlag })), null]],
    ['the removal of the account’s own key', () => [bySdk(Operation.setOptions({ masterWeight: 0 })), null]],
    ['a sponsorship', () => [bySdk(Operation.beginSponsoringFutureReserves({ sponsoredId: stranger })), null]],
    ['a merge', () => [bySdk(Operation.accountMerge({ destination: stranger })), null]],
    ['malformed text', () => ['AAAA', null]],
  ])('refuses %s', async (_, make) => {
    const signer = createSigner(deps);
    signer.channelAddress(2);
    const [xdr, channel] = make();
    expect(await reasonOf(signer.sign(xdr, channel))).toBe('unknown');
  });

  it('refuses a fee above its cap', async () => {
    const signer = createSigner(deps);
    expect(await reasonOf(signer.sign(unsigned({ fee: 10_000n }), 1))).toBe('signed');
    expect(await reasonOf(signer.sign(unsigned({ fee: 10_001n }), 1))).toBe('cap');
  });
});

describe('the caps', () => {
  const capped = (transaction: string, day = '') => ({
    ...deps,
    transactionCaps: parseCaps(transaction, { USD: stranger }),
    dayCaps: parseCaps(day, { USD: stranger }),
  });

  it('limit the total of each asset in a transaction', async () => {
    const signer = createSigner(capped('XLM=0.0000200,USD=1'));
    const signs = (...operations: StellarOperation[]) => reasonOf(signer.sign(unsigned({ operations }), 1));
    expect(await signs(pay(), pay())).toBe('signed');
    expect(await signs(pay(), pay(), pay({ amount: 1n }))).toBe('cap');
    const path = {
      type: 'pathPaymentStrictReceive',
      destinationAsset: usd,
      destinationAmount: 1n,
      path: [],
      sendAsset: 'XLM',
    };
    expect(await signs(pay({ ...path, sendMax: 200n }))).toBe('signed');
    expect(await signs(pay({ ...path, sendMax: 201n }))).toBe('cap');
    expect(await signs(pay({ asset: usd, amount: 10_000_000n }))).toBe('signed');
    expect(await signs(pay({ asset: `EUR:${stranger}`, amount: 1n }))).toBe('cap');
    expect([
      signer.transactionCap('XLM'),
      signer.transactionCap(usd),
      signer.transactionCap(`EUR:${stranger}`),
    ]).toEqual([200n, 10_000_000n, 0n]);
    expect(createSigner(deps).transactionCap('XLM')).toBeNull();
  });

  it('limit the total of 24 hours across all servers', async () => {
    const settings = capped('', 'XLM=0.0000300,*=1000');
    const first = createSigner(settings);
    const second = createSigner(settings);
    expect(await reasonOf(first.sign(unsigned(), 1))).toBe('signed');
    expect(await reasonOf(second.sign(unsigned(), 1))).toBe('signed');
    expect(await reasonOf(second.sign(unsigned({ operations: [pay({ amount: 101n })] }), 1))).toBe('day_cap');
    expect(await reasonOf(first.sign(unsigned(), 1))).toBe('signed');
    expect(await reasonOf(first.sign(unsigned({ operations: [pay({ amount: 1n })] }), 1))).toBe('day_cap');
    now = new Date('2026-11-03T09:00:01Z');
    expect(await reasonOf(first.sign(unsigned(), 1))).toBe('signed');
  });

  it('count a transaction once, and not when it was abandoned', async () => {
    const signer = createSigner(capped('', 'XLM=0.0000100'));
    const xdr = unsigned();
    expect(await reasonOf(signer.sign(xdr, 1))).toBe('signed');
    expect(await reasonOf(signer.sign(xdr, 1))).toBe('signed');
    expect(await reasonOf(signer.sign(unsigned(), 1))).toBe('day_cap');
    await signer.forget(inspectEnvelope(xdr, testPassphrase).hash);
    expect(await reasonOf(signer.sign(unsigned(), 1))).toBe('signed');
  });

  it('hold for concurrent signatures', async () => {
    const settings = capped('', 'XLM=0.0001000');
    const signers = [createSigner(settings), createSigner(settings)];
    const reasons = await Promise.all(
      Array.from({ length: 25 }, (_, index) => reasonOf((signers[index % 2] ?? signers[0]!).sign(unsigned(), 1))),
    );
    expect(reasons.filter(reason => reason === 'signed')).toHaveLength(10);
    expect(reasons.filter(reason => reason === 'day_cap')).toHaveLength(15);
  });

  it.each(['XLM', 'XLM=1e3', 'XLM=-1', 'NOPE=1', 'XLM=1,XLM=2', 'XLM=1.00000001', 'XLM=1=2', ','])(
    'are invalid as “%s”',
    text => {
      expect(() => parseCaps(text, { USD: stranger })).toThrow(/takes amounts|twice/);
    },
  );
});

describe('a key in the operator’s key management service', () => {
  const key = localKey(createHash('sha256').update('kms').digest());
  let kms: FixtureServer;
  beforeAll(async () => {
    kms = await startFixtureServer();
  });
  afterAll(() => kms.close());
  const signer = (authorization: string | null = null) => {
    const http = createHttpExchange({ timeoutMs: 300 });
    deps = { ...deps, treasury: remoteKey({ url: `${kms.url}/sign`, address: key.address, authorization, http }) };
    return createSigner(deps);
  };

  it('signs each transaction of the treasury', async () => {
    kms.answer('/sign', async ({ body }, response) => {
      const { hash, envelope } = JSON.parse(body);
      send(response, 200, { signature: await key.sign({ hash, envelopeXdr: envelope }) });
    });
    const asking = signer('Bearer tell-me');
    const xdr = unsigned();
    const signed = inspectEnvelope(await asking.sign(xdr, 1), testPassphrase);
    expect(isSignedBy(signed, key.address)).toBe(true);
    const { method, headers, body } = kms.seen.at(-1)!;
    expect([method, headers.authorization]).toEqual(['POST', 'Bearer tell-me']);
    expect(JSON.parse(body)).toEqual({ address: key.address, hash: signed.hash, envelope: xdr });
  });

  it.each<[string, Parameters<FixtureServer['answer']>[1]]>([
    ['refuses', (_, response) => send(response, 403, { error: 'no' })],
    ['answers with an HTML page', (_, response) => send(response, 200, '<html>')],
    ['answers without a signature', { ok: true }],
    ['does not answer', () => {}],
    ['disconnects', (_, response) => response.destroy()],
  ])('that %s delays the transaction', async (_, answer) => {
    kms.answer('/sign', answer);
    await expect(signer().sign(unsigned(), 1)).rejects.toThrow(StellarUnavailable);
  });

  it('that returns a wrong signature is refused', async () => {
    kms.answer('/sign', { signature: Buffer.alloc(64, 1).toString('base64') });
    await expect(signer().sign(unsigned(), 1)).rejects.toThrow(/does not fit this transaction/);
  });
});

describe('a seed', () => {
  const seed = Buffer.alloc(32, 0x5a);
  const secret = Keypair.fromRawEd25519Seed(seed).secret();

  it('is parsed with its checksum', () => {
    expect(seedOf(secret)).toEqual(seed);
    expect(seedOf(`${secret.slice(0, -1)}A`)).toBeNull();
    expect(seedOf(stranger)).toBeNull();
  });

  it('is not part of any visible property of the signer', async () => {
    const given = seedOf(secret)!;
    deps = { ...deps, treasury: localKey(given), dayCaps: parseCaps('XLM=0', {}) };
    const signer = createSigner(deps);
    const refusal = await signer.sign(unsigned(), 1).catch((error: Error) => error);
    const shown = [
      inspect(signer, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
      inspect(deps.treasury, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
      inspect(refusal, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
      JSON.stringify(signer),
      JSON.stringify(deps.treasury),
      JSON.stringify(process.report.getReport(refusal as Error)),
    ];
    const forms = [secret, seed.toString('hex'), seed.toString('base64'), [...seed].join(','), '5a 5a 5a 5a 5a 5a'];
    for (const text of shown) expect(forms.filter(form => text.includes(form))).toEqual([]);
    // The caller’s own copy is gone, too.
    expect(given.equals(Buffer.alloc(32))).toBe(true);
  });
});
